internal import Encodings
public import Identity

/// The user-info endpoint (HTTP contract 5.6; OpenID Connect Core §5.3).
public struct UserInfo: Sendable {
    private let verifier: AccessTokenVerifier
    private let users: any UserStore

    /// - Parameters:
    ///   - verifier: checks bearer tokens.
    ///   - users: where users are kept.
    public init(verifier: AccessTokenVerifier, users: any UserStore) {
        self.verifier = verifier
        self.users = users
    }

    /// What a token opens.
    public struct Answer: Hashable, Sendable {
        /// Whom the token was given to.
        public let client: ClientID
        /// The claims as one JSON object.
        public let body: [UInt8]
    }

    /// The claims about the token's user.
    ///
    /// - Parameters:
    ///   - token: the bearer token; `nil` when there is none.
    ///   - context: where.
    /// - Returns: the claims, and whose token it is.
    /// - Throws: `.notSignedIn` without a token, `.invalidToken`, `.insufficientScope("openid")`, `.store`.
    public func answer(_ token: String?, in context: RequestContext) async throws(TokenError) -> Answer {
        guard let token else { throw .notSignedIn }
        let claims = try await verifier.verify(token, for: .userInfo, in: context)
        try claims.require(Scopes.openID)
        guard let id = claims.user else { throw .invalidToken }
        let user = try await stored { () async throws(StoreError) in try await users.user(id, of: context.tenant) }
        // Deleted or blocked since.
        guard let user, user.blockedAt == nil else { throw .invalidToken }
        var json = JSONWriter()
        json.beginObject()
        json.member("sub", claims.subject)
        UserClaims.write(user, scope: claims.scope, to: &json)
        json.endObject()
        return Answer(client: claims.client, body: json.bytes)
    }
}
