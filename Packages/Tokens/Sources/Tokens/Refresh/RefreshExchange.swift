public import Identity

/// Exchanges a refresh token for new tokens (HTTP contract 7.4).
public struct RefreshExchange: Sendable {
    private let store: any RefreshTokenStore
    private let issuer: TokenIssuer
    private let random: RandomSource

    public init(store: any RefreshTokenStore, issuer: TokenIssuer, random: @escaping RandomSource) {
        self.store = store
        self.issuer = issuer
        self.random = random
    }

    /// One exchange, whole.
    ///
    /// - Parameters:
    ///   - token: the parameter `refresh_token`.
    ///   - audience: the request's parameter; `nil` when absent.
    ///   - scope: the request's parameter, separated by spaces; `nil` when absent.
    ///   - client: the authenticated client, which has the grant.
    ///   - context: where.
    /// - Throws: `.refreshTokenInvalid`, `.refreshTokenUserDeleted`, `.userBlocked`, `.invalidScope`,
    ///   `.audienceNotInPolicy`, `.unknownAudience`, `.clientGrantMissing`, `.store`, `.keys` or `.busy`.
    public func exchange(
        _ token: String,
        audience: String?,
        scope: String?,
        client: Client,
        in context: RequestContext
    ) async throws(TokenError) -> TokenResponse {
        fatalError("not yet")
    }
}
