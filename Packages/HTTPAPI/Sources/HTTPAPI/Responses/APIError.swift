import Encodings
import HTTPServer
import Identity
import Passkeys

/// A refusal: one row of the HTTP contract, in the OAuth shape (section 2.1).
struct APIError: Error, Hashable {
    var status: Int
    var error: String
    /// ASCII without `"` and `\`, but for the one text that the contract quotes.
    var description: String
    /// Our stable word for machines.
    var reason: String
    /// Of a refused ceremony.
    var ceremony: CeremonyID?
    /// Seconds, for `Retry-After`.
    var retryAfter: Int?
    /// What the operator is told beside the reason, and the client never.
    var detail: String?
    /// The value of `WWW-Authenticate`.
    var challenge: String?
    /// What the client may tell its passkey manager (contract 9.6).
    var unknownCredential: Refusal.UnknownCredential?
    /// The parameter at fault, where one is.
    var field: String?
    /// What is wrong with a tenant file, place by place.
    var faults: [FileFault] = []
    /// Whether the reason tells which check of a ceremony failed, so that `hide_passkey_reasons` takes it out.
    var isCeremonyReason = false

    init(_ status: Int, _ error: String, _ description: String, _ reason: String) {
        self.status = status
        self.error = error
        self.description = description
        self.reason = reason
    }

    func with(_ change: (inout APIError) -> Void) -> APIError {
        var changed = self
        change(&changed)
        return changed
    }

    /// The answer. Names of ceremony reasons are left out where the tenant hides them.
    func response(hidingReasons: Bool = false) -> HTTPResponse {
        var json = JSONWriter(capacity: 192)
        json.beginObject()
        json.name("error")
        json.string(error)
        json.name("error_description")
        json.string(description)
        if !(hidingReasons && isCeremonyReason) {
            json.name("reason")
            json.string(reason)
        }
        if let ceremony {
            json.name("trace_id")
            json.string(ceremony.text)
        }
        if let unknownCredential { Signals.write(unknownCredential, to: &json) }
        json.endObject()
        return response(body: json.bytes)
    }

    /// The status and headers of the refusal with another body.
    func response(body: [UInt8]) -> HTTPResponse {
        var response = HTTPResponse.json(body, status: status)
        if let retryAfter { response.headers.add("Retry-After", String(retryAfter)) }
        if let challenge { response.headers.add("WWW-Authenticate", challenge) }
        if let ceremony { response.headers.add("X-Ceremony-Id", ceremony.text) }
        return response
    }
}

// MARK: Section 2.2

extension APIError {
    static let invalidJSON = APIError(400, "invalid_request", "The request body is not valid JSON", "invalid_json")
    static let unsupportedMediaType = APIError(
        415,
        "invalid_request",
        "Unsupported content type",
        "unsupported_media_type"
    )
    static let bodyTooLarge = APIError(413, "invalid_request", "The request body is too large", "body_too_large")

    /// Names come from our own tables, or are cut to what an error text may hold.
    static func missing(_ name: String) -> APIError {
        APIError(400, "invalid_request", "Missing required parameter: \(name)", "missing_parameter")
            .with { $0.field = name }
    }

    static func invalid(_ name: String) -> APIError {
        APIError(400, "invalid_request", "Invalid parameter: \(name)", "invalid_parameter")
            .with { $0.field = name }
    }

    static func repeated(_ name: String) -> APIError {
        APIError(400, "invalid_request", "Repeated parameter: \(bounded(name))", "repeated_parameter")
    }

    static let rateLimited = APIError(
        429,
        "too_many_requests",
        "Rate limit exceeded. Please retry after some time.",
        "rate_limited"
    )

    static func accountLocked(retryAfter: Int) -> APIError {
        APIError(
            429,
            "too_many_attempts",
            "Your account has been blocked after multiple consecutive login attempts.",
            "account_locked"
        ).with { $0.retryAfter = retryAfter }
    }

    static func grantNotAllowed(_ grant: GrantType, status: Int) -> APIError {
        APIError(
            status,
            "unauthorized_client",
            "Grant type '\(bounded(grant.rawValue))' not allowed for the client.",
            "grant_not_allowed"
        )
    }

    static let internalError = APIError(500, "server_error", "Internal error", "internal_error")

    static func temporarilyUnavailable(retryAfter: Int) -> APIError {
        APIError(503, "temporarily_unavailable", "A store does not answer", "store_unavailable")
            .with { $0.retryAfter = retryAfter }
    }

    /// What a client typed, as an error text may repeat it: printable ASCII without quotes and backslashes, 100
    /// characters at most.
    static func bounded(_ text: String) -> String {
        let bytes = text.utf8.prefix(100).map { byte -> UInt8 in
            let isPlain = (0x20...0x7E).contains(byte) && byte != 0x22 && byte != 0x5C
            return isPlain ? byte : UInt8(ascii: "?")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// MARK: Section 1

extension APIError {
    static let unknownHost = APIError(404, "not_found", "Unknown host", "unknown_host")
    static let invalidHTTP = APIError(400, "invalid_request", "The request is not valid HTTP", "invalid_http")
    static let notFound = APIError(404, "not_found", "Not found", "not_found")
    static let methodNotAllowed = APIError(405, "invalid_request", "Method not allowed", "method_not_allowed")
    static let httpsRequired = APIError(400, "invalid_request", "HTTPS is required", "https_required")
    static let ambiguousForwarding = APIError(
        400,
        "invalid_request",
        "A forwarding header has two values",
        "invalid_forwarding"
    )
    static let tenantSuspended = APIError(403, "access_denied", "The tenant is suspended", "tenant_suspended")
    static let crossSite = APIError(403, "forbidden", "Origin not allowed", "csrf")
}
