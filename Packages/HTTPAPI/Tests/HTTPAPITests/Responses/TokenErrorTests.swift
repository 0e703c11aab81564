import Identity
import Testing
import Tokens

@testable import HTTPAPI

@Suite("2.2, 2.3, 2.6: each refusal of the token service is its row")
struct TokenErrorTests {
    private static let realm = "realm=\"https://login.example.com\""

    static let rows: [(TokenError, Row, challenge: String?)] = [
        (
            .missingParameter("auth_session"),
            Row(400, "invalid_request", "Missing required parameter: auth_session", "missing_parameter"), nil
        ),
        (.unknownClient, Row(401, "invalid_client", "Unknown client", "unknown_client"), nil),
        (
            .clientAuthenticationFailed(usedBasic: false),
            Row(401, "invalid_client", "Client authentication failed", "client_authentication_failed"), nil
        ),
        (
            .clientAuthenticationFailed(usedBasic: true),
            Row(401, "invalid_client", "Client authentication failed", "client_authentication_failed"),
            "Basic \(realm)"
        ),
        (
            .multipleClientAuthentication,
            Row(400, "invalid_request", "Multiple client authentication methods", "multiple_client_authentication"),
            nil
        ),
        (
            .unsupportedGrantType("x\"y"),
            Row(400, "unsupported_grant_type", "Unsupported grant type: x?y", "unsupported_grant_type"), nil
        ),
        (
            .grantNotAllowed(.refreshToken),
            Row(
                403,
                "unauthorized_client",
                "Grant type 'refresh_token' not allowed for the client.",
                "grant_not_allowed"
            ), nil
        ),
        (
            .unknownAudience("https://api/\u{e4}"),
            Row(403, "access_denied", "Service not found: https://api/??", "unknown_audience"), nil
        ),
        (
            .clientGrantMissing(audience: "https://api/"),
            Row(
                403,
                "access_denied",
                "Client is not authorized to access \"https://api/\"."
                    + " You need to create a \"client-grant\" associated to this API.",
                "client_grant_missing"
            ), nil
        ),
        (
            .audienceNotInPolicy,
            Row(
                403,
                "access_denied",
                "The audience is not among the refresh token's policies",
                "audience_not_in_policy"
            ), nil
        ),
        (.invalidScope, Row(400, "invalid_scope", "The requested scope is not allowed", "invalid_scope"), nil),
        (
            .refreshTokenInvalid,
            Row(403, "invalid_grant", "Unknown or invalid refresh token.", "refresh_token_invalid"), nil
        ),
        (
            .refreshTokenUserDeleted,
            Row(
                403,
                "invalid_grant",
                "The refresh_token was generated for a user who doesn't exist anymore.",
                "refresh_token_user_deleted"
            ), nil
        ),
        (.userBlocked, Row(403, "unauthorized", "user is blocked", "user_blocked"), nil),
        (.foreignToken, Row(400, "invalid_grant", "The token was issued to another client", "foreign_token"), nil),
        (
            .unsupportedTokenType,
            Row(400, "unsupported_token_type", "Access tokens cannot be revoked", "unsupported_token_type"), nil
        ),
        (.notSignedIn, Row(401, "invalid_token", "Not signed in", "no_session"), "Bearer \(realm)"),
        (
            .invalidToken,
            Row(401, "invalid_token", "The access token is invalid or has expired", "invalid_token"),
            "Bearer \(realm), error=\"invalid_token\","
                + " error_description=\"The access token is invalid or has expired\""
        ),
        (
            .insufficientScope("openid"),
            Row(403, "insufficient_scope", "The access token lacks a scope", "insufficient_scope"),
            "Bearer \(realm), error=\"insufficient_scope\", scope=\"openid\""
        ),
        (.keys(reason: "secret detail"), Row(500, "server_error", "Internal error", "internal_error"), nil),
        (
            .busy, Row(503, "temporarily_unavailable", "A store does not answer", "store_unavailable"), nil
        ),
    ]

    @Test("Status, words and challenge", arguments: rows)
    func row(_ error: TokenError, _ row: Row, _ challenge: String?) {
        let refusal = APIError(error, base: House.base)
        expect(refusal, is: row)
        #expect(refusal.challenge == challenge)
        let answer = Answer(response: refusal.response())
        #expect(answer.header("www-authenticate") == challenge)
        // Two public clients prefer these members over the standard's.
        #expect(answer["code"] == nil && answer["description"] == nil)
    }

    @Test("Texts are ASCII without quotes and backslashes, and bounded")
    func texts() {
        let hostile = String(repeating: "\u{1F600}\"\\\r\n", count: 5000)
        for error in [
            APIError(TokenError.unsupportedGrantType(hostile), base: House.base),
            APIError(TokenError.unknownAudience(hostile), base: House.base), APIError.repeated(hostile),
        ] {
            #expect(error.description.utf8.count < 200)
            #expect(error.description.utf8.allSatisfy { (0x20...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c })
        }
    }

    static let stores: [(StoreError, status: Int, retryAfter: ClosedRange<Int>?)] = [
        (.busy(reason: "x"), 503, 1...3), (.unavailable(reason: "x"), 503, 1...3),
        (.unknownOutcome(reason: "x"), 503, 1...3), (.full(reason: "x"), 503, 30...30),
        (.readOnly(reason: "x"), 503, 30...30), (.io(reason: "x"), 503, 30...30),
        (.overQuota(reason: "x"), 429, 60...60), (.corrupt(reason: "row 17"), 500, nil),
        (.unique(.identifier), 500, nil), (.constraint(reason: "SELECT"), 500, nil),
    ]

    @Test("A store's trouble is 503 with Retry-After, 429 for a share that is used up, else 500", arguments: stores)
    func store(_ failure: StoreError, _ status: Int, _ retryAfter: ClosedRange<Int>?) {
        let answer = Answer(response: APIError(TokenError.store(failure), base: House.base).response())
        #expect(answer.status == status)
        #expect(APIError(failure).detail == "\(failure)")
        #expect(
            answer.header("retry-after").flatMap(Int.init).map { retryAfter?.contains($0) == true }
                ?? (retryAfter == nil)
        )
        for word in ["row", "SELECT", "identifier"] { #expect(!answer.description.contains(word)) }
    }
}
