public import Identity

/// What a user's tokens will be good for: the API and the scopes, decided before anything is taken or stored
/// (HTTP contract 5.3, 6.3, 7.1).
public struct GrantDecision: Hashable, Sendable {
    /// As the request named it, or the tenant's default; `nil`: the user-info endpoint alone.
    public let audience: String?
    /// Given scopes, in the order of the request, each once.
    public let scope: [String]
    public let givesIDToken: Bool
    public let givesRefreshToken: Bool
    let server: ResourceServer?

    /// Decides for a user grant. Scopes that the API does not know are dropped.
    ///
    /// - Parameters:
    ///   - audience: the request's parameter; `nil` when absent.
    ///   - scope: the request's parameter, separated by spaces; `nil` when absent.
    ///   - client: who asks.
    ///   - context: where.
    /// - Throws: `.unknownAudience` or `.clientGrantMissing`.
    public static func user(
        audience: String?,
        scope: String?,
        client: Client,
        in context: RequestContext
    ) throws(TokenError) -> GrantDecision {
        fatalError("not yet")
    }
}
