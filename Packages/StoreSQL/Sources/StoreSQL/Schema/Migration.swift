/// One step forward of the schema. Once released it never changes; what it did is undone by a later one.
struct Migration: Sendable {
    /// From 1, without gaps.
    let number: Int64
    /// The oldest schema number that a server must know to run on a store that has this one. A change that older
    /// servers do not notice keeps the number before it.
    let oldestServer: Int64
    let statements: @Sendable (SQLDialect) -> [String]

    /// Tells whether a migration was changed after it had been applied: FNV-1a, 64 bits, of its statements in the
    /// dialect of SQLite. It guards against accidents, not against attackers.
    var hash: Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for statement in statements(.sqlite) {
            for byte in statement.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            hash = (hash ^ 0) &* 0x100_0000_01b3
        }
        return Int64(bitPattern: hash)
    }

    static let all = [first, customDomains, people, jobs, mail, search, codes, recoveries]

    /// What this build knows.
    static var newest: Int64 { all.last?.number ?? 0 }
}
