public import Identity

/// What a user's tokens will be good for: the API and the scopes, decided before anything is taken or stored
/// (HTTP contract 5.3, 6.3, 7.1).
public struct GrantDecision: Hashable, Sendable {
    /// As the request named it, or the tenant's default; `nil`: the user-info endpoint alone.
    public let audience: String?
    /// Given scopes, in the order of the request, each once.
    public let scope: [String]
    /// The API; `nil` without ``audience``.
    let server: ResourceServer?
    /// Whether the answer has no place for an ID token, so that none is signed.
    var omitsIDToken = false

    public var givesIDToken: Bool { scope.contains(Scopes.openID) && !omitsIDToken }
    public var givesRefreshToken: Bool { scope.contains(Scopes.offlineAccess) }

    /// Decides for a user grant. Scopes that the API does not know are dropped, and so is `offline_access` where no
    /// refresh token may be given.
    ///
    /// - Parameters:
    ///   - audience: the request's parameter; `nil` or empty when absent.
    ///   - scope: the request's parameter, separated by spaces; `nil` or empty when absent.
    ///   - client: who asks.
    ///   - context: where.
    /// - Returns: what the tokens may be given for.
    /// - Throws: `.unknownAudience` or `.clientGrantMissing`.
    public static func user(
        audience: String?,
        scope: String?,
        client: Client,
        in context: RequestContext
    ) throws(TokenError) -> GrantDecision {
        try user(
            audience: audience.nonEmpty ?? context.settings.defaultAudience.nonEmpty,
            scope: Scopes.parse(scope),
            client: client,
            in: context
        )
    }

    /// Decides for the browser API (HTTP contract 12.2), whose answer has an access token for the user-info endpoint and
    /// no ID token: `openid profile email`, and `offline_access` when it is asked for and may be given.
    ///
    /// - Parameters:
    ///   - scope: the request's `scope`, separated by spaces; `nil` or empty when absent.
    ///   - client: who asks.
    ///   - context: where.
    /// - Returns: what the tokens may be given for.
    /// - Throws: nothing that a request can cause.
    public static func session(
        scope: String?,
        client: Client,
        in context: RequestContext
    ) throws(TokenError) -> GrantDecision {
        let asked = [Scopes.openID, "profile", "email"] + Scopes.parse(scope).filter { $0 == Scopes.offlineAccess }
        var decision = try user(audience: nil as String?, scope: asked, client: client, in: context)
        decision.omitsIDToken = true
        return decision
    }

    /// The same without the tenant's default: what a refresh token was given for.
    static func user(
        audience: String?,
        scope: [String],
        client: Client,
        in context: RequestContext
    ) throws(TokenError) -> GrantDecision {
        guard let audience else {
            let given = scope.filter { word in
                Scopes.identity.contains(word) && (word != Scopes.offlineAccess || client.allows(.refreshToken))
            }
            return GrantDecision(audience: nil, scope: given, server: nil)
        }
        guard let server = context.configuration.resourceServer(audience: audience) else {
            throw .unknownAudience(audience)
        }
        guard let granted = context.configuration.scopesForUsers(client, at: server) else {
            throw .clientGrantMissing(audience: audience)
        }
        let given = scope.filter { word in
            if word == Scopes.offlineAccess { return client.allows(.refreshToken) && server.allowOfflineAccess }
            if Scopes.identity.contains(word) { return true }
            return granted.contains { $0.utf8.elementsEqual(word.utf8) }
        }
        return GrantDecision(audience: audience, scope: given, server: server)
    }

    /// Decides for `client_credentials` (HTTP contract 5.4): what the client grant gives, or what is asked of it.
    ///
    /// - Parameters:
    ///   - audience: the request's parameter; `nil` or empty when absent.
    ///   - scope: the request's parameter, separated by spaces; `nil` or empty: all that is granted.
    ///   - client: who asks.
    ///   - context: where.
    /// - Returns: what the token may be given for.
    /// - Throws: `.missingParameter("audience")`, `.unknownAudience`, `.clientGrantMissing` or `.invalidScope`.
    public static func client(
        audience: String?,
        scope: String?,
        client: Client,
        in context: RequestContext
    ) throws(TokenError) -> GrantDecision {
        guard let audience = audience.nonEmpty ?? context.settings.defaultAudience.nonEmpty else {
            throw .missingParameter("audience")
        }
        guard let server = context.configuration.resourceServer(audience: audience) else {
            throw .unknownAudience(audience)
        }
        guard let granted = context.configuration.scopesForItself(client.id, at: server) else {
            throw .clientGrantMissing(audience: audience)
        }
        let asked = Scopes.parse(scope)
        guard asked.allSatisfy({ word in granted.contains { $0.utf8.elementsEqual(word.utf8) } }) else {
            throw .invalidScope
        }
        return GrantDecision(audience: audience, scope: asked.isEmpty ? granted : asked, server: server)
    }

    /// The same decision for fewer scopes.
    func narrowed(to scope: [String]) -> GrantDecision {
        GrantDecision(audience: audience, scope: scope, server: server, omitsIDToken: omitsIDToken)
    }
}
