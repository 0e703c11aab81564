import StoreSQL

/// A statement as PostgreSQL reads it.
struct StatementText {
    /// With `$1`, `$2`, … for each value.
    let text: String
    /// The same, and an error when it changes no row: then the database itself undoes the transaction. Only for
    /// statements that return no rows.
    var guarded: String { "WITH changed AS (\(text) RETURNING 1) SELECT 1 / COUNT(*) FROM changed" }
    /// What ``guarded`` fails with: a division by zero, which no other statement of ours can.
    static let guardCode = "22012"

    init(_ sql: SQL) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(sql.text.utf8.count + 32)
        var count = 0
        var isQuoted = false
        for byte in sql.text.utf8 {
            if byte == UInt8(ascii: "'") {
                // `x''` would be a string of bits; `''` takes the type of the column that it meets.
                if !isQuoted, bytes.last == UInt8(ascii: "x") { bytes.removeLast() }
                isQuoted.toggle()
            }
            if byte == UInt8(ascii: "?"), !isQuoted {
                count += 1
                bytes += Array("$\(count)".utf8)
            } else {
                bytes.append(byte)
            }
        }
        if sql.locksRows { bytes += Array(" FOR UPDATE".utf8) }
        text = String(decoding: bytes, as: UTF8.self)
    }
}
