import HTTPServer

extension Exchange {
    /// The answer with its entity tag, or 304 for who has it (RFC 9110 §13.1.2).
    func cacheable(_ response: HTTPResponse, tag: String, _ caching: String) -> HTTPResponse {
        let isKnown = header("if-none-match").map { $0.contains(tag) || $0 == "*" } ?? false
        var response = isKnown ? HTTPResponse(status: 304) : response
        response.headers.add("Cache-Control", caching)
        response.headers.add("ETag", tag)
        return response
    }
}
