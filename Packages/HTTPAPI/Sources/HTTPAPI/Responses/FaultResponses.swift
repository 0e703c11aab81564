import Encodings
public import HTTPServer
import Identity

extension API {
    /// Answers for requests that break HTTP itself or a limit, in the same shape as all others.
    public static let faultResponse: FaultResponse = { fault, head in
        let error =
            switch fault {
            case .badRequest: APIError.invalidHTTP
            case .notFound: APIError.notFound
            case .methodNotAllowed: APIError.methodNotAllowed
            case .timeout: APIError(408, "invalid_request", "The request was not complete in time", "request_timeout")
            case .bodyTooLarge: APIError.bodyTooLarge
            case .targetTooLong: APIError(414, "invalid_request", "The request target is too long", "target_too_long")
            case .expectationFailed: APIError(417, "invalid_request", "Unknown expectation", "expectation_failed")
            case .headTooLarge: APIError(431, "invalid_request", "The request head is too large", "head_too_large")
            case .notImplemented: APIError(501, "invalid_request", "Not implemented", "not_implemented")
            case .overloaded, .deadlineExceeded:
                APIError(503, "temporarily_unavailable", "The server is busy", "overloaded").with { $0.retryAfter = 1 }
            case .versionNotSupported:
                APIError(505, "invalid_request", "HTTP version not supported", "version_not_supported")
            }
        // Whatever was asked for, such an answer is about one request.
        let headers = CommonHeaders(
            id: RequestID.of(head?.headers),
            path: "/oauth/",
            isHTTPS: false,
            isLoopbackName: false
        )
        return headers.added(to: API.refusal(error, in: head.map { .of($0.path) } ?? .oauth))
    }
}

extension APIError {
    /// The shape of section 12, verify.
    func unverified(hidingReasons: Bool) -> HTTPResponse {
        var json = JSONWriter(capacity: 192)
        json.beginObject()
        json.name("verified")
        json.bool(false)
        json.member("error", error)
        json.member("error_description", description)
        if !(hidingReasons && isCeremonyReason) { json.member("reason", reason) }
        if let ceremony { json.member("trace_id", ceremony.text) }
        if let unknownCredential { Signals.write(unknownCredential, to: &json) }
        json.endObject()
        return response(body: json.bytes)
    }
}
