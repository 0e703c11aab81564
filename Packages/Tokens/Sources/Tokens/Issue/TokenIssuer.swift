public import Identity

/// Makes the tokens of a sign-in, in two steps around the one durable step of the store.
public struct TokenIssuer: Sendable {
    private let keys: KeyRing
    private let random: RandomSource

    /// - Parameters:
    ///   - keys: sign.
    ///   - random: gives ids and secrets.
    public init(keys: KeyRing, random: @escaping RandomSource) {
        self.keys = keys
        self.random = random
    }

    /// Fixes everything: session, claims, refresh token and the keys that will sign, so that nothing but the signing
    /// itself is left once the store has it. Nothing is stored or signed yet. `grantType` is the claim `gty`, which some
    /// grants have (HTTP contract 6.2).
    ///
    /// - Throws: `.store`, `.keys`, or `.busy` where a key has to be made.
    public func prepare(
        _ decision: GrantDecision,
        for authentication: Authentication,
        grantType: String? = nil,
        client: Client,
        in context: RequestContext
    ) async throws(TokenError) -> PreparedTokens {
        // One draw for the session's id, the refresh token, whose id is the family's too, and the token's id.
        let bytes = random(68)
        let session = session(authentication, client, random: bytes.prefix(10), in: context)
        var refresh: (new: NewRefresh, text: String)?
        if decision.givesRefreshToken {
            let token = RefreshTokenText(now: context.now, random: bytes.dropFirst(10).prefix(42))
            let family = family(decision, session, client, id: RefreshFamilyID(token.id.id), in: context)
            refresh = (NewRefresh(family: family, secretHash: token.secretHash), token.text)
        }
        return try await prepare(
            decision,
            user: authentication.user,
            session: session,
            refresh: refresh?.new,
            refreshToken: refresh?.text,
            client: client,
            grantType: grantType,
            tokenID: bytes.suffix(16),
            in: context
        )
    }

    /// Prepares an access token more for a session that is there already, and no refresh token.
    ///
    /// - Throws: `.store`, `.keys`, or `.busy` where a key has to be made.
    public func prepare(
        _ decision: GrantDecision,
        of signedIn: SessionAccess.SignedIn,
        client: Client,
        in context: RequestContext
    ) async throws(TokenError) -> PreparedTokens {
        try await prepare(
            decision,
            user: signedIn.user,
            session: signedIn.session,
            refresh: nil,
            refreshToken: nil,
            client: client,
            grantType: nil,
            tokenID: random(16)[...],
            in: context
        )
    }

    /// A session, and nothing else: what a sign-in on the hosted pages gives.
    public func session(
        for authentication: Authentication,
        client: Client,
        in context: RequestContext
    ) -> Session {
        session(authentication, client, random: random(10)[...], in: context)
    }

    /// Prepares the tokens of an authorization code, for the session that it is bound to (HTTP contract 5.4).
    ///
    /// - Throws: `.store`, `.keys`, or `.busy` where a key has to be made.
    func prepare(
        _ decision: GrantDecision,
        of code: AuthorizationCode,
        user: User,
        session: Session,
        client: Client,
        in context: RequestContext
    ) async throws(TokenError) -> PreparedTokens {
        let bytes = random(58)
        var refresh: (new: NewRefresh, text: String)?
        if decision.givesRefreshToken {
            let token = RefreshTokenText(now: context.now, random: bytes.prefix(42))
            let family = family(decision, session, client, id: RefreshFamilyID(token.id.id), in: context)
            refresh = (NewRefresh(family: family, secretHash: token.secretHash), token.text)
        }
        return try await prepare(
            decision,
            user: user,
            session: session,
            refresh: refresh?.new,
            refreshToken: refresh?.text,
            client: client,
            grantType: nil,
            tokenID: bytes.suffix(16),
            code: code,
            in: context
        )
    }

    /// An access token that speaks for the client itself, signed (HTTP contract 5.4): no ID token and no refresh token.
    ///
    /// - Throws: `.store` or `.keys`; `.busy` where a key has to be made, or too many RSA signatures wait.
    public func clientToken(
        _ decision: GrantDecision,
        of client: Client,
        in context: RequestContext
    ) async throws(TokenError) -> TokenResponse {
        let form = AccessTokenForm(decision, in: context)
        let token = UnsignedToken(
            claims: form.claims(
                of: .client,
                scope: decision.scope,
                client: client.id,
                grantType: "client-credentials",
                identifier: random(16)[...],
                in: context
            ),
            type: form.type,
            signer: try await keys.signer(form.algorithm, in: context)
        )
        let text =
            token.signer.isSlow
            ? try await keys.sign { () throws(TokenError) in try token.signed() } : try token.signed()
        return TokenResponse(
            accessToken: text,
            idToken: nil,
            refreshToken: nil,
            scope: decision.scope,
            expiresIn: form.lifetime
        )
    }

    /// Prepares the tokens of a session that is there already.
    ///
    /// - Throws: `.store`, `.keys`, or `.busy` where a key has to be made.
    func prepare(
        _ decision: GrantDecision,
        user: User,
        session: Session,
        refresh: NewRefresh?,
        refreshToken: String?,
        client: Client,
        grantType: String?,
        tokenID: ArraySlice<UInt8>,
        code: AuthorizationCode? = nil,
        in context: RequestContext
    ) async throws(TokenError) -> PreparedTokens {
        let form = AccessTokenForm(decision, in: context)
        let claims = form.claims(
            of: .user(session),
            scope: decision.scope,
            client: client.id,
            grantType: grantType,
            identifier: tokenID,
            code: code?.hash,
            in: context
        )
        let accessSigner = try await keys.signer(form.algorithm, in: context)
        var idToken: UnsignedToken?
        if decision.givesIDToken {
            idToken = UnsignedToken(
                claims: IDToken.claims(
                    user,
                    session,
                    scope: decision.scope,
                    client: client,
                    nonce: code?.nonce,
                    in: context
                ),
                type: "JWT",
                signer: try await keys.signer(client.idTokenAlgorithm, in: context),
                accessTokenHash: code.map { _ in AccessTokenHash(for: client.idTokenAlgorithm) }
            )
        }
        return PreparedTokens(
            session: session,
            refresh: refresh,
            scope: decision.scope,
            refreshToken: refreshToken,
            expiresIn: form.lifetime,
            accessToken: UnsignedToken(claims: claims, type: form.type, signer: accessSigner),
            idToken: idToken
        )
    }

    /// Signs what was prepared, after the store has it: RSA on the pool, both tokens in one hop; others right here.
    ///
    /// - Throws: `.busy` or `.keys`.
    public func sign(_ prepared: PreparedTokens) async throws(TokenError) -> TokenResponse {
        let access = prepared.accessToken
        let accessToken: String
        let idToken: String?
        switch (access.signer.isSlow, prepared.idToken) {
        case (false, nil):
            accessToken = try access.signed()
            idToken = nil
        case (false, let id?) where !id.signer.isSlow:
            accessToken = try access.signed()
            idToken = try id.signed(beside: accessToken)
        case (false, let id?):
            let text = try access.signed()
            accessToken = text
            idToken = try await keys.sign { () throws(TokenError) in try id.signed(beside: text) }
        case (true, let id):
            // An ID token of a fast key goes along: a second hop would cost more than its signature.
            let pair = try await keys.sign { () throws(TokenError) in try SignedPair(access, id) }
            accessToken = pair.accessToken
            idToken = pair.idToken
        }
        return TokenResponse(
            accessToken: accessToken,
            idToken: idToken,
            refreshToken: prepared.refreshToken,
            scope: prepared.scope,
            expiresIn: prepared.expiresIn
        )
    }

    /// Both tokens of an answer.
    private struct SignedPair: Sendable {
        let accessToken: String
        let idToken: String?

        init(_ access: UnsignedToken, _ id: UnsignedToken?) throws(TokenError) {
            accessToken = try access.signed()
            guard let id else {
                idToken = nil
                return
            }
            idToken = try id.signed(beside: accessToken)
        }
    }

    private func session(
        _ authentication: Authentication,
        _ client: Client,
        random: ArraySlice<UInt8>,
        in context: RequestContext
    ) -> Session {
        let end = context.settings.sessionEnd(from: context.now)
        return Session(
            id: SessionID(TimeOrderedID(now: context.now, random: random)),
            tenant: context.tenant,
            user: authentication.user.id,
            client: client.id,
            amr: authentication.amr,
            acr: authentication.acr,
            passkey: authentication.passkey,
            createdAt: context.now,
            authenticatedAt: authentication.at,
            lastInteraction: context.now,
            expiresAt: end,
            idleExpiresAt: context.settings.sessionIdleEnd(from: context.now, end: end),
            device: context.device
        )
    }

    private func family(
        _ decision: GrantDecision,
        _ session: Session,
        _ client: Client,
        id: RefreshFamilyID,
        in context: RequestContext
    ) -> RefreshFamily {
        let settings = client.refreshToken
        let ends = settings.expires && !settings.hasInfiniteLifetime
        return RefreshFamily(
            id: id,
            tenant: context.tenant,
            client: client.id,
            user: session.user,
            session: session.id,
            audience: decision.audience,
            scope: decision.scope,
            rotates: settings.rotates,
            createdAt: context.now,
            expiresAt: ends ? context.now.adding(seconds: settings.lifetime) : nil,
            lastExchangedAt: context.now,
            generation: 0,
            rotatedAt: context.now,
            initialDevice: context.device,
            lastDevice: context.device
        )
    }
}
