public import Identity

/// Checks access tokens that this server made (HTTP contract 6.4).
public final class AccessTokenVerifier: Sendable {
    private let keys: KeyRing

    public init(keys: KeyRing) {
        self.keys = keys
    }

    /// The claims of a token that is good at `context` for `audience`.
    ///
    /// - Throws: `.invalidToken`, `.store`.
    public func verify(
        _ token: String,
        for audience: OwnAudience,
        in context: RequestContext
    ) async throws(TokenError) -> AccessTokenClaims {
        fatalError("not yet")
    }
}

/// The server's own APIs that a token can be for.
public enum OwnAudience: Hashable, Sendable {
    /// `BASE/userinfo`.
    case userInfo
    case system(SystemAPI)
}

/// What a verified access token says.
public struct AccessTokenClaims: Hashable, Sendable {
    /// The `sub`.
    public let subject: String
    /// `nil` for a token that speaks for a client.
    public let user: UserID?
    public let client: ClientID
    public let session: SessionID?
    public let scope: [String]
    public let audience: [String]
    public let expiresAt: UnixTime

    /// - Throws: `.insufficientScope` when `scope` was not given.
    public func require(_ scope: String) throws(TokenError) {
        guard self.scope.contains(scope) else { throw .insufficientScope(scope) }
    }
}
