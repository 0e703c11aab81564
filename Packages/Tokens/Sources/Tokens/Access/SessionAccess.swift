public import Identity

/// Who is signed in, by a cookie or a bearer token (HTTP contract 8.4, 12.5, 12.6).
public struct SessionAccess: Sendable {
    private let sessions: any SessionStore
    private let users: any UserStore
    private let verifier: AccessTokenVerifier

    public init(sessions: any SessionStore, users: any UserStore, verifier: AccessTokenVerifier) {
        self.sessions = sessions
        self.users = users
        self.verifier = verifier
    }

    /// What a request carries to say who it is; a bearer token goes before a cookie.
    public enum Proof: Hashable, Sendable {
        /// The cookie's text.
        case cookie(String)
        /// The token after `Bearer `.
        case bearer(String)
    }

    /// A session that holds, and its user, who is not blocked.
    public struct SignedIn: Hashable, Sendable {
        public let session: Session
        public let user: User
        /// The token's claims, when a bearer token was the proof.
        public let claims: AccessTokenClaims?
    }

    /// Looks the session up, and moves its idle end (not more often than once a minute).
    ///
    /// - Throws: `.notSignedIn` for no proof or a cookie that is over, `.invalidToken` for a bearer token that is no
    ///   good or whose session is over, `.store`.
    public func signedIn(_ proof: Proof?, in context: RequestContext) async throws(TokenError) -> SignedIn {
        fatalError("not yet")
    }

    /// Ends the session and revokes its refresh tokens. Without a session that holds nothing happens.
    ///
    /// - Throws: `.store`.
    public func logOut(_ proof: Proof?, in context: RequestContext) async throws(TokenError) {
        fatalError("not yet")
    }

    /// A new cookie: the text that the browser gets, and the hash that the store keeps.
    public static func newCookie(random: RandomSource) -> (text: String, hash: [UInt8]) {
        fatalError("not yet")
    }

    /// The hash by which the store finds a cookie; `nil` when it cannot be one of ours.
    public static func hash(ofCookie text: String) -> [UInt8]? {
        fatalError("not yet")
    }
}
