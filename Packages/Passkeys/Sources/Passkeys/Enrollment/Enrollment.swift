public import Encodings
public import Identity
public import WebAuthn

/// Gives a signed-in user one more passkey (HTTP contract 12.1, 12.2, 10.2, 10.3), or, after a password, the
/// first one without asking (9.4).
public struct Enrollment: Sendable {
    private let ceremonies: Ceremonies
    private let offers: UpgradeOffer
    private let notices: Notices

    /// - Parameters:
    ///   - ceremonies: where ceremonies wait.
    ///   - notices: tells of passkeys that were made without asking.
    public init(_ ceremonies: Ceremonies, notices: Notices) {
        self.ceremonies = ceremonies
        self.notices = notices
        offers = UpgradeOffer(challenges: ceremonies.challenges)
    }

    /// Offers the first passkey to a user who has just signed in with a password, and begins its ceremony, so that no
    /// call lies between the sign-in and the offer (HTTP contract 9.4). Its answer is for `POST /register/verify`, with
    /// a token of that sign-in.
    ///
    /// - Parameters:
    ///   - user: who signed in.
    ///   - session: what the password began; it is stored.
    ///   - passwordChangedAt: when the password was set.
    ///   - surface: where the ceremony will end.
    ///   - client: the client that asked.
    ///   - context: where.
    /// - Returns: what to send; `nil` when there is no offer.
    /// - Throws: `.store`.
    public func offerUpgrade(
        to user: User,
        in session: Session,
        passwordChangedAt: UnixTime,
        at surface: CeremonySurface = .browser,
        client: Client,
        _ context: RequestContext
    ) async throws(PasskeyError) -> Begun<CreationOptions>? {
        guard let connection = try? connection(of: user, client, at: surface, context),
            // Most who are offered none are told so without a query.
            mayUpgrade(user, session, having: [], client, connection, context),
            UpgradeOffer.isSettled(passwordChangedAt, of: user, now: context.now)
        else { return nil }
        let passkeys = try await passkeys(of: user.id, context)
        guard mayUpgrade(user, session, having: passkeys, client, connection, context),
            passkeys.count < connection.options.passkey.maximumPerUser
        else { return nil }
        return try await begin(user, passkeys, session, isUpgrade: true, at: surface, client, connection, context)
    }

    /// Begins a ceremony for the session's user.
    ///
    /// - Parameters:
    ///   - username: what the request names, as typed; it must be the user's.
    ///   - conditional: whether it is an upgrade (`mediation` `conditional`): the user is not asked, and in this
    ///     ceremony alone UP and UV may be missing. Only while the session holds the offer, which then stands in for
    ///     the fresh proof.
    ///   - excludesOwn: whether authenticators are told of the user's passkeys, so that none makes a second one.
    ///   - user: who is signed in.
    ///   - session: the session that says so.
    ///   - surface: the interface that asks.
    ///   - client: the client that asks.
    ///   - context: where.
    /// - Returns: what to send.
    /// - Throws: `.insufficientUserAuthentication`, `.onProbation`, `.upgradeNotOffered`, `.invalidIdentifier("username")`,
    ///   `.tooManyPasskeys` and what ``PasskeyError`` lists before a ceremony.
    public func begin(
        username: String? = nil,
        conditional: Bool = false,
        excludesOwn: Bool = true,
        user: User,
        session: Session,
        at surface: CeremonySurface,
        client: Client,
        in context: RequestContext
    ) async throws(PasskeyError) -> Begun<CreationOptions> {
        let connection = try connection(of: user, client, at: surface, context)
        if let username {
            let named = CanonicalIdentifier.any(username, usernameLength: connection.options.usernameLength)
            guard let named,
                user.identifiers.contains(where: {
                    $0.kind == named.kind && $0.canonical.hasSameBytes(as: named.canonical)
                })
            else { throw .invalidIdentifier("username") }
        }
        let passkeys = try await passkeys(of: user.id, context)
        let mayUpgrade = mayUpgrade(user, session, having: passkeys, client, connection, context)
        guard mayUpgrade || !conditional else { throw .upgradeNotOffered }
        if !conditional {
            try FreshProof.check(session, hasPasskey: !passkeys.isEmpty, in: context)
            // Or a second key would do what the first may not.
            let policy = connection.options.passkey
            guard !Probation.holds(session, having: passkeys, by: policy, now: context.now) else { throw .onProbation }
        }
        guard passkeys.count < connection.options.passkey.maximumPerUser else { throw .tooManyPasskeys(nil) }
        if conditional {
            guard try await offers.end(in: session, now: context.now) else { throw .upgradeNotOffered }
        }
        return try await begin(
            user,
            passkeys,
            session,
            isUpgrade: conditional,
            excludesOwn: excludesOwn,
            at: surface,
            client,
            connection,
            context
        )
    }

    private func mayUpgrade(
        _ user: User,
        _ session: Session,
        having passkeys: [Passkey],
        _ client: Client,
        _ connection: Connection,
        _ context: RequestContext
    ) -> Bool {
        // Against a stolen password every address gets a notice; where none can be sent the tenant has to waive it.
        guard connection.options.passkey.upgradesWithoutNotice || notices.canReach(user) else { return false }
        return UpgradeOffer.mayStand(in: session, having: passkeys, for: client, of: connection, context)
    }

    func connection(
        of user: User,
        _ client: Client,
        at surface: CeremonySurface,
        _ context: RequestContext
    ) throws(PasskeyError) -> Connection {
        try context.checkMayUsePasskeys(client, at: surface)
        guard let connection = context.configuration.connection(user.connection),
            connection.enabledClients.contains(client.id)
        else { throw .unknownConnection }
        try context.checkSwitches(connection, at: surface)
        return connection
    }

    func passkeys(of user: UserID, _ context: RequestContext) async throws(PasskeyError) -> [Passkey] {
        try await stored { () async throws(StoreError) in
            try await ceremonies.credentials.passkeys(of: user, relyingPartyID: nil, tenant: context.tenant)
        }
    }

    private func begin(
        _ user: User,
        _ passkeys: [Passkey],
        _ session: Session,
        isUpgrade: Bool,
        excludesOwn: Bool = true,
        at surface: CeremonySurface,
        _ client: Client,
        _ connection: Connection,
        _ context: RequestContext
    ) async throws(PasskeyError) -> Begun<CreationOptions> {
        let handle = try await stored { () async throws(StoreError) in
            try await ceremonies.users.userHandle(of: user.id, tenant: context.tenant)
        }
        guard let handle else { throw .store(.corrupt(reason: "a user has no user handle")) }
        let composer = CeremonyOptions(
            surface: surface,
            client: client,
            connection: connection,
            context: context,
            isUpgrade: isUpgrade
        )
        let beginning = ceremonies.beginning(composer)
        let issued = composer.registration(challenge: beginning.challenge)
        let begun = try await ceremonies.begin(
            beginning,
            .enroll(issued, user: user.id, userHandle: handle, session: session.id, surface),
            options: composer.creation(
                of: AccountNames(user, precedence: connection.options.precedence),
                userHandle: handle,
                challenge: beginning.challenge,
                excluding: excludesOwn
                    ? passkeys.filter { $0.relyingPartyID.hasSameBytes(as: issued.rpID) } : nil
            ),
            for: client,
            connection: connection,
            in: context
        )
        if isUpgrade {
            try await offers.keep(begun.pending, in: session, from: context.network, now: context.now)
        }
        return begun
    }

    /// An enrolment that was taken and waits for its verification.
    public struct Pending: Sendable {
        let ceremony: PendingCeremony
        let connection: Connection
        let issued: IssuedRegistration
        let user: UserID
        let userHandle: [UInt8]
        /// The session that it was begun in; the request that ends it must have the same.
        public let session: SessionID

        public var id: CeremonyID { ceremony.id }
        /// Nothing else may be answered without UP.
        var isUpgrade: Bool { issued.mayOmitUserPresence }
    }

    /// Verifies the answer (WebAuthn L3 §7.1) and adds the passkey, in one durable step.
    ///
    /// - Parameters:
    ///   - response: the `RegistrationResponseJSON`.
    ///   - pending: what was taken.
    ///   - user: who is signed in now.
    ///   - session: the session that says so.
    ///   - context: where.
    /// - Returns: the new passkey.
    /// - Throws: `.sessionInvalid` when it is another session, `.refused`, `.tooManyPasskeys`, `.upgradeNotOffered` when
    ///   the user got a passkey of the RP ID since an upgrade began, `.store`.
    public func finish(
        _ response: JSONObject,
        answering pending: Pending,
        user: User,
        session: Session,
        in context: RequestContext
    ) async throws(PasskeyError) -> Passkey {
        let outcome = CeremonyOutcome(
            ceremony: pending.ceremony,
            purpose: pending.isUpgrade ? .upgrade : .enroll,
            context: context
        )
        guard pending.user == user.id, pending.session == session.id else {
            ceremonies.note("auth_session_invalid", outcome, user: pending.user)
            throw .sessionInvalid
        }
        if pending.isUpgrade { _ = try await offers.end(in: session, now: context.now) }
        let (registration, details) = try await ceremonies.verify(
            response,
            answering: pending.issued,
            outcome,
            user: user.id
        )
        let passkey = Passkey(
            id: PasskeyID(random: ceremonies.random(12)),
            tenant: context.tenant,
            user: user.id,
            relyingPartyID: pending.issued.rpID,
            userHandle: pending.userHandle,
            record: registration.credential,
            isDiscoverable: registration.isDiscoverable,
            enrolledBy: pending.isUpgrade ? .upgrade : .enroll,
            userAgent: context.device.userAgent,
            createdAt: context.now
        )
        let told = pending.isUpgrade ? notices.ofUpgrade(passkey, to: user, context) : []
        let mayBeSilent = !pending.isUpgrade || pending.connection.options.passkey.upgradesWithoutNotice
        // An address that no mail can reach is as good as none.
        guard mayBeSilent || !told.isEmpty else { throw notOffered(passkey, outcome, details) }
        try await add(passkey, telling: told, pending, outcome, details)
        return passkey
    }

    private func add(
        _ passkey: Passkey,
        telling notices: [Notice],
        _ pending: Pending,
        _ outcome: CeremonyOutcome,
        _ details: JSONObject
    ) async throws(PasskeyError) {
        var about: JSONObject = [
            "authenticator": ["type": "passkey", "id": .string(passkey.id.text)],
            "ceremony_id": .string(outcome.ceremony.id.text),
        ]
        // The sign-in that it hangs on.
        if pending.isUpgrade { about["session_id"] = .string(pending.session.text) }
        let (record, event) = outcome.accepted(passkey.user, details: details, event: about)
        let limit = pending.connection.options.passkey.maximumPerUser
        let others = pending.isUpgrade ? try await othersThan(passkey, outcome, details) : limit
        let added: AddPasskeyOutcome
        do throws(StoreError) {
            added = try await ceremonies.credentials.add(
                passkey,
                maximum: min(limit, others + 1),
                notices: notices,
                ceremony: record,
                audit: event
            )
        } catch .unique(.ceremony) {
            // It ended before, and its challenge came back: of a cache that was restored, say.
            throw .sessionInvalid
        } catch .unique(.credential) {
            throw ceremonies.refuse(.credentialExists(passkey), outcome, user: passkey.user, details: details)
        } catch {
            throw .store(error)
        }
        switch added {
        case .added:
            return
        case .tooMany where others < limit:
            throw notOffered(passkey, outcome, details)
        case .tooMany:
            ceremonies.note(
                "too_many_passkeys",
                policy: .maximumPerUser,
                outcome,
                user: passkey.user,
                details: details
            )
            throw .tooManyPasskeys(outcome.ceremony.id)
        case .userGone:
            ceremonies.note("auth_session_invalid", outcome, user: passkey.user, details: details)
            throw .sessionInvalid
        }
    }

    /// How many passkeys the user of an upgrade has, all of other RP IDs: no more may be there when it is added, so that
    /// of two upgrades at once one succeeds.
    private func othersThan(
        _ passkey: Passkey,
        _ outcome: CeremonyOutcome,
        _ details: JSONObject
    ) async throws(PasskeyError) -> Int {
        let passkeys = try await passkeys(of: passkey.user, outcome.context)
        guard !passkeys.contains(where: { $0.relyingPartyID.hasSameBytes(as: passkey.relyingPartyID) }) else {
            throw notOffered(passkey, outcome, details)
        }
        return passkeys.count
    }

    private func notOffered(
        _ passkey: Passkey,
        _ outcome: CeremonyOutcome,
        _ details: JSONObject
    ) -> PasskeyError {
        ceremonies.note("upgrade_not_offered", outcome, user: passkey.user, details: details)
        return .upgradeNotOffered
    }
}
