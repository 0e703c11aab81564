public import Identity

/// Makes the tokens of a sign-in, in two steps around the one durable step of the store.
public struct TokenIssuer: Sendable {
    private let keys: KeyRing
    private let random: RandomSource

    public init(keys: KeyRing, random: @escaping RandomSource) {
        self.keys = keys
        self.random = random
    }

    /// Fixes everything: session, claims, refresh token and the keys that will sign. Nothing is stored or signed yet.
    ///
    /// - Throws: `.store` or `.keys`.
    public func prepare(
        _ decision: GrantDecision,
        for authentication: Authentication,
        client: Client,
        in context: RequestContext
    ) async throws(TokenError) -> PreparedTokens {
        fatalError("not yet")
    }

    /// Signs what was prepared, after the store has it: RSA on the pool, both tokens in one hop; others right here.
    ///
    /// - Throws: `.busy` or `.keys`.
    public func sign(_ prepared: PreparedTokens) async throws(TokenError) -> TokenResponse {
        fatalError("not yet")
    }
}

/// Tokens that are decided and not signed. ``session`` and ``refresh`` go into the store's one durable step first.
public struct PreparedTokens: Sendable {
    public let session: Session
    /// The family and its first token, when a refresh token is given.
    public let refresh: NewRefresh?
    /// Scopes of the answer.
    public let scope: [String]
}
