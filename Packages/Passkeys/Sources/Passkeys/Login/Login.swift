public import Encodings
public import Identity
public import WebAuthn

/// Signs a user in with a passkey (HTTP contract 5.2, 5.3, 12.3, 12.4).
public struct Login: Sendable {
    let ceremonies: Ceremonies

    public init(_ ceremonies: Ceremonies) {
        self.ceremonies = ceremonies
    }

    /// Begins a ceremony. What it answers says nothing about any user.
    ///
    /// - Parameters:
    ///   - username: whom section 12.3 names, as typed; `nil`: the authenticator says who it is.
    ///   - conditional: whether the page waits in autofill, so that the ceremony lives for 15 minutes.
    ///   - relyingPartyID: the current RP ID of the domain, or a legacy one whose passkeys still sign in; `nil`: the
    ///     current one.
    ///   - surface: the interface that asks.
    ///   - realm: the request's `realm` or `connection`.
    ///   - client: the client that asks.
    ///   - context: where.
    /// - Returns: what to send.
    /// - Throws: what ``PasskeyError`` lists before a ceremony, in the contract's order.
    public func begin(
        username: String? = nil,
        conditional: Bool = false,
        relyingPartyID: String? = nil,
        at surface: CeremonySurface,
        realm: String?,
        client: Client,
        in context: RequestContext
    ) async throws(PasskeyError) -> Begun<RequestOptions> {
        try context.checkMayUsePasskeys(client, at: surface)
        guard context.domain.serves(relyingPartyID ?? context.domain.relyingPartyID) else {
            throw .unknownRelyingPartyID
        }
        let connection = try context.directory(realm: realm, for: client)
        try context.checkSwitches(connection, at: surface)

        var named = PendingCeremony.NamedUser.nobody
        var allowed: [CredentialDescriptor]?
        if let username {
            let (user, list) = try await find(username, under: relyingPartyID, in: connection, context)
            named = user
            allowed = context.settings.listAllowCredentials ? list : []
        }
        let composer = CeremonyOptions(
            surface: surface,
            client: client,
            connection: connection,
            context: context,
            legacyRelyingPartyID: relyingPartyID
        )
        let beginning = ceremonies.beginning(composer, conditional: conditional)
        let issued = composer.authentication(challenge: beginning.challenge, allowing: allowed)
        return try await ceremonies.begin(
            beginning,
            .login(issued, surface, named: named),
            options: composer.request(challenge: beginning.challenge, allowing: allowed),
            for: client,
            connection: connection,
            in: context
        )
    }

    /// Whom a name means, and the list to send. A name that nobody has costs the same reads.
    private func find(
        _ username: String,
        under relyingPartyID: String?,
        in connection: Connection,
        _ context: RequestContext
    ) async throws(PasskeyError) -> (PendingCeremony.NamedUser, [CredentialDescriptor]) {
        let identifier = CanonicalIdentifier.any(username, usernameLength: connection.options.usernameLength)
        // What is no name at all is looked for too, and found nowhere.
        let wanted =
            identifier ?? UserIdentifier(kind: .username, canonical: "", entered: "", isVerified: false)
        let user = try await stored { () async throws(StoreError) in
            try await ceremonies.users.user(with: wanted, in: connection.id, of: context.tenant)
        }
        let rpID = relyingPartyID ?? context.domain.relyingPartyID
        let usable = try await stored { () async throws(StoreError) in
            try await ceremonies.credentials.descriptors(
                of: user ?? UserID(now: context.now, random: ceremonies.random(8)),
                relyingPartyID: rpID,
                tenant: context.tenant,
                limit: 64
            )
        }
        let decoys = ceremonies.decoys.list(
            for: identifier?.canonical ?? username,
            in: connection,
            relyingPartyID: rpID
        )
        guard let user, !usable.isEmpty else { return (.unknown, decoys) }
        return (.user(user), usable)
    }

    /// A sign-in that was taken and waits for its verification.
    public struct Pending: Sendable {
        let ceremony: PendingCeremony
        let connection: Connection
        let issued: IssuedAuthentication
        let named: PendingCeremony.NamedUser

        public var id: CeremonyID { ceremony.id }
    }

    /// A user who proved a passkey; nothing is stored yet.
    public struct Verified: Sendable {
        public let user: User
        public let passkey: Passkey
        public let authentication: Authentication
        let number: PasskeyNumber
        let assertion: VerifiedAssertion
        let initializesUserVerification: Bool
        let pending: Pending
        let details: JSONObject

        fileprivate init(
            _ candidate: LoginCandidate,
            _ authentication: Authentication,
            number: PasskeyNumber,
            assertion: VerifiedAssertion,
            initializesUserVerification: Bool,
            pending: Pending,
            details: JSONObject
        ) {
            user = candidate.user
            passkey = candidate.passkey
            self.authentication = authentication
            self.number = number
            self.assertion = assertion
            self.initializesUserVerification = initializesUserVerification
            self.pending = pending
            self.details = details
        }
    }

    /// Verifies the answer (WebAuthn L3 §7.2).
    ///
    /// - Parameters:
    ///   - response: the `AuthenticationResponseJSON`.
    ///   - form: how strictly it is read.
    ///   - pending: what was taken.
    ///   - session: the session that the same browser or app is in already, if any: a proof in it may let the UV of a
    ///     passkey count from now on (contract 4.5).
    ///   - context: where.
    /// - Returns: the proof.
    /// - Throws: `.refused`, `.store`.
    public func verify(
        _ response: JSONObject,
        as form: ResponseForm = .interoperable,
        answering pending: Pending,
        alongside session: Session? = nil,
        in context: RequestContext
    ) async throws(PasskeyError) -> Verified {
        let outcome = CeremonyOutcome(ceremony: pending.ceremony, purpose: .login, context: context)
        let (checked, details) = try check(response, as: form, pending, outcome)
        let found = try await stored { () async throws(StoreError) in
            try await ceremonies.credentials.candidate(
                credentialID: checked.credentialID,
                relyingPartyID: pending.issued.rpID,
                tenant: context.tenant
            )
        }
        guard let candidate = found else { throw try await unknown(checked, pending, outcome, details) }
        guard Self.mayAnswer(candidate, pending) else {
            throw refuseAsWrongSignature(checked, checking: candidate.passkey.record, outcome, details)
        }
        let assertion = try await verify(checked, candidate, pending, outcome, details)
        try checkState(candidate, outcome, details)

        let policy = pending.connection.options.passkey
        let record = candidate.passkey.record
        let initializes = UserVerificationProof.holds(
            for: candidate.passkey,
            verified: assertion.userVerified,
            policy,
            alongside: session,
            now: context.now
        )
        if !record.uvInitialized, !initializes, policy.unprovenUserVerificationLogin == .refuse {
            throw ceremonies.refuse(
                CeremonyError(
                    .userVerificationUnproven,
                    step: "",
                    expected: "a passkey whose user verification was proven",
                    got: "uvInitialized false",
                    policy: .unprovenUserVerificationLogin
                ),
                outcome,
                user: candidate.user.id,
                details: details
            )
        }
        guard let number = candidate.passkey.number else {
            throw .store(.corrupt(reason: "a stored passkey has no number"))
        }
        let methods = AuthenticationMethods(
            record,
            userPresent: assertion.userPresent,
            isFactor: assertion.userVerified && record.uvInitialized
        )
        let authentication = Authentication(
            user: candidate.user,
            amr: methods.amr,
            acr: methods.acr,
            passkey: number,
            at: context.now
        )
        return Verified(
            candidate,
            authentication,
            number: number,
            assertion: assertion,
            initializesUserVerification: initializes,
            pending: pending,
            details: details
        )
    }

    /// Stores counter, session and tokens in one durable step, or nothing.
    ///
    /// - Parameters:
    ///   - verified: the proof.
    ///   - session: the new session.
    ///   - refresh: the refresh-token family, if there is one.
    ///   - cookieHash: SHA-256 of the browser's new cookie.
    ///   - replacedCookieHash: SHA-256 of the cookie that is dead from now on.
    ///   - context: where.
    /// - Throws: `.refused` with `counter_regression` when another sign-in with the same counter was faster, or with
    ///   `user_blocked` when the user was blocked since; `.store`.
    public func store(
        _ verified: Verified,
        session: Session,
        refresh: NewRefresh?,
        cookieHash: [UInt8]? = nil,
        replacedCookieHash: [UInt8]? = nil,
        in context: RequestContext
    ) async throws(PasskeyError) {
        let outcome = CeremonyOutcome(ceremony: verified.pending.ceremony, purpose: .login, context: context)
        let assertion = verified.assertion
        let amr = verified.authentication.amr
        var event: JSONObject = [
            "prompts": [
                [
                    "name": "passkey",
                    "performed_amr": .array(amr.map(JSONValue.string)),
                    "performed_acr": .array(verified.authentication.acr.map { [.string($0)] } ?? []),
                ]
            ],
            "ceremony_id": .string(outcome.ceremony.id.text),
        ]
        if assertion.counterRegressed { event["counter_regressed"] = true }
        if assertion.backupStateChanged { event["backup_state_changed"] = .bool(assertion.backupState) }
        let (record, audit) = outcome.accepted(verified.user.id, details: verified.details, event: event)
        let use = verified.use(in: context)
        let effect = LoginEffect(
            session: session,
            cookieHash: cookieHash,
            replacedCookieHash: replacedCookieHash,
            refresh: refresh,
            ceremony: record,
            audit: audit
        )
        let isDone = try await stored { () async throws(StoreError) in
            try await ceremonies.credentials.finishLogin(use, login: effect)
        }
        guard isDone else { throw try await overtaken(verified, outcome) }
    }

    /// Stores what a sign-in changes in the passkey, and signs nobody in.
    ///
    /// - Throws: as ``store(_:session:refresh:cookieHash:replacedCookieHash:in:)``.
    func record(
        _ verified: Verified,
        _ outcome: CeremonyOutcome,
        in context: RequestContext
    ) async throws(PasskeyError) {
        let (record, audit) = outcome.accepted(
            verified.user.id,
            details: verified.details,
            event: ["ceremony_id": .string(outcome.ceremony.id.text), "conformance": true]
        )
        let isDone = try await stored { () async throws(StoreError) in
            try await ceremonies.credentials.record(
                verified.use(in: context),
                of: verified.user.id,
                ceremony: record,
                audit: audit
            )
        }
        guard isDone else { throw try await overtaken(verified, outcome) }
    }
}

extension Login.Verified {
    /// What the sign-in changes in the passkey's record.
    fileprivate func use(in context: RequestContext) -> PasskeyUse {
        PasskeyUse(
            tenant: context.tenant,
            passkey: number,
            signCount: assertion.signCount,
            acceptsAnySignCount: assertion.counterRegressed,
            backupEligible: assertion.backupEligible,
            backupState: assertion.backupState,
            userVerificationInitialized: passkey.record.uvInitialized || initializesUserVerification,
            // The wide row is left alone while the user keeps to one browser.
            userAgent: context.device.userAgent == passkey.userAgent ? nil : context.device.userAgent,
            at: context.now
        )
    }
}
