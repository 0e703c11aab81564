import Encodings
import Testing

/// One row of the tables of errors (contract 2.2, 2.3).
struct Refusal: Sendable, CustomTestStringConvertible {
    let status: Int
    let error: String
    let description: String
    let reason: String

    init(_ status: Int, _ error: String, _ description: String, _ reason: String) {
        self.status = status
        self.error = error
        self.description = description
        self.reason = reason
    }

    var testDescription: String { reason }

    static let invalidJSON = Refusal(400, "invalid_request", "The request body is not valid JSON", "invalid_json")
    static let mediaType = Refusal(415, "invalid_request", "Unsupported content type", "unsupported_media_type")
    static let tooLarge = Refusal(413, "invalid_request", "The request body is too large", "body_too_large")
    static func missing(_ name: String) -> Refusal {
        Refusal(400, "invalid_request", "Missing required parameter: \(name)", "missing_parameter")
    }
    static func invalid(_ name: String) -> Refusal {
        Refusal(400, "invalid_request", "Invalid parameter: \(name)", "invalid_parameter")
    }
    static func repeated(_ name: String) -> Refusal {
        Refusal(400, "invalid_request", "Repeated parameter: \(name)", "repeated_parameter")
    }
    static let unknownClient = Refusal(401, "invalid_client", "Unknown client", "unknown_client")
    static let clientAuthentication = Refusal(
        401,
        "invalid_client",
        "Client authentication failed",
        "client_authentication_failed"
    )
    static let twoWays = Refusal(
        400,
        "invalid_request",
        "Multiple client authentication methods",
        "multiple_client_authentication"
    )
    static let session = Refusal(403, "invalid_grant", "Invalid or expired auth_session", "auth_session_invalid")
    static let response = Refusal(400, "invalid_request", "Invalid authn_response", "invalid_authn_response")
    static func verification(_ reason: String) -> Refusal {
        Refusal(403, "invalid_grant", "Passkey verification failed", reason)
    }
    static let unknownPasskey = Refusal(403, "invalid_grant", "Unknown passkey", "unknown_credential")
    static let refreshToken = Refusal(
        403,
        "invalid_grant",
        "Unknown or invalid refresh token.",
        "refresh_token_invalid"
    )
    static let unknownHost = Refusal(404, "not_found", "Unknown host", "unknown_host")
    static let httpsRequired = Refusal(400, "invalid_request", "HTTPS is required", "https_required")
    static let crossSite = Refusal(403, "forbidden", "Origin not allowed", "csrf")
}

/// Expects an answer to be exactly this row: status, members, and what every error has.
///
/// - Parameters:
///   - response: the answer.
///   - refusal: the row.
///   - extra: members beside the three: `trace_id` of a refused ceremony, `verified` in section 12.
///   - sourceLocation: where the expectation stands.
func expect(
    _ response: Response,
    is refusal: Refusal,
    extra: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.status == refusal.status, "\(response)", sourceLocation: sourceLocation)
    #expect(response.string("error") == refusal.error, "\(response)", sourceLocation: sourceLocation)
    #expect(response.string("error_description") == refusal.description, sourceLocation: sourceLocation)
    #expect(response.string("reason") == refusal.reason, sourceLocation: sourceLocation)
    // A key that was made in vain, or that nobody knows, is named so that its manager can forget it.
    let signals = response["signals"]?.object
    #expect(
        response.json.names.subtracting(["signals"]) == Set(["error", "error_description", "reason"]).union(extra),
        "\(response)",
        sourceLocation: sourceLocation
    )
    #expect(signals.map(\.names) ?? ["unknown_credential"] == ["unknown_credential"], sourceLocation: sourceLocation)
    #expect(
        response.header("content-type") == "application/json; charset=utf-8",
        "errors included",
        sourceLocation: sourceLocation
    )
}

/// Expects a refused ceremony, which carries its id.
func expect(
    _ response: Response,
    isCeremony refusal: Refusal,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    expect(response, is: refusal, extra: ["trace_id"], sourceLocation: sourceLocation)
}
