/// Why a request gets an answer without, or in spite of, its handler.
public enum HTTPFault: Error, Hashable, Sendable {
    /// 400: the message breaks the grammar, in the part that is named.
    case badRequest(Part)
    /// 404: no route has this path.
    case notFound
    /// 405: the path has routes, but only for these methods.
    case methodNotAllowed(allowed: [HTTPMethod])
    /// 408: head or body were not there in time.
    case timeout
    /// 413: the body is, or would be, longer than its route allows.
    case bodyTooLarge
    /// 414
    case targetTooLong
    /// 417: `Expect` asks for something else than `100-continue`.
    case expectationFailed
    /// 431: too many fields, or too long ones.
    case headTooLarge
    /// 501: a method or transfer coding that nothing here knows.
    case notImplemented
    /// 503: as many requests or connections as may be are under way.
    case overloaded
    /// 503: the handler had not answered in its time.
    case deadlineExceeded
    /// 505
    case versionNotSupported

    /// The part of a message that is at fault.
    public enum Part: Hashable, Sendable {
        case requestLine
        case target
        case field
        case host
        case contentLength
        case transferEncoding
        case chunk
        case trailer
    }

    /// The status code that answers it.
    public var status: Int {
        switch self {
        case .badRequest: 400
        case .notFound: 404
        case .methodNotAllowed: 405
        case .timeout: 408
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .expectationFailed: 417
        case .headTooLarge: 431
        case .notImplemented: 501
        case .overloaded, .deadlineExceeded: 503
        case .versionNotSupported: 505
        }
    }
}
