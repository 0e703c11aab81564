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

    /// - Parameters:
    ///   - ceremonies: where ceremonies wait.
    ///   - tickets: where the links of operators are kept.
    ///   - store: takes what a recovery ends with.
    public init(_ ceremonies: Ceremonies, tickets: any TicketStore, store: any RecoveryStore) {
        self.ceremonies = ceremonies
        self.tickets = tickets
        self.store = store
    }

    /// Whom a link is for.
    public struct Leave: Sendable {
        public let user: User
        let connection: Connection
        let client: Client
        let proof: RecoveryProof
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
    /// - Returns: what to send; its answer is for ``finish(_:answering:in:)``.
    /// - Throws: `.store`.
    public func begin(_ leave: Leave, in context: RequestContext) async throws(PasskeyError) -> Begun<CreationOptions> {
        let user = leave.user
        let passkeys = try await stored { () async throws(StoreError) in
            try await ceremonies.credentials.passkeys(of: user.id, relyingPartyID: nil, tenant: context.tenant)
        }
        let handle = try await stored { () async throws(StoreError) in
            try await ceremonies.users.userHandle(of: user.id, tenant: context.tenant)
        }
        guard let handle else { throw .store(.corrupt(reason: "a user has no user handle")) }
        let composer = CeremonyOptions(
            surface: .hosted,
            client: leave.client,
            connection: leave.connection,
            context: context
        )
        let beginning = ceremonies.beginning(composer)
        let issued = composer.registration(challenge: beginning.challenge)
        return try await ceremonies.begin(
            beginning,
            .recover(issued, user: user.id, userHandle: handle, proof: leave.proof, .hosted),
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

    /// Takes the ceremony that was begun with this link.
    ///
    /// - Parameters:
    ///   - session: the text of `auth_session`, whatever came.
    ///   - leave: of the same link.
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

    /// Verifies the answer (WebAuthn L3 §7.1) and stores the passkey, in one durable step with the end of the proof, of
    /// the user's sessions and of the refresh tokens.
    ///
    /// - Returns: the new passkey.
    /// - Throws: `.refused`, `.sessionInvalid` when the proof was spent meanwhile or the user is gone or blocked, `.store`.
    public func finish(
        _ response: JSONObject,
        answering pending: Pending,
        in context: RequestContext
    ) async throws(PasskeyError) -> Passkey {
        let outcome = CeremonyOutcome(ceremony: pending.ceremony, purpose: .recover, context: context)
        let (registration, details) = try await ceremonies.verify(
            response,
            answering: pending.issued,
            outcome,
            user: pending.user
        )
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
        try await store(passkey, pending, outcome, details)
        return passkey
    }

    private func store(
        _ passkey: Passkey,
        _ pending: Pending,
        _ outcome: CeremonyOutcome,
        _ details: JSONObject
    ) async throws(PasskeyError) {
        let about: JSONObject = [
            "authenticator": ["type": "passkey", "id": .string(passkey.id.text)],
            "ceremony_id": .string(pending.id.text), "proof": .string(pending.proof.kind.rawValue),
        ]
        let (record, event) = outcome.accepted(passkey.user, details: details, event: about)
        let done: RecoveryOutcome
        do throws(StoreError) {
            done = try await store.finishRecovery(
                FinishedRecovery(passkey: passkey, proof: pending.proof, ceremony: record, audit: event)
            )
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
}
