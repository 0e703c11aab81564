internal import Cryptography
public import Encodings
public import Identity
public import WebAuthn

/// Gives a passkey to a user who lost what they signed in with, and ends all that was signed in before (HTTP contract
/// 9.5). The proof is spent when the passkey is stored, so that a ceremony that fails may begin again.
public struct Recovery: Sendable {
    private let ceremonies: Ceremonies
    private let tickets: any TicketStore
    private let store: any RecoveryStore
    private let notices: Notices

    /// Seconds in which the other passkeys can be looked through afterwards.
    private static let reviewLife: Int64 = 1800

    /// - Parameters:
    ///   - ceremonies: where ceremonies wait.
    ///   - tickets: where the links of operators are kept.
    ///   - store: takes what a recovery ends with.
    ///   - notices: tells of it.
    public init(_ ceremonies: Ceremonies, tickets: any TicketStore, store: any RecoveryStore, notices: Notices) {
        self.ceremonies = ceremonies
        self.tickets = tickets
        self.store = store
        self.notices = notices
    }

    /// Whose account it is, as a link or a code proves.
    public struct Leave: Sendable {
        public let user: User
        public let client: Client
        let connection: Connection
        let proof: RecoveryProof

        init(user: User, connection: Connection, client: Client, proof: RecoveryProof) {
            self.user = user
            self.connection = connection
            self.client = client
            self.proof = proof
        }
    }

    /// Looks at an operator's link; it stays good.
    ///
    /// - Parameters:
    ///   - secret: as the link has it, whatever came.
    ///   - context: where.
    /// - Returns: whom it is for; `nil` when it is not, or no longer, good here.
    /// - Throws: `.passkeysDisabledForTenant`, `.passkeysDisabledForConnection` or `.store`.
    public func leave(ofLink secret: String, in context: RequestContext) async throws(PasskeyError) -> Leave? {
        guard let bytes = try? Base64URL.decode(secret), bytes.count == 32 else { return nil }
        let proof = RecoveryProof(.link, hash: SHA256.hash(bytes))
        let ticket = try await stored { () async throws(StoreError) in
            try await tickets.ticket(
                hash: proof.hash,
                for: .passkeyEnrollment,
                of: context.tenant,
                now: context.now
            )
        }
        guard let ticket, try await isOpen(ticket, context) else { return nil }
        let user = try await stored { () async throws(StoreError) in
            try await ceremonies.users.user(ticket.user, of: context.tenant)
        }
        guard let user, user.blockedAt == nil,
            let connection = context.configuration.connection(user.connection),
            let client = Self.client(of: connection, in: context.configuration)
        else { return nil }
        try context.checkSwitches(connection, at: .hosted)
        return Leave(user: user, connection: connection, client: client, proof: proof)
    }

    /// Whether nobody got back in since the link was made: a second one that lies about is good for nothing then.
    private func isOpen(_ ticket: Ticket, _ context: RequestContext) async throws(PasskeyError) -> Bool {
        let passkeys = try await stored { () async throws(StoreError) in
            try await ceremonies.credentials.passkeys(of: ticket.user, relyingPartyID: nil, tenant: context.tenant)
        }
        return !passkeys.contains { $0.enrolledBy == .recovery && $0.createdAt >= ticket.createdAt }
    }

    /// On whose behalf: a link belongs to no application, so that it is the first that the connection is for.
    private static func client(of connection: Connection, in configuration: TenantConfiguration) -> Client? {
        configuration.clients.values
            .filter { $0.isFirstParty && connection.enabledClients.contains($0.id) }
            .min { $0.id.text < $1.id.text }
    }

    /// Begins the ceremony.
    ///
    /// - Parameters:
    ///   - leave: for whom.
    ///   - surface: where it will end.
    ///   - context: where.
    /// - Returns: what to send; its answer is for ``verify(_:answering:in:)``.
    /// - Throws: `.store`.
    public func begin(
        _ leave: Leave,
        at surface: CeremonySurface = .hosted,
        in context: RequestContext
    ) async throws(PasskeyError) -> Begun<CreationOptions> {
        let user = leave.user
        let passkeys = try await stored { () async throws(StoreError) in
            try await ceremonies.credentials.passkeys(of: user.id, relyingPartyID: nil, tenant: context.tenant)
        }
        let handle = try await stored { () async throws(StoreError) in
            try await ceremonies.users.userHandle(of: user.id, tenant: context.tenant)
        }
        guard let handle else { throw .store(.corrupt(reason: "a user has no user handle")) }
        let composer = CeremonyOptions(
            surface: surface,
            client: leave.client,
            connection: leave.connection,
            context: context
        )
        let beginning = ceremonies.beginning(composer)
        let issued = composer.registration(challenge: beginning.challenge)
        return try await ceremonies.begin(
            beginning,
            .recover(issued, user: user.id, userHandle: handle, proof: leave.proof, surface),
            options: composer.creation(
                of: AccountNames(user, precedence: leave.connection.options.precedence),
                userHandle: handle,
                challenge: beginning.challenge,
                excluding: passkeys.filter { $0.relyingPartyID.hasSameBytes(as: issued.rpID) }
            ),
            for: leave.client,
            connection: leave.connection,
            in: context
        )
    }

    /// Takes the ceremony that was begun with this link or code.
    ///
    /// - Parameters:
    ///   - session: the text of `auth_session`, whatever came.
    ///   - leave: of the same link or code.
    ///   - context: where.
    /// - Returns: the ceremony.
    /// - Throws: `.sessionInvalid` when there is none, or it was begun with another proof; `.store`.
    public func take(
        session: String,
        for leave: Leave,
        in context: RequestContext
    ) async throws(PasskeyError) -> Pending {
        let taken = try await ceremonies.take(
            session: session,
            at: .hosted,
            realm: nil,
            client: leave.client,
            in: context
        )
        guard case .recovery(let pending) = taken, pending.proof == leave.proof, pending.user == leave.user.id else {
            throw .sessionInvalid
        }
        return pending
    }

    /// A recovery that was taken and waits for its verification.
    public struct Pending: Sendable {
        let ceremony: PendingCeremony
        let connection: Connection
        let issued: IssuedRegistration
        let user: UserID
        let userHandle: [UInt8]
        let proof: RecoveryProof

        public var id: CeremonyID { ceremony.id }
    }

    /// A passkey that was made right, and is not stored yet.
    public struct Verified: Sendable {
        public let user: User
        public let passkey: Passkey
        /// What it signs in as: by a recovery, which is no second factor, whatever the passkey showed.
        public let authentication: Authentication
        let pending: Pending
        let details: JSONObject
    }

    /// Verifies the answer (WebAuthn L3 §7.1). Nothing is stored or spent.
    ///
    /// - Parameters:
    ///   - response: the `RegistrationResponseJSON`.
    ///   - pending: what was taken.
    ///   - context: where.
    /// - Returns: the proof.
    /// - Throws: `.refused`, `.sessionInvalid` when the user is gone or blocked, or was changed since a mailed code was
    ///   taken; `.store`.
    public func verify(
        _ response: JSONObject,
        answering pending: Pending,
        in context: RequestContext
    ) async throws(PasskeyError) -> Verified {
        let outcome = CeremonyOutcome(ceremony: pending.ceremony, purpose: .recover, context: context)
        let (registration, details) = try await ceremonies.verify(
            response,
            answering: pending.issued,
            outcome,
            user: pending.user
        )
        let user = try await stored { () async throws(StoreError) in
            try await ceremonies.users.user(pending.user, of: context.tenant)
        }
        // Who has another address by now is not proven by what was sent to the one before.
        let isChanged = user.map { $0.updatedAt > pending.ceremony.startedAt } ?? true
        guard let user, user.blockedAt == nil, !isChanged || pending.proof.kind != .mail else {
            ceremonies.note("auth_session_invalid", outcome, user: pending.user, details: details)
            throw .sessionInvalid
        }
        let passkey = Passkey(
            id: PasskeyID(random: ceremonies.random(12)),
            tenant: context.tenant,
            user: pending.user,
            relyingPartyID: pending.issued.rpID,
            userHandle: pending.userHandle,
            record: registration.credential,
            isDiscoverable: registration.isDiscoverable,
            enrolledBy: .recovery,
            userAgent: context.device.userAgent,
            createdAt: context.now
        )
        let authentication = Authentication(
            user: user,
            amr: ["rcv", pending.proof.kind == .link ? "phr" : "otp"],
            acr: nil,
            passkey: nil,
            at: context.now
        )
        return Verified(
            user: user,
            passkey: passkey,
            authentication: authentication,
            pending: pending,
            details: details
        )
    }

    /// What a recovery left to look through.
    public struct Done: Sendable {
        public let passkey: Passkey
        /// The secret by which the other passkeys are looked through; `nil` where there are none.
        public let review: String?
    }

    /// Stores the passkey, in one durable step with the end of the proof, of the user's sessions and of the refresh
    /// tokens. When the code came to an address that had never been verified before, whoever made the account need not be
    /// its owner: all other ways in go as well (HTTP contract 9.2).
    ///
    /// - Parameters:
    ///   - verified: the proof.
    ///   - session: what it signs in; `nil`: nothing.
    ///   - context: where.
    /// - Returns: what is left to look through.
    /// - Throws: `.refused` with `credential_exists`, `.sessionInvalid` when the proof was spent meanwhile or the user
    ///   changed, is gone or blocked, `.store`.
    @discardableResult
    public func store(
        _ verified: Verified,
        session: RecoverySession?,
        in context: RequestContext
    ) async throws(PasskeyError) -> Done {
        let (pending, user, passkey) = (verified.pending, verified.user, verified.passkey)
        let outcome = CeremonyOutcome(ceremony: pending.ceremony, purpose: .recover, context: context)
        let others = try await stored { () async throws(StoreError) in
            try await ceremonies.credentials.passkeys(of: user.id, relyingPartyID: nil, tenant: context.tenant)
        }
        let isProven = pending.proof.kind == .mail && user.identifier(.email)?.isVerified == false
        let review = isProven || others.isEmpty ? nil : ceremonies.random(32)
        let about: JSONObject = [
            "authenticator": ["type": "passkey", "id": .string(passkey.id.text)],
            "ceremony_id": .string(pending.id.text), "proof": .string(pending.proof.kind.rawValue),
            "cleared": .bool(isProven),
        ]
        let (record, event) = outcome.accepted(user.id, details: verified.details, event: about)
        let finished = FinishedRecovery(
            passkey: passkey,
            proof: pending.proof,
            change: isProven ? Self.verifying(user, context.now) : nil,
            clears: isProven,
            review: review.map { Self.review($0, of: user, context) },
            notices: notices.ofRecovery(passkey, to: user, context),
            session: session,
            ceremony: record,
            audit: event
        )
        try await store(finished, outcome, verified.details)
        return Done(passkey: passkey, review: review.map { Base64URL.encode($0) })
    }

    private func store(
        _ finished: FinishedRecovery,
        _ outcome: CeremonyOutcome,
        _ details: JSONObject
    ) async throws(PasskeyError) {
        let passkey = finished.passkey
        let done: RecoveryOutcome
        do throws(StoreError) {
            done = try await store.finishRecovery(finished)
        } catch .unique(.ceremony) {
            throw .sessionInvalid
        } catch .unique(.credential) {
            throw ceremonies.refuse(.credentialExists(passkey), outcome, user: passkey.user, details: details)
        } catch {
            throw .store(error)
        }
        guard done == .recovered else {
            ceremonies.note("auth_session_invalid", outcome, user: passkey.user, details: details)
            throw .sessionInvalid
        }
    }

    private static func verifying(_ user: User, _ now: UnixTime) -> UserChange {
        var new = user
        new.updatedAt = max(now, user.updatedAt.adding(milliseconds: 1))
        new.identifiers = user.identifiers.map { identifier in
            var verified = identifier
            if identifier.kind == .email { verified.isVerified = true }
            return verified
        }
        return UserChange(old: user, new: new)
    }

    private static func review(_ secret: [UInt8], of user: User, _ context: RequestContext) -> Ticket {
        Ticket(
            tenant: user.tenant,
            hash: SHA256.hash(secret),
            purpose: .passkeyReview,
            user: user.id,
            parameters: ["after": "recovery"],
            createdAt: context.now,
            expiresAt: context.now.adding(seconds: reviewLife)
        )
    }
}
