import Identity
import Tokens

extension APIError {
    /// The row of the contract for a refusal of the token service.
    ///
    /// - Parameters:
    ///   - error: the refusal.
    ///   - base: the base of the request's domain, for challenges.
    init(_ error: TokenError, base: String) {
        switch error {
        case .missingParameter(let name):
            self = .missing(name)
        case .unknownClient:
            self.init(401, "invalid_client", "Unknown client", "unknown_client")
        case .clientAuthenticationFailed(let usedBasic):
            self.init(401, "invalid_client", "Client authentication failed", "client_authentication_failed")
            if usedBasic { challenge = "Basic realm=\"\(base)\"" }
        case .multipleClientAuthentication:
            self.init(
                400,
                "invalid_request",
                "Multiple client authentication methods",
                "multiple_client_authentication"
            )
        case .unsupportedGrantType(let name):
            self.init(
                400,
                "unsupported_grant_type",
                "Unsupported grant type: \(APIError.bounded(name))",
                "unsupported_grant_type"
            )
        case .grantNotAllowed(let grant):
            self = .grantNotAllowed(grant, status: 403)
        case .unknownAudience(let audience):
            self.init(403, "access_denied", "Service not found: \(APIError.bounded(audience))", "unknown_audience")
        case .clientGrantMissing(let audience):
            // The one text with quotes: clients know it so.
            self.init(
                403,
                "access_denied",
                "Client is not authorized to access \"\(APIError.bounded(audience))\"."
                    + " You need to create a \"client-grant\" associated to this API.",
                "client_grant_missing"
            )
        case .audienceNotInPolicy:
            self.init(
                403,
                "access_denied",
                "The audience is not among the refresh token's policies",
                "audience_not_in_policy"
            )
        case .invalidScope:
            self.init(400, "invalid_scope", "The requested scope is not allowed", "invalid_scope")
        case .refreshTokenInvalid:
            self.init(403, "invalid_grant", "Unknown or invalid refresh token.", "refresh_token_invalid")
        case .refreshTokenUserDeleted:
            self.init(
                403,
                "invalid_grant",
                "The refresh_token was generated for a user who doesn't exist anymore.",
                "refresh_token_user_deleted"
            )
        case .userBlocked:
            self.init(403, "unauthorized", "user is blocked", "user_blocked")
        case .codeInvalid:
            self.init(403, "invalid_grant", "Invalid authorization code", "code_invalid")
        case .redirectMismatch:
            self.init(403, "invalid_grant", "The redirect_uri does not match", "redirect_uri_mismatch")
        case .challengeFailed:
            self.init(403, "invalid_grant", "Failed to verify code verifier", "pkce_failed")
        case .foreignToken:
            self.init(400, "invalid_grant", "The token was issued to another client", "foreign_token")
        case .unsupportedTokenType:
            self.init(400, "unsupported_token_type", "Access tokens cannot be revoked", "unsupported_token_type")
        case .notSignedIn:
            self.init(401, "invalid_token", "Not signed in", "no_session")
            challenge = "Bearer realm=\"\(base)\""
        case .invalidToken, .expiredToken:
            self.init(401, "invalid_token", "The access token is invalid or has expired", "invalid_token")
            challenge =
                "Bearer realm=\"\(base)\", error=\"invalid_token\","
                + " error_description=\"The access token is invalid or has expired\""
        case .insufficientScope(let scope):
            self.init(403, "insufficient_scope", "The access token lacks a scope", "insufficient_scope")
            challenge = "Bearer realm=\"\(base)\", error=\"insufficient_scope\", scope=\"\(scope)\""
        case .store(let failure):
            self.init(failure)
        case .keys(let reason):
            self = .internalError.with { $0.detail = reason }
        case .busy:
            self = .temporarilyUnavailable(retryAfter: 1)
        }
    }

    /// What a client is told of a store's trouble (design: failure rules).
    init(_ error: StoreError) {
        switch error {
        case .busy, .unavailable, .unknownOutcome:
            self = .temporarilyUnavailable(retryAfter: Int.random(in: 1...3))
        case .full, .readOnly, .io:
            self = .temporarilyUnavailable(retryAfter: 30)
        case .overQuota:
            self = .rateLimited.with { $0.retryAfter = 60 }
        case .corrupt, .unique, .constraint:
            self = .internalError
        }
        detail = "\(error)"
    }
}
