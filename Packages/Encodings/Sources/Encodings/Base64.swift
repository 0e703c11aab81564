/// Standard base64 with padding (RFC 4648 §4), as certificates in `x5c` are written.
public enum Base64 {
    /// The padded text of `bytes`, in one line.
    public static func encode(_ bytes: ArraySlice<UInt8>) -> String {
        var output: [UInt8] = []
        append(bytes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// The padded text of `bytes`, in one line.
    public static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes[...])
    }

    /// Appends the padded text of `bytes`, as ASCII.
    public static func append(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
        Base64Code.standard.append(bytes.span, padded: true, to: &output)
    }

    /// The bytes that `text` stands for. Its padding must be there, and white space must not.
    ///
    /// - Throws: ``EncodingError`` with the place of the first fault.
    public static func decode(_ text: String) throws(EncodingError) -> [UInt8] {
        try Base64Code.standard.decode(text.utf8Span.span, padding: .required)
    }

    /// The bytes that the ASCII `text` stands for.
    ///
    /// - Throws: ``EncodingError`` with the place of the first fault.
    public static func decode(_ text: ArraySlice<UInt8>) throws(EncodingError) -> [UInt8] {
        try Base64Code.standard.decode(text.span, padding: .required)
    }
}
