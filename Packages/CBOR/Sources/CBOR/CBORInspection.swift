/// What can be said about bytes over the whole of RFC 8949: with tags, indefinite lengths and any depth.
public struct CBORInspection: Hashable, Sendable {
    /// One complete item with nothing after it (RFC 8949 §1.2).
    public let wellFormed: Bool
    /// Well-formed, every text string is UTF-8, and no map has a key twice. Of the tags, date texts (0) and bignums
    /// (2, 3) are held to the type of their content.
    public let valid: Bool
    /// Valid and in CTAP2 canonical form, with arrays and maps at most four deep; `nil` when only floating-point numbers
    /// leave it open.
    public let ctap2Canonical: Bool?

    public init(wellFormed: Bool, valid: Bool, ctap2Canonical: Bool?) {
        self.wellFormed = wellFormed
        self.valid = valid
        self.ctap2Canonical = ctap2Canonical
    }
}

extension CBOR {
    /// Judges `bytes` in one pass without recursion, so that hostile nesting costs memory in proportion only.
    public static func inspect(_ bytes: ArraySlice<UInt8>) -> CBORInspection {
        var inspector = CBORInspector(bytes)
        do throws(CBORError) {
            return try inspector.inspect()
        } catch {
            return CBORInspection(wellFormed: false, valid: false, ctap2Canonical: false)
        }
    }

    /// Judges `bytes`, as the form that takes a slice does.
    public static func inspect(_ bytes: [UInt8]) -> CBORInspection {
        inspect(bytes[...])
    }
}
