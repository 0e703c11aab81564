import Encodings

/// What a string member must look like, and the one spelling that it is kept in.
enum TextForm {
    /// Any text of so many Unicode scalars, without control characters but line ends and tabs.
    case plain(ClosedRange<Int>)
    /// As `plain`, without `<` and `>`: names that pages and mails show.
    case label(ClosedRange<Int>)
    /// An absolute `http` or `https` URL.
    case webURL
    /// Where a browser is sent back to: absolute, any scheme that runs no code, no fragment, no wildcard.
    case callback
    /// As `callback`; `*` may be the whole leftmost label of the host.
    case logoutURL
    /// An origin in canonical form; `*` may be the whole leftmost label of the host.
    case originOrPattern
    /// An origin in canonical form.
    case origin
    case email
    /// One of these words.
    case word([String])

    func read(_ value: JSONValue, at path: String) throws(DocumentError) -> String {
        guard let text = value.string else { throw .invalid(path, value, mustBe: expectation) }
        switch self {
        case .plain(let length): if Self.isPlain(text, length) { return text }
        case .label(let length):
            if Self.isPlain(text, length), !text.utf8.contains(where: { $0 == 0x3C || $0 == 0x3E }) { return text }
        case .webURL:
            if let parts = URLParts(text), parts.isWeb, parts.hasCleanHost, !parts.hasFragment { return text }
        case .callback:
            if let parts = URLParts(text), parts.isSafeTarget, !parts.hasFragment,
                !text.utf8.contains(UInt8(ascii: "*"))
            {
                return text
            }
        case .logoutURL:
            if let parts = URLParts(text), parts.isSafeTarget, !parts.hasFragment,
                parts.hasWildcardOnlyAsLeftmostLabel
            {
                return text
            }
        case .originOrPattern:
            if let origin = try? WebOrigin(text, allowingPattern: true) { return origin.text }
        case .origin:
            if let origin = try? WebOrigin(text) { return origin.text }
        case .email:
            if CanonicalIdentifier.email(text) != nil { return text }
        case .word(let words):
            if words.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { return text }
        }
        throw .invalid(path, value, mustBe: expectation)
    }

    private var expectation: String {
        switch self {
        case .plain(let length): "a text of \(length.lowerBound) to \(length.upperBound) characters"
        case .label(let length): "a text of \(length.lowerBound) to \(length.upperBound) characters without < and >"
        case .webURL: "an absolute http or https URL without a fragment"
        case .callback: "an absolute URL without a fragment and without *"
        case .logoutURL: "an absolute URL without a fragment, with * at most as its host's whole leftmost label"
        case .originOrPattern:
            "an origin as https://app.example.com (http on loopback names alone), with * at most as its whole leftmost label"
        case .origin: "an origin as https://app.example.com (http on loopback names alone)"
        case .email: "an e-mail address"
        case .word(let words): alternatives(words)
        }
    }

    private static func isPlain(_ text: String, _ length: ClosedRange<Int>) -> Bool {
        guard text.utf8.count <= length.upperBound * 4 else { return false }
        let scalars = text.unicodeScalars
        return length.contains(scalars.count)
            && scalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\n" || $0 == "\t" || $0 == "\r" }
    }
}
