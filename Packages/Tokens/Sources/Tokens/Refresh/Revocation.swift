public import Identity

/// Revokes a refresh token with its whole family (HTTP contract 5.5, RFC 7009).
public struct Revocation: Sendable {
    private let store: any RefreshTokenStore

    public init(store: any RefreshTokenStore) {
        self.store = store
    }

    /// Revokes `token`. One that is unknown, or revoked already, is no error.
    ///
    /// - Throws: `.foreignToken`, `.unsupportedTokenType` for an access token, `.store`.
    public func revoke(_ token: String, client: Client, in context: RequestContext) async throws(TokenError) {
        fatalError("not yet")
    }
}
