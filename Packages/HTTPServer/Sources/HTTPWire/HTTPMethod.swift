/// A request method (RFC 9110 §9). Methods are case-sensitive.
public enum HTTPMethod: Hashable, Sendable, CustomStringConvertible {
    case get
    case head
    case post
    case put
    case patch
    case delete
    case options
    case trace
    case connect
    /// Any other token, as it was sent.
    case other(String)

    /// The method with this name.
    public init(_ name: String) {
        switch name {
        case "GET": self = .get
        case "HEAD": self = .head
        case "POST": self = .post
        case "PUT": self = .put
        case "PATCH": self = .patch
        case "DELETE": self = .delete
        case "OPTIONS": self = .options
        case "TRACE": self = .trace
        case "CONNECT": self = .connect
        default: self = .other(name)
        }
    }

    /// The name as it stands in the request line.
    public var description: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .other(let name): name
        }
    }
}
