internal import Cryptography
internal import Encodings
public import Identity

/// Who is signed in, by a cookie or a bearer token (HTTP contract 8.4, 12.5, 12.6).
public struct SessionAccess: Sendable {
    private let sessions: any SessionStore
    private let users: any UserStore
    private let verifier: AccessTokenVerifier

    /// Milliseconds between two moves of a session's idle end: each costs a write.
    private static let touchInterval: Int64 = 60_000

    /// - Parameters:
    ///   - sessions: where sessions are kept.
    ///   - users: where users are kept.
    ///   - verifier: checks bearer tokens.
    public init(sessions: any SessionStore, users: any UserStore, verifier: AccessTokenVerifier) {
        self.sessions = sessions
        self.users = users
        self.verifier = verifier
    }

    /// What a request carries to say who it is.
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
    /// - Parameters:
    ///   - proof: what the request carries.
    ///   - audience: which of the server's own APIs a bearer token must be for.
    ///   - context: where and when.
    /// - Returns: who is signed in.
    /// - Throws: `.notSignedIn` for no proof or a cookie that is over, `.invalidToken` for a bearer token that is no
    ///   good or whose session is over, `.store`.
    public func signedIn(
        _ proof: Proof?,
        for audience: OwnAudience = .userInfo,
        in context: RequestContext
    ) async throws(TokenError) -> SignedIn {
        let refusal: TokenError
        switch proof {
        case nil, .cookie?: refusal = .notSignedIn
        case .bearer?: refusal = .invalidToken
        }
        guard let proof, let (session, claims) = try await session(by: proof, for: audience, in: context),
            let user = try await stored({ () async throws(StoreError) in
                try await users.user(session.user, of: context.tenant)
            }), user.blockedAt == nil
        else { throw refusal }
        if context.now.milliseconds(since: session.lastInteraction) >= Self.touchInterval {
            // Reading goes on while nothing can be written, so a failure here is none of the request.
            try? await sessions.touch(
                session.id,
                of: context.tenant,
                idleExpiresAt: context.settings.sessionIdleEnd(from: context.now, end: session.expiresAt),
                now: context.now
            )
        }
        return SignedIn(session: session, user: user, claims: claims)
    }

    /// Ends the session, and revokes its refresh tokens unless told to leave them. Without a session that holds nothing
    /// happens.
    ///
    /// - Throws: `.store`.
    public func logOut(
        _ proof: Proof?,
        revokingRefreshTokens: Bool = true,
        in context: RequestContext
    ) async throws(TokenError) {
        guard let proof, let (session, claims) = try await session(by: proof, for: .userInfo, in: context) else {
            return
        }
        let event = AuditEvent(
            tenant: context.tenant,
            types: ["slo"],
            at: context.now,
            user: session.user,
            client: claims?.client ?? session.client,
            device: context.device,
            details: ["session_id": .string(session.id.text)]
        )
        try await stored { () async throws(StoreError) in
            try await sessions.end(
                session.id,
                of: context.tenant,
                revokingRefreshTokens: revokingRefreshTokens,
                audit: event
            )
        }
    }

    /// A new cookie: the text that the browser gets, and the hash that the store keeps.
    public static func newCookie(random: RandomSource) -> (text: String, hash: [UInt8]) {
        let bytes = random(32)
        return (Base64URL.encode(bytes), SHA256.hash(bytes))
    }

    /// The hash by which the store finds a cookie; `nil` when it cannot be one of ours.
    public static func hash(ofCookie text: String) -> [UInt8]? {
        guard text.utf8.count == 43, let bytes = try? Base64URL.decode(text), bytes.count == 32 else { return nil }
        return SHA256.hash(bytes)
    }

    /// The session that `proof` names, if it holds.
    private func session(
        by proof: Proof,
        for audience: OwnAudience,
        in context: RequestContext
    ) async throws(TokenError) -> (Session, AccessTokenClaims?)? {
        let found: Session?
        var claims: AccessTokenClaims?
        switch proof {
        case .cookie(let text):
            guard let hash = Self.hash(ofCookie: text) else { return nil }
            found = try await stored { () async throws(StoreError) in
                try await sessions.session(cookieHash: hash, of: context.tenant)
            }
        case .bearer(let token):
            let verified: AccessTokenClaims
            do throws(TokenError) {
                verified = try await verifier.verify(token, for: audience, in: context)
            } catch .invalidToken {
                return nil
            }
            guard let id = verified.session else { return nil }
            claims = verified
            found = try await stored { () async throws(StoreError) in
                try await sessions.session(id, of: context.tenant)
            }
        }
        guard let found, found.isLive(at: context.now), claims == nil || claims?.user == found.user else { return nil }
        return (found, claims)
    }
}
