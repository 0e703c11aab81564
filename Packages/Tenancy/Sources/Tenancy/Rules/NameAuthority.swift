public import PublicSuffix

/// What says whose a name is: the public suffix list, and what a name's owner publishes.
public struct NameAuthority: Sendable {
    /// The names that nobody can speak for; `nil`: no list could be read.
    public let publicSuffixes: PublicSuffixList?
    /// `nil`: nobody can be asked, and only the operator says whose a name is.
    let textRecords: TextRecordLookup?

    /// - Parameters:
    ///   - publicSuffixes: `nil`: the list that libpsl has by itself.
    ///   - textRecords: looks TXT records up.
    public init(publicSuffixes: PublicSuffixList? = nil, textRecords: TextRecordLookup? = nil) {
        self.publicSuffixes = publicSuffixes ?? Self.builtIn
        self.textRecords = textRecords
    }

    private static let builtIn = try? PublicSuffixList()
}

/// Looks up the TXT records of a name.
public typealias TextRecordLookup = @Sendable (_ name: String) async -> TextRecords

/// What a name's TXT records are.
public enum TextRecords: Hashable, Sendable {
    /// Each is its strings joined; none for a name that is not there.
    case found([[UInt8]])
    /// Nobody said so; the end of a sentence, for who asked.
    case unavailable(reason: String)
}
