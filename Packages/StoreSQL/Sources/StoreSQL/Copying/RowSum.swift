/// The sum of the hashes of rows, as a number of 256 bits: the same for the same rows in whatever order.
struct RowSum {
    private(set) var rows: Int64 = 0
    private var words: [UInt64] = [0, 0, 0, 0]

    /// Adds a row by its hash, of which the first 32 bytes count.
    mutating func add(_ hash: [UInt8]) {
        rows += 1
        var carry = false
        for index in words.indices.reversed() {
            let word = hash.dropFirst(8 * index).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let (partial, first) = words[index].addingReportingOverflow(word)
            let (total, second) = partial.addingReportingOverflow(carry ? 1 : 0)
            words[index] = total
            carry = first || second
        }
    }

    /// 32 bytes, big-endian.
    var bytes: [UInt8] {
        words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
    }

    /// A row as bytes that no other row has: of each value its kind, its length and its bytes.
    static func bytes(of row: [SQLValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in row {
            switch value {
            case .null: bytes.append(0)
            case .integer(let number):
                bytes.append(1)
                append(UInt64(bitPattern: number), to: &bytes)
            case .text(let text):
                bytes.append(2)
                append(UInt64(text.utf8.count), to: &bytes)
                bytes.append(contentsOf: text.utf8)
            case .bytes(let value):
                bytes.append(3)
                append(UInt64(value.count), to: &bytes)
                bytes.append(contentsOf: value)
            }
        }
        return bytes
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
