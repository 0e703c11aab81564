import HTTPServer

/// One method of one path, and the rules around it.
struct Endpoint: Sendable {
    let method: HTTPMethod
    /// Compared with the request's path after percent-decoding.
    let path: String
    let cors: CORSMode
    /// Whether a refusal carries `"verified": false` (section 12, verify).
    let tellsVerified: Bool
    let run: @Sendable (inout Exchange) async throws(APIError) -> HTTPResponse

    init(
        _ method: HTTPMethod,
        _ path: String,
        cors: CORSMode,
        tellsVerified: Bool = false,
        run: @escaping @Sendable (inout Exchange) async throws(APIError) -> HTTPResponse
    ) {
        self.method = method
        self.path = path
        self.cors = cors
        self.tellsVerified = tellsVerified
        self.run = run
    }
}
