/// How a SQLite store is opened: what the query of its URL says.
public struct SQLiteOptions: Hashable, Sendable {
    /// When a write is safe.
    public enum Synchronous: String, Hashable, Sendable, CaseIterable {
        /// When it is answered, also through a loss of power.
        case full
        /// When it is answered, through a crash of the process; a loss of power may take the last writes. For
        /// measurements.
        case normal
    }

    public var synchronous: Synchronous

    public init(synchronous: Synchronous = .full) {
        self.synchronous = synchronous
    }

    /// Reads `name=value` pairs with `&` between them.
    ///
    /// - Throws: ``SQLiteOpenError/option(name:value:allowed:)`` for a pair that is not known.
    public init(query: String) throws(SQLiteOpenError) {
        self.init()
        for pair in query.split(separator: "&", omittingEmptySubsequences: true) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let (name, value) = (parts.first ?? "", parts.count > 1 ? parts[1] : "")
            guard name == "synchronous" else {
                throw .option(name: name, value: nil, allowed: ["synchronous"])
            }
            guard let synchronous = Synchronous(rawValue: value) else {
                throw .option(name: name, value: value, allowed: Synchronous.allCases.map(\.rawValue))
            }
            self.synchronous = synchronous
        }
    }
}
