/// Hexadecimal (RFC 4648 §8), written in lower case.
public enum Hex {
    /// Two lower-case digits for each byte.
    public static func encode(_ bytes: ArraySlice<UInt8>) -> String {
        var output: [UInt8] = []
        append(bytes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Two lower-case digits for each byte.
    public static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes[...])
    }

    /// Appends two lower-case digits for each byte, as ASCII.
    public static func append(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
        output.reserveCapacity(output.count + bytes.count * 2)
        for byte in bytes {
            output.append(digit(byte >> 4))
            output.append(digit(byte & 15))
        }
    }

    /// The bytes that `text` stands for, whose digits may be of either case.
    ///
    /// - Throws: ``EncodingError/invalidLength(_:)`` for an odd number of digits, or the first character that is none.
    public static func decode(_ text: String) throws(EncodingError) -> [UInt8] {
        try decode(text.utf8Span.span)
    }

    /// The bytes that the ASCII `text` stands for, whose digits may be of either case.
    ///
    /// - Throws: ``EncodingError/invalidLength(_:)`` for an odd number of digits, or the first character that is none.
    public static func decode(_ text: ArraySlice<UInt8>) throws(EncodingError) -> [UInt8] {
        try decode(text.span)
    }

    private static func decode(_ text: Span<UInt8>) throws(EncodingError) -> [UInt8] {
        guard text.count % 2 == 0 else { throw .invalidLength(text.count) }
        var output: [UInt8] = []
        output.reserveCapacity(text.count / 2)
        var index = 0
        while index < text.count {
            guard let high = value(text[index]) else { throw .invalidCharacter(text[index], offset: index) }
            guard let low = value(text[index + 1]) else {
                throw .invalidCharacter(text[index + 1], offset: index + 1)
            }
            output.append(high << 4 | low)
            index += 2
        }
        return output
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x57 + value
    }

    /// The value of a digit, 0 to 15.
    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}
