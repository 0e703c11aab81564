/// Why a JSON document does not describe what it should.
///
/// `path` is the member at fault as `refresh_token.leeway` or `callbacks[2]`.
public enum DocumentError: Error, Hashable, Sendable {
    /// A member that there is none of.
    case unknownMember(path: String)
    case missingMember(path: String)
    /// `value` is the JSON that was given, shortened; `expected` completes "it must be …".
    case invalidValue(path: String, value: String, expected: String)
    /// Members that are right alone and wrong together; `message` is a sentence without its full stop.
    case conflict(path: String, message: String)

    public var path: String {
        switch self {
        case .unknownMember(let path), .missingMember(let path), .invalidValue(let path, _, _),
            .conflict(let path, _):
            path
        }
    }
}

extension DocumentError: CustomStringConvertible {
    /// One sentence for a person at a terminal.
    public var description: String {
        switch self {
        case .unknownMember(let path): "there is no member \(path)."
        case .missingMember(let path): "\(path) is missing."
        case .invalidValue(let path, let value, let expected): "\(path) cannot be \(value): it must be \(expected)."
        case .conflict(_, let message): "\(message)."
        }
    }

    /// What the Management API answers (HTTP contract 11.1); a conflict has a sentence of its own.
    public var payloadMessage: String {
        switch self {
        case .unknownMember(let path):
            "Payload validation error: 'Additional properties not allowed: \(path)'."
        case .missingMember(let path):
            "Payload validation error: 'Missing required property: \(path)'."
        case .invalidValue(let path, let value, let expected):
            "Payload validation error: 'Invalid value \(value)' on property \(path). It must be \(expected)."
        case .conflict(_, let message):
            message
        }
    }
}
