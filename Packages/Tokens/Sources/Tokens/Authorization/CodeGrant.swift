internal import Cryptography
internal import Encodings
public import Identity

/// Gives authorization codes, and exchanges them for tokens (HTTP contract 5.4, 8.1; RFC 6749 §4.1, RFC 7636).
public struct CodeGrant: Sendable {
    private let codes: any AuthorizationCodeStore
    private let sessions: any SessionStore
    private let users: any UserStore
    private let issuer: TokenIssuer
    private let random: RandomSource
    private let note: @Sendable (AuditEvent) -> Void

    /// Seconds that a code is good for.
    private static let lifetime: Int64 = 60

    /// - Parameters:
    ///   - codes: where codes are kept.
    ///   - sessions: where sessions are kept.
    ///   - users: where users are kept.
    ///   - issuer: makes the tokens.
    ///   - random: gives codes.
    ///   - note: is told of refusals that belong to no transaction; it must not wait.
    public init(
        codes: any AuthorizationCodeStore,
        sessions: any SessionStore,
        users: any UserStore,
        issuer: TokenIssuer,
        random: @escaping RandomSource,
        note: @escaping @Sendable (AuditEvent) -> Void
    ) {
        self.codes = codes
        self.sessions = sessions
        self.users = users
        self.issuer = issuer
        self.random = random
        self.note = note
    }

    /// Makes the code of a sign-in.
    ///
    /// - Parameters:
    ///   - transaction: what was asked for.
    ///   - session: the session that it was found good enough for.
    ///   - context: where and when.
    /// - Returns: 32 random bytes in base64url.
    /// - Throws: `.store`.
    public func newCode(
        for transaction: AuthorizationTransaction,
        session: Session,
        in context: RequestContext
    ) async throws(TokenError) -> String {
        let secret = random(32)
        let code = AuthorizationCode(
            tenant: context.tenant,
            hash: SHA256.hash(secret),
            client: transaction.client,
            user: session.user,
            session: session.id,
            redirectURI: transaction.redirectURI,
            challenge: transaction.challenge,
            nonce: transaction.nonce,
            scope: Scopes.parse(transaction.scope),
            audience: transaction.audience ?? context.settings.defaultAudience.nonEmpty,
            createdAt: context.now,
            expiresAt: context.now.adding(seconds: Self.lifetime)
        )
        try await stored { () async throws(StoreError) in try await codes.add(code) }
        return Base64URL.encode(secret)
    }

    /// What the token endpoint is told.
    public struct Presented: Sendable {
        let code: String
        let redirectURI: String?
        let verifier: String?

        public init(code: String, redirectURI: String?, verifier: String?) {
            self.code = code
            self.redirectURI = redirectURI
            self.verifier = verifier
        }
    }

    /// What an exchange gives.
    public struct Exchanged: Sendable {
        public let tokens: TokenResponse
        public let user: User
        public let session: Session
    }

    /// Exchanges a code, once: the first request of the right client takes it, whatever comes of it. A second one revokes
    /// what the first was given.
    ///
    /// - Parameters:
    ///   - presented: the request's parameters.
    ///   - client: the authenticated client, which has the grant.
    ///   - context: where and when.
    /// - Returns: the tokens, and whose they are.
    /// - Throws: `.codeInvalid`, `.redirectMismatch`, `.challengeFailed`, `.userBlocked`, `.unknownAudience`,
    ///   `.clientGrantMissing`, `.store`, `.keys` or `.busy`.
    public func exchange(
        _ presented: Presented,
        client: Client,
        in context: RequestContext
    ) async throws(TokenError) -> Exchanged {
        let code = try await take(presented.code, client, context)
        do throws(TokenError) {
            try Self.check(presented, code)
            return try await exchange(code, client, context)
        } catch {
            if let reason = error.codeFault { note(event("feacft", code.user, client, reason: reason, in: context)) }
            throw error
        }
    }

    private func take(
        _ text: String,
        _ client: Client,
        _ context: RequestContext
    ) async throws(TokenError) -> AuthorizationCode {
        guard text.utf8.count == 43, let secret = try? Base64URL.decode(text), secret.count == 32 else {
            note(event("feacft", nil, client, reason: "malformed", in: context))
            throw .codeInvalid
        }
        let taking = try await stored { () async throws(StoreError) in
            try await codes.takeCode(
                hash: SHA256.hash(secret),
                of: client.id,
                tenant: context.tenant,
                now: context.now,
                replayed: event("feacft", nil, client, reason: "replayed", in: context)
            )
        }
        switch taking {
        case .taken(let code): return code
        case .replayed: throw .codeInvalid
        case .unknown:
            note(event("feacft", nil, client, reason: "unknown", in: context))
            throw .codeInvalid
        }
    }

    /// The redirect URI, byte for byte, and the verifier of the challenge. A verifier without a challenge is refused: the
    /// request that began this sign-in was not the client's own (RFC 9700 §4.8.2).
    private static func check(_ presented: Presented, _ code: AuthorizationCode) throws(TokenError) {
        guard let redirectURI = presented.redirectURI, redirectURI.utf8.elementsEqual(code.redirectURI.utf8) else {
            throw .redirectMismatch
        }
        switch (code.challenge, presented.verifier) {
        case (nil, nil): return
        case (let challenge?, let verifier?):
            let bytes = Array(verifier.utf8)
            guard (43...128).contains(bytes.count), bytes.allSatisfy(CallbackURL.isUnreserved),
                constantTimeEqual(Array(Base64URL.encode(SHA256.hash(bytes)).utf8), Array(challenge.utf8))
            else { throw .challengeFailed }
        case (nil, _?), (_?, nil): throw .challengeFailed
        }
    }

    private func exchange(
        _ code: AuthorizationCode,
        _ client: Client,
        _ context: RequestContext
    ) async throws(TokenError) -> Exchanged {
        let session = try await stored { () async throws(StoreError) in
            try await sessions.session(code.session, of: context.tenant)
        }
        let user = try await stored { () async throws(StoreError) in
            try await users.user(code.user, of: context.tenant)
        }
        // Signed out, or deleted, since.
        guard var session, session.isLive(at: context.now), let user else { throw .codeInvalid }
        guard user.blockedAt == nil else { throw .userBlocked }
        session.idleExpiresAt = context.settings.sessionIdleEnd(from: context.now, end: session.expiresAt)
        let decision = try GrantDecision.user(
            audience: code.audience,
            scope: code.scope,
            client: client,
            in: context
        )
        let prepared = try await issuer.prepare(
            decision,
            of: code,
            user: user,
            session: session,
            client: client,
            in: context
        )
        let held = session
        let isDone = try await stored { () async throws(StoreError) in
            try await codes.finish(
                code,
                refresh: prepared.refresh,
                session: held,
                audit: event("seacft", user.id, client, reason: nil, in: context)
            )
        }
        guard isDone else { throw .codeInvalid }
        return Exchanged(tokens: try await issuer.sign(prepared), user: user, session: session)
    }

    private func event(
        _ type: String,
        _ user: UserID?,
        _ client: Client,
        reason: String?,
        in context: RequestContext
    ) -> AuditEvent {
        var details = JSONObject()
        if let reason { details.set("reason", .string(reason)) }
        return AuditEvent(
            tenant: context.tenant,
            types: [type],
            at: context.now,
            user: user,
            client: client.id,
            device: context.device,
            details: details
        )
    }
}

extension TokenError {
    /// What the log says of a code that was taken in vain; `nil` for what is no fault of the request.
    fileprivate var codeFault: String? {
        switch self {
        case .codeInvalid: "session over"
        case .redirectMismatch: "redirect_uri_mismatch"
        case .challengeFailed: "pkce_failed"
        case .userBlocked: "user_blocked"
        default: nil
        }
    }
}
