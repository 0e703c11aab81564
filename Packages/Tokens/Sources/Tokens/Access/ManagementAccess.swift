public import Identity

/// Lets callers of the Management API in (HTTP contract 11.1): clients with a token for themselves.
public struct ManagementAccess: Sendable {
    private let verifier: AccessTokenVerifier

    /// - Parameter verifier: checks the tokens.
    public init(verifier: AccessTokenVerifier) {
        self.verifier = verifier
    }

    /// A client that may call, and for what.
    public struct Caller: Hashable, Sendable {
        public let client: Client
        /// Scopes of the token that its client grant still gives.
        public let scope: Set<String>
    }

    /// Who calls. A token of a client that is gone, or that no longer has a client grant, is refused at once; a scope
    /// that was taken out of the grant is not counted any more.
    ///
    /// - Parameters:
    ///   - token: what came after `Bearer `; `nil` when there was none.
    ///   - context: where and when.
    /// - Returns: the caller.
    /// - Throws: `.notSignedIn` without a token, `.invalidToken`, `.expiredToken`, `.store`.
    public func caller(_ token: String?, in context: RequestContext) async throws(TokenError) -> Caller {
        guard let token else { throw .notSignedIn }
        let claims = try await verifier.verify(token, for: .system(.management), in: context, expired: .expiredToken)
        let configuration = context.configuration
        // A user's token, whatever it was given for, manages nothing.
        guard claims.user == nil, claims.subject.utf8.elementsEqual((claims.client.text + "@clients").utf8),
            let client = configuration.clients[claims.client],
            let server = configuration.resourceServer(identifier: SystemAPI.management.rawValue),
            let granted = configuration.scopesForItself(client.id, at: server)
        else { throw .invalidToken }
        return Caller(client: client, scope: Set(claims.scope).intersection(granted))
    }
}
