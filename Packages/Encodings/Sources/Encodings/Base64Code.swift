/// One of the two alphabets of RFC 4648, and the arithmetic that both share.
struct Base64Code: Sendable {
    enum Padding {
        case refused
        case optional
        case required
    }

    static let standard = Base64Code("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    static let url = Base64Code("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    /// What a byte outside the alphabet has in `values`: more than any group of six bits.
    private static let foreign: UInt8 = 0xff

    /// 64 characters.
    private let alphabet: [UInt8]
    /// 256 entries: the six bits of each byte, or `foreign`.
    private let values: [UInt8]

    private init(_ characters: String) {
        alphabet = Array(characters.utf8)
        var values = [UInt8](repeating: Self.foreign, count: 256)
        for (value, character) in alphabet.enumerated() {
            values[Int(character)] = UInt8(value)
        }
        self.values = values
    }

    func append(_ bytes: Span<UInt8>, padded: Bool, to output: inout [UInt8]) {
        let characters = alphabet.span
        output.append(addingCapacity: (bytes.count + 2) / 3 * 4) { output in
            var index = 0
            while bytes.count - index >= 3 {
                let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                output.append(characters[Int(group >> 18)])
                output.append(characters[Int(group >> 12 & 63)])
                output.append(characters[Int(group >> 6 & 63)])
                output.append(characters[Int(group & 63)])
                index += 3
            }
            switch bytes.count - index {
            case 1:
                output.append(characters[Int(bytes[index] >> 2)])
                output.append(characters[Int(bytes[index] << 4 & 63)])
                if padded { output.append(repeating: UInt8(ascii: "="), count: 2) }
            case 2:
                let group = UInt32(bytes[index]) << 8 | UInt32(bytes[index + 1])
                output.append(characters[Int(group >> 10)])
                output.append(characters[Int(group >> 4 & 63)])
                output.append(characters[Int(group << 2 & 63)])
                if padded { output.append(UInt8(ascii: "=")) }
            default:
                break
            }
        }
    }

    func decode(_ text: Span<UInt8>, padding: Padding) throws(EncodingError) -> [UInt8] {
        let count = try lengthWithoutPadding(text, padding)
        let rest = count % 4
        guard rest != 1 else { throw .invalidLength(count) }
        let values = values.span
        var output: [UInt8] = []
        output.reserveCapacity(count / 4 * 3 + 2)
        var index = 0
        // Whether all were of the alphabet is asked once, at the end.
        var all: UInt8 = 0
        output.append(addingCapacity: count / 4 * 3) { output in
            while count - index >= 4 {
                let first = values[Int(text[index])]
                let second = values[Int(text[index + 1])]
                let third = values[Int(text[index + 2])]
                let fourth = values[Int(text[index + 3])]
                all |= first | second | third | fourth
                output.append(first << 2 | second >> 4)
                output.append(second << 4 | third >> 2)
                output.append(third << 6 | fourth)
                index += 4
            }
        }
        guard all < 64 else { throw firstForeign(in: text, from: 0) }
        guard rest > 0 else { return output }
        let first = values[Int(text[index])]
        let second = values[Int(text[index + 1])]
        let third = rest == 3 ? values[Int(text[index + 2])] : 0
        guard (first | second | third) < 64 else { throw firstForeign(in: text, from: index) }
        output.append(first << 2 | second >> 4)
        if rest == 3 { output.append(second << 4 | third >> 2) }
        let unused = rest == 3 ? third & 0b11 : second & 0b1111
        guard unused == 0 else { throw .unusedBitsSet(offset: count - 1) }
        return output
    }

    /// Judges the padding and says how many characters come before it.
    private func lengthWithoutPadding(_ text: Span<UInt8>, _ padding: Padding) throws(EncodingError) -> Int {
        var count = text.count
        while count > 0, text[count - 1] == 0x3d { count -= 1 }
        let found = text.count - count
        let wanted = (4 - count % 4) % 4
        switch padding {
        case .refused:
            guard found == 0 else { throw .invalidPadding(offset: count) }
        case .optional:
            guard found == 0 || (found == wanted && wanted < 3) else { throw .invalidPadding(offset: count) }
        case .required:
            guard count % 4 != 1 else { throw .invalidLength(count) }
            guard found == wanted else { throw .invalidPadding(offset: count) }
        }
        return count
    }

    private func firstForeign(in text: Span<UInt8>, from start: Int) -> EncodingError {
        for offset in start..<text.count where values[Int(text[offset])] == Self.foreign {
            return .invalidCharacter(text[offset], offset: offset)
        }
        return .invalidLength(text.count)
    }
}
