/// What is wrong with a text or a host name.
public enum UnicodeError: Error, Hashable, Sendable {
    /// The text may not be longer than `limit` UTF-8 bytes.
    case tooLong(bytes: Int, limit: Int)
    /// `scalar` may not appear. `position` counts the scalars before it in the text as given.
    case refused(RefusedCharacter, scalar: UnicodeScalar, position: Int)
    /// libutf8proc refused, in its words.
    case notNormalizable(String)
    /// Not a host name, and why.
    case badHost(String)
}

extension UnicodeError: CustomStringConvertible {
    /// One line for an operator, without the text itself.
    public var description: String {
        switch self {
        case .tooLong(let bytes, let limit): "it has \(bytes) bytes and may have \(limit)"
        case .refused(let kind, let scalar, let position):
            "\(kind.rawValue), \(scalar.codePoint), stands at position \(position + 1)"
        case .notNormalizable(let reason): "it cannot be normalised: \(reason)"
        case .badHost(let reason): "not a host name: \(reason)"
        }
    }
}

extension UnicodeScalar {
    /// `U+200B`: at least four hexadecimal digits.
    fileprivate var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
