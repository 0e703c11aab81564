public import Identity

/// Lets users' apps into the My Account API (HTTP contract 10): with a token for it, of a session that holds.
public struct MyAccountAccess: Sendable {
    private let sessions: SessionAccess

    /// - Parameter sessions: looks sessions up.
    public init(sessions: SessionAccess) {
        self.sessions = sessions
    }

    /// A user who may look after their own account, by the app that asks for them.
    public struct Caller: Hashable, Sendable {
        public let user: User
        public let session: Session
        public let client: Client
        /// Scopes of the token that its client may still have.
        public let scope: Set<String>

        /// Lets a call through that needs `scope`.
        ///
        /// - Throws: `.insufficientScope`.
        public func require(_ scope: String) throws(TokenError) {
            guard self.scope.contains(scope) else { throw .insufficientScope(scope) }
        }
    }

    /// Who calls. A token of a client that is gone, or that may no longer have one, is refused at once; a scope that was
    /// taken out of its client grant is not counted any more.
    ///
    /// - Parameters:
    ///   - token: what came after `Bearer `; `nil` when there was none.
    ///   - context: where and when.
    /// - Returns: the caller.
    /// - Throws: `.notSignedIn` without a token, `.invalidToken`, `.store`.
    public func caller(_ token: String?, in context: RequestContext) async throws(TokenError) -> Caller {
        guard let token else { throw .notSignedIn }
        let signedIn = try await sessions.signedIn(.bearer(token), for: .system(.myAccount), in: context)
        let configuration = context.configuration
        guard let claims = signedIn.claims, let client = configuration.clients[claims.client],
            let server = configuration.resourceServer(identifier: SystemAPI.myAccount.rawValue),
            let granted = configuration.scopesForUsers(client, at: server)
        else { throw .invalidToken }
        return Caller(
            user: signedIn.user,
            session: signedIn.session,
            client: client,
            scope: Set(claims.scope).intersection(granted)
        )
    }
}
