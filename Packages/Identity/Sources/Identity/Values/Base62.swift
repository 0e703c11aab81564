/// Digits and letters, `0-9A-Za-z`: the alphabet of the ids that people copy.
public enum Base62 {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// `bytes`, read as one big-endian number, in exactly `count` characters; leading zeros fill it up, and what does
    /// not fit is cut off at the front.
    public static func encode(_ bytes: [UInt8], count: Int) -> String {
        // In limbs of 32 bits and five digits at once: 62^5 is the highest power that a limb holds.
        var limbs: [UInt64] = []
        limbs.reserveCapacity(bytes.count / 4 + 1)
        var start = bytes.count % 4
        if start > 0 { limbs.append(number(bytes[..<start])) }
        while start < bytes.count {
            limbs.append(number(bytes[start..<(start + 4)]))
            start += 4
        }
        var text = [UInt8](repeating: UInt8(ascii: "0"), count: count)
        var position = count
        while position > 0 {
            var remainder: UInt64 = 0
            for index in limbs.indices {
                let value = remainder << 32 | limbs[index]
                limbs[index] = value / 916_132_832
                remainder = value % 916_132_832
            }
            for _ in 0..<min(5, position) {
                position -= 1
                text[position] = alphabet[Int(remainder % 62)]
                remainder /= 62
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// At most 4 bytes, big-endian.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
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
