/// base64url (RFC 4648 §5), written without padding (RFC 7515 §2).
public enum Base64URL {
    /// Whether a text may end in `=`.
    public enum Padding: Sendable {
        /// No padding at all, as JOSE and `clientDataJSON` write it.
        case refused
        /// None, or exactly the padding that the length asks for, as some WebAuthn clients write it.
        case optional
    }

    /// The unpadded text of `bytes`.
    public static func encode(_ bytes: ArraySlice<UInt8>) -> String {
        var output: [UInt8] = []
        append(bytes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// The unpadded text of `bytes`.
    public static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes[...])
    }

    /// Appends the unpadded text of `bytes`, as ASCII.
    public static func append(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
        Base64Code.url.append(bytes.span, padded: false, to: &output)
    }

    /// The bytes that `text` stands for.
    ///
    /// White space, line ends, `+`, `/` and unused bits that are not zero are refused.
    ///
    /// - Throws: ``EncodingError`` with the place of the first fault.
    public static func decode(
        _ text: String,
        padding: Padding = .refused
    ) throws(EncodingError) -> [UInt8] {
        try Base64Code.url.decode(text.utf8Span.span, padding: padding == .refused ? .refused : .optional)
    }

    /// The bytes that the ASCII `text` stands for.
    ///
    /// - Throws: ``EncodingError`` with the place of the first fault.
    public static func decode(
        _ text: ArraySlice<UInt8>,
        padding: Padding = .refused
    ) throws(EncodingError) -> [UInt8] {
        try Base64Code.url.decode(text.span, padding: padding == .refused ? .refused : .optional)
    }
}
