import HTTPServer

/// One method of one path, and the rules around it.
struct Endpoint: Sendable {
    let method: HTTPMethod
    /// Compared with the request's path after percent-decoding.
    let path: String
    let cors: CORSMode
    /// How its refusals look.
    let shape: RefusalShape
    /// Whether a host serves it that is an RP ID and no domain.
    let isPublished: Bool
    let run: @Sendable (inout Exchange) async throws(APIError) -> HTTPResponse

    init(
        _ method: HTTPMethod,
        _ path: String,
        cors: CORSMode = .none,
        shape: RefusalShape = .oauth,
        isPublished: Bool = false,
        run: @escaping @Sendable (inout Exchange) async throws(APIError) -> HTTPResponse
    ) {
        self.method = method
        self.path = path
        self.cors = cors
        self.shape = shape
        self.isPublished = isPublished
        self.run = run
    }
}

/// How an endpoint's refusals look (contract 2.1).
enum RefusalShape: Hashable {
    case oauth
    /// The same with `"verified": false` (section 12, verify).
    case unverified
    /// `status` and `errorMessage` (section 13).
    case conformance
    /// `type`, `status`, `title` and `detail` (section 10.7).
    case account
    /// `statusCode`, `error`, `message` and `errorCode` (section 11.2).
    case management
    /// A page for people (section 8.2).
    case page

    /// Of what is asked at `path`, before an endpoint is found.
    static func of(_ path: String) -> RefusalShape {
        if ManagementAPI.serves(path) { return .management }
        return MyAccountRoutes.serves(path) ? .account : .oauth
    }
}
