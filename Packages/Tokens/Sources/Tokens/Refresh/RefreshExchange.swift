internal import Cryptography
internal import Encodings
public import Identity

/// Exchanges a refresh token for new tokens (HTTP contract 7.4).
public struct RefreshExchange: Sendable {
    private let store: any RefreshTokenStore
    private let issuer: TokenIssuer
    private let random: RandomSource
    private let note: @Sendable (AuditEvent) -> Void

    /// - Parameters:
    ///   - store: where families and tokens are kept.
    ///   - issuer: makes the new tokens.
    ///   - random: gives ids and secrets.
    ///   - note: is told of refusals that belong to no transaction; it must not wait.
    public init(
        store: any RefreshTokenStore,
        issuer: TokenIssuer,
        random: @escaping RandomSource,
        note: @escaping @Sendable (AuditEvent) -> Void = { _ in }
    ) {
        self.store = store
        self.issuer = issuer
        self.random = random
        self.note = note
    }

    /// One exchange, whole.
    ///
    /// - Parameters:
    ///   - token: the parameter `refresh_token`.
    ///   - audience: the request's parameter; `nil` or empty when absent.
    ///   - scope: the request's parameter, separated by spaces; `nil` or empty when absent.
    ///   - client: the authenticated client, which has the grant.
    ///   - context: where.
    /// - Returns: the answer, with a new refresh token when the family rotates.
    /// - Throws: `.refreshTokenInvalid`, `.refreshTokenUserDeleted`, `.userBlocked`, `.invalidScope`,
    ///   `.audienceNotInPolicy`, `.unknownAudience`, `.clientGrantMissing`, `.store`, `.keys` or `.busy`.
    public func exchange(
        _ token: String,
        audience: String?,
        scope: String?,
        client: Client,
        in context: RequestContext
    ) async throws(TokenError) -> TokenResponse {
        guard let presented = RefreshTokenText(token) else {
            refuse(nil, client, reason: "malformed", in: context)
            throw .refreshTokenInvalid
        }
        guard
            let grant = try await stored({ () async throws(StoreError) in
                try await store.refreshGrant(presented.id, of: context.tenant)
            }), constantTimeEqual(grant.token.secretHash, presented.secretHash)
        else {
            refuse(nil, client, reason: "unknown", in: context)
            throw .refreshTokenInvalid
        }
        let (user, session) = try holder(of: grant, client, in: context)
        let decision = try Self.decide(grant.family, audience: audience, scope: scope, client: client, in: context)

        // 10 and 32 bytes for the child, 16 for the token's id.
        let bytes = random(58)
        let child = RefreshTokenText(now: context.now, random: bytes.prefix(42))
        // The keys first: what the store has done must not be lost for want of one.
        let prepared = try await issuer.prepare(
            decision,
            user: user,
            session: session,
            refresh: nil,
            refreshToken: grant.family.rotates ? child.text : nil,
            client: client,
            grantType: "refresh_token",
            tokenID: bytes.suffix(16),
            in: context
        )
        try await exchange(grant, session, for: child, client, in: context)
        return try await issuer.sign(prepared)
    }

    /// The user and the session that a token stands for, when all of it still holds.
    private func holder(
        of grant: RefreshGrant,
        _ client: Client,
        in context: RequestContext
    ) throws(TokenError) -> (User, Session) {
        let family = grant.family
        let settings = client.refreshToken
        let idleEnds = settings.expires && !settings.hasInfiniteIdleLifetime
        let fault: String? =
            if !family.client.text.utf8.elementsEqual(client.id.text.utf8) {
                "another client's"
            } else if family.revokedAt != nil {
                "revoked"
            } else if let end = family.expiresAt, end <= context.now {
                "expired"
            } else if idleEnds, family.lastExchangedAt.adding(seconds: settings.idleLifetime) <= context.now {
                "idle for too long"
            } else if grant.session?.revokedAt != nil {
                "its session was revoked"
            } else {
                nil
            }
        if let fault {
            refuse(family, client, reason: fault, in: context)
            throw .refreshTokenInvalid
        }
        guard let user = grant.user else {
            refuse(family, client, reason: "the user was deleted", in: context)
            throw .refreshTokenUserDeleted
        }
        guard user.blockedAt == nil else {
            refuse(family, client, reason: "the user is blocked", in: context)
            throw .userBlocked
        }
        return (user, grant.session ?? Self.remains(of: family))
    }

    /// The session of a family that has outlived it: who revokes one revokes its families, so a row that is gone only
    /// came to its end in time. When it began is known; how, is not.
    private static func remains(of family: RefreshFamily) -> Session {
        Session(
            id: family.session,
            tenant: family.tenant,
            user: family.user,
            client: family.client,
            amr: [],
            acr: nil,
            passkey: nil,
            createdAt: family.createdAt,
            authenticatedAt: family.createdAt,
            lastInteraction: family.lastExchangedAt,
            expiresAt: family.createdAt,
            idleExpiresAt: family.createdAt,
            device: family.initialDevice
        )
    }

    /// What this answer is good for: at most what the family is, or what a policy of the client names.
    private static func decide(
        _ family: RefreshFamily,
        audience: String?,
        scope: String?,
        client: Client,
        in context: RequestContext
    ) throws(TokenError) -> GrantDecision {
        let requested = Scopes.parse(scope)
        let original = Set(family.scope)
        if let audience = audience.nonEmpty, !isSame(audience, family.audience, in: context) {
            let policies = client.refreshToken.policies ?? []
            guard let policy = policies.first(where: { isSame(audience, $0.audience, in: context) }) else {
                throw .audienceNotInPolicy
            }
            var allowed = policy.scope
            if original.contains(Scopes.openID) { allowed.append(Scopes.openID) }
            let wanted = requested.isEmpty ? policy.scope : requested.filter(allowed.contains)
            return try GrantDecision.user(audience: audience, scope: wanted, client: client, in: context)
        }
        guard requested.allSatisfy(original.contains) else { throw .invalidScope }
        let wanted = requested.isEmpty ? family.scope : requested
        return try GrantDecision.user(audience: family.audience, scope: wanted, client: client, in: context)
    }

    /// Whether two audiences mean one API: the same text, or the same system API by another of the tenant's domains.
    private static func isSame(_ one: String, _ other: String?, in context: RequestContext) -> Bool {
        guard let other else { return false }
        if one.utf8.elementsEqual(other.utf8) { return true }
        guard let system = context.configuration.resourceServer(audience: one)?.system else { return false }
        return context.configuration.resourceServer(audience: other)?.system == system
            || other.utf8.elementsEqual(system.rawValue.utf8)
    }

    private func exchange(
        _ grant: RefreshGrant,
        _ session: Session,
        for child: RefreshTokenText,
        _ client: Client,
        in context: RequestContext
    ) async throws(TokenError) {
        let family = grant.family
        let (leeway, isTooLong) = client.refreshToken.leeway.multipliedReportingOverflow(by: 1000)
        let rotation = RefreshRotation(
            tenant: context.tenant,
            family: family.id,
            generation: grant.token.generation,
            child: child.id,
            childSecretHash: child.secretHash,
            leewayMilliseconds: isTooLong ? .max : leeway,
            session: session.id,
            idleExpiresAt: context.settings.sessionIdleEnd(from: context.now, end: session.expiresAt),
            now: context.now,
            device: context.device
        )
        let exchanged = event("sertft", family, client, in: context)
        guard family.rotates else {
            let holds = try await stored { () async throws(StoreError) in
                try await store.touch(rotation, exchanged: exchanged)
            }
            guard holds else { throw .refreshTokenInvalid }
            return
        }
        let outcome = try await stored { () async throws(StoreError) in
            try await store.rotate(
                rotation,
                exchanged: exchanged,
                reused: event("ferrt", family, client, in: context)
            )
        }
        switch outcome {
        case .rotated: return
        case .tooManySiblings: refuse(family, client, reason: "the generation has its ten tokens", in: context)
        case .revoked: refuse(family, client, reason: "revoked", in: context)
        case .reuse: break  // The store wrote it down with the revocation.
        }
        throw .refreshTokenInvalid
    }

    private func refuse(_ family: RefreshFamily?, _ client: Client, reason: String, in context: RequestContext) {
        note(event("fertft", family, client, reason: reason, in: context))
    }

    private func event(
        _ type: String,
        _ family: RefreshFamily?,
        _ client: Client,
        reason: String? = nil,
        in context: RequestContext
    ) -> AuditEvent {
        var details = JSONObject()
        if let family { details["family_id"] = .string(family.id.id.base62) }
        if let reason { details["reason"] = .string(reason) }
        return AuditEvent(
            tenant: context.tenant,
            types: [type],
            at: context.now,
            user: family?.user,
            client: client.id,
            device: context.device,
            details: details
        )
    }
}
