/// Digits and letters, `0-9A-Za-z`: the alphabet of the ids that people copy.
public enum Base62 {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// `bytes`, read as one big-endian number, in exactly `count` characters; leading zeros fill it up, and what does
    /// not fit is cut off at the front.
    public static func encode(_ bytes: [UInt8], count: Int) -> String {
        var number = bytes
        var text = [UInt8](repeating: UInt8(ascii: "0"), count: count)
        for position in stride(from: count - 1, through: 0, by: -1) {
            var remainder = 0
            for index in number.indices {
                let value = remainder << 8 | Int(number[index])
                number[index] = UInt8(truncatingIfNeeded: value / 62)
                remainder = value % 62
            }
            text[position] = alphabet[remainder]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The number that `text` writes, as `count` big-endian bytes; `nil` for a foreign character or a larger number.
    public static func decode(_ text: some Sequence<UInt8>, count: Int) -> [UInt8]? {
        var number = [UInt8](repeating: 0, count: count)
        for character in text {
            let digit: Int
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = Int(character - UInt8(ascii: "0"))
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = Int(character - UInt8(ascii: "A")) + 10
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = Int(character - UInt8(ascii: "a")) + 36
            default: return nil
            }
            var carry = digit
            for index in number.indices.reversed() {
                let value = Int(number[index]) * 62 + carry
                number[index] = UInt8(truncatingIfNeeded: value & 0xFF)
                carry = value >> 8
            }
            guard carry == 0 else { return nil }
        }
        return number
    }
}
