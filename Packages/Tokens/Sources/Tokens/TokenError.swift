public import Identity

/// Why no token was given, or none was taken: each case is a row of the HTTP contract, section 2.2, 2.3 or 2.6.
public enum TokenError: Error, Hashable, Sendable {
    // Section 2.2.
    case missingParameter(String)
    case unknownClient
    /// `usedBasic`: the answer carries `WWW-Authenticate: Basic` (RFC 6749 §5.2).
    case clientAuthenticationFailed(usedBasic: Bool)
    case multipleClientAuthentication
    /// The name of the grant type.
    case unsupportedGrantType(String)
    case grantNotAllowed(GrantType)

    // Section 2.3.
    case unknownAudience(String)
    case clientGrantMissing(audience: String)
    case audienceNotInPolicy
    case invalidScope
    case refreshTokenInvalid
    case refreshTokenUserDeleted
    case userBlocked
    /// Unknown, used, expired or another client's.
    case codeInvalid
    /// The `redirect_uri` is not that of the authorization request.
    case redirectMismatch
    /// The PKCE verifier is wrong or missing, or came without a challenge.
    case challengeFailed

    // Section 5.5.
    /// A token that was given to another client.
    case foreignToken
    case unsupportedTokenType

    // Sections 2.6 and 12.5.
    /// No token and no session at all.
    case notSignedIn
    /// Bad, expired, revoked, or for another API.
    case invalidToken
    /// It was good, and is over; said by the Management API alone.
    case expiredToken
    /// The token lacks this scope.
    case insufficientScope(String)

    // A dependency.
    case store(StoreError)
    /// A key that should be there is not, or cannot sign; `reason` is for the operator's log.
    case keys(reason: String)
    /// More signatures wait than the pool takes; nothing was done.
    case busy
}

/// Runs what asks a store, and turns its error into one of this package.
func stored<Value>(_ body: () async throws(StoreError) -> Value) async throws(TokenError) -> Value {
    do throws(StoreError) {
        return try await body()
    } catch {
        throw .store(error)
    }
}
