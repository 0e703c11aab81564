internal import Encodings

/// Text as headers carry it: ASCII, in lines of at most 76 characters, without a way out of its header.
enum HeaderText {
    /// A header whose value is any text: as it is where ASCII does and a line has room, else in encoded words
    /// (RFC 2047).
    static func unstructured(_ name: String, _ text: String) -> String {
        let text = withoutControls(text)
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 } && !text.contains("=?") && text.utf8.first != 0x20
        let isShort = name.utf8.count + 2 + text.utf8.count <= lineLimit
        return "\(name): \(isPlain && isShort ? text : encodedWords(text, after: name.utf8.count + 2))\r\n"
    }

    /// A header that names one address.
    static func address(_ name: String, _ party: CorrespondentAddress) -> String {
        let address = "<\(party.address)>"
        guard !party.name.isEmpty else { return "\(name): \(address)\r\n" }
        let line = "\(name): \(phrase(party.name, after: name.utf8.count + 2))"
        let last = line.utf8.split(separator: UInt8(ascii: "\n")).last?.count ?? 0
        return line + (last + 1 + address.utf8.count <= lineLimit ? " " : "\r\n ") + address + "\r\n"
    }

    /// A display name (RFC 5322 §3.4): atoms, a quoted string, or encoded words.
    private static func phrase(_ text: String, after offset: Int) -> String {
        let text = withoutControls(text)
        guard text.utf8.allSatisfy({ $0 < 0x80 }), !text.contains("=?"), text.utf8.count <= 40 else {
            return encodedWords(text, after: offset)
        }
        let words = text.utf8.split(separator: 0x20, omittingEmptySubsequences: false)
        let isPlain = words.allSatisfy { !$0.isEmpty && $0.allSatisfy(isAtom) }
        return isPlain ? text : quoted(text)
    }

    /// RFC 5322 §3.2.4. The text is printable ASCII.
    static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// atext of RFC 5322 §3.2.3.
    static func isAtom(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
        }
    }

    /// RFC 2047 §2 and §4.1: each word is at most 75 characters and has whole characters, and a line is at most 76.
    ///
    /// - Parameters:
    ///   - text: any text.
    ///   - offset: how many characters stand before the first word on its line.
    /// - Returns: the words, a line each.
    private static func encodedWords(_ text: String, after offset: Int) -> String {
        var words: [String] = []
        var chunk: [UInt8] = []
        // A word is "=?UTF-8?B?", four characters for three bytes, and "?="; the space of a fold is one more.
        var limit = max(4, (lineLimit - offset - 12) / 4 * 3)
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if chunk.count + bytes.count > limit {
                words.append(word(chunk))
                chunk = []
                limit = 45
            }
            chunk += bytes
        }
        if !chunk.isEmpty || words.isEmpty { words.append(word(chunk)) }
        return words.joined(separator: "\r\n ")
    }

    private static func word(_ bytes: [UInt8]) -> String { "=?UTF-8?B?\(Base64.encode(bytes))?=" }

    /// A control character, a line feed above all, becomes a space.
    static func withoutControls(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value || 0x2028...0x2029 ~= scalar.value
            scalars.append(isControl ? " " : scalar)
        }
        return String(scalars)
    }

    static let lineLimit = 76
}
