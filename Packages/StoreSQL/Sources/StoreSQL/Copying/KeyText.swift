internal import Encodings
internal import Identity

/// The key of a row as text, for the place to which a copy has come: a JSON array, of numbers, of texts behind `t`, and
/// of bytes as hex behind `b`.
enum KeyText {
    static func write(_ key: [SQLValue]) -> String {
        var json = JSONWriter(capacity: 96)
        json.beginArray()
        for value in key {
            switch value {
            case .null: json.null()
            case .integer(let number): json.integer(number)
            case .text(let text): json.string("t" + text)
            case .bytes(let bytes): json.string("b" + Hex.encode(bytes))
            }
        }
        json.endArray()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    static func read(_ text: String) throws(StoreError) -> [SQLValue] {
        guard let array = (try? JSON.parse(text, allowingNUL: true))?.array else { throw damaged }
        var key: [SQLValue] = []
        for value in array {
            switch value {
            case .null: key.append(.null)
            case .integer(let number): key.append(.integer(number))
            case .string(let text):
                let rest = String(decoding: Array(text.utf8.dropFirst()), as: UTF8.self)
                switch text.utf8.first {
                case UInt8(ascii: "t"): key.append(.text(rest))
                case UInt8(ascii: "b"):
                    guard let bytes = try? Hex.decode(rest) else { throw damaged }
                    key.append(.bytes(bytes))
                default: throw damaged
                }
            default: throw damaged
            }
        }
        return key
    }

    private static let damaged = StoreError.corrupt(reason: "the place to which a copy has come is damaged")
}
