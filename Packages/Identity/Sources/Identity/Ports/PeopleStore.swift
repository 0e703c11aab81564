public import WebAuthn

/// Keeps users and what they are found by.
public protocol UserStore: Sendable {
    /// Who has this identifier in the connection.
    func user(
        with identifier: UserIdentifier,
        in connection: ConnectionID,
        of tenant: TenantID
    ) async throws(StoreError) -> UserID?
    func user(_ id: UserID, of tenant: TenantID) async throws(StoreError) -> User?
    /// Users in the order they were made, newest first, from before `cursor`; at most `limit`.
    func users(of tenant: TenantID, before cursor: UserID?, limit: Int) async throws(StoreError) -> [User]
    /// The user's own handle (the oldest), which new passkeys are made with.
    func userHandle(of user: UserID, tenant: TenantID) async throws(StoreError) -> [UInt8]?
    /// Makes the user, the identity, the passkey, the session, the tokens and the records, or nothing.
    ///
    /// - Throws: `.unique(.identifier)`, `.unique(.credential)` or `.unique(.userHandle)` when one is taken;
    ///   `.unique(.ceremony)` when the ceremony has a record already.
    func signUp(_ user: User, userHandle: [UInt8], passkey: Passkey, login: LoginEffect) async throws(StoreError)
    /// Makes the user, the identity, the passkey and the records without signing anybody in, or nothing.
    ///
    /// - Throws: as ``signUp(_:userHandle:passkey:login:)``.
    func add(
        _ user: User,
        userHandle: [UInt8],
        passkey: Passkey,
        ceremony: CeremonyRecord,
        audit: AuditEvent
    ) async throws(StoreError)
}

/// Keeps passkeys.
public protocol CredentialStore: Sendable {
    /// What a sign-in with this credential id finds, in whichever connection.
    func candidate(
        credentialID: [UInt8],
        relyingPartyID: String,
        tenant: TenantID
    ) async throws(StoreError) -> LoginCandidate?
    /// Whether any tenant of the deployment has this id under the RP ID; read from the primary store.
    func isKnown(credentialID: [UInt8], relyingPartyID: String) async throws(StoreError) -> Bool
    /// The user's passkeys, newest first; of one RP ID or of all.
    func passkeys(
        of user: UserID,
        relyingPartyID: String?,
        tenant: TenantID
    ) async throws(StoreError) -> [Passkey]
    /// How a browser finds the user's passkeys of an RP ID, newest first, and at most `limit` of them; without those that
    /// are suspended. It reads little, so that somebody who is there takes no more time than somebody who is not.
    func descriptors(
        of user: UserID,
        relyingPartyID: String,
        tenant: TenantID,
        limit: Int
    ) async throws(StoreError) -> [CredentialDescriptor]
    /// The one durable step of a login: counter and backup state by compare-and-set, session, refresh token, records.
    ///
    /// - Returns: false when the stored counter is no longer below the new one, the passkey was suspended or the user
    ///   blocked meanwhile; then nothing was done.
    /// - Throws: `.unique(.ceremony)` when the ceremony has a record already: its challenge came back.
    func finishLogin(_ use: PasskeyUse, login: LoginEffect) async throws(StoreError) -> Bool
    /// The same for a use that signs nobody in: the passkey's counter and backup state, and the records.
    ///
    /// - Returns: false as there; then nothing was done.
    func record(
        _ use: PasskeyUse,
        of user: UserID,
        ceremony: CeremonyRecord,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool
    /// Adds a passkey to a user, with its records and the notices that tell of it. The user's row is locked while
    /// `maximum` is counted.
    func add(
        _ passkey: Passkey,
        maximum: Int,
        notices: [Notice],
        ceremony: CeremonyRecord,
        audit: AuditEvent
    ) async throws(StoreError) -> AddPasskeyOutcome
    /// Removes a passkey, unless it is the user's last way in and `keepingLast` is set; ends the sessions that it
    /// authenticated, and revokes their refresh tokens. One transaction.
    func remove(
        _ passkey: PasskeyID,
        tenant: TenantID,
        keepingLast: Bool,
        audit: AuditEvent
    ) async throws(StoreError) -> RemovePasskeyOutcome
    /// Takes a passkey out of use (`counter_policy` `disable`).
    func suspend(_ passkey: PasskeyNumber, tenant: TenantID, audit: AuditEvent) async throws(StoreError)
}

extension CredentialStore {
    /// Adds a passkey that nobody has to be told of.
    public func add(
        _ passkey: Passkey,
        maximum: Int,
        ceremony: CeremonyRecord,
        audit: AuditEvent
    ) async throws(StoreError) -> AddPasskeyOutcome {
        try await add(passkey, maximum: maximum, notices: [], ceremony: ceremony, audit: audit)
    }
}

public enum AddPasskeyOutcome: Hashable, Sendable {
    case added, tooMany, userGone
}

public enum RemovePasskeyOutcome: Hashable, Sendable {
    case removed, notFound, lastSignInMethod
}

/// What a login changes in the passkey's record (WebAuthn L3 §7.2 step 27).
public struct PasskeyUse: Hashable, Sendable {
    public let tenant: TenantID
    public let passkey: PasskeyNumber
    public let signCount: UInt32
    /// `true` under `counter_policy` `warn`, where a counter that did not rise is stored all the same.
    public let acceptsAnySignCount: Bool
    public let backupEligible: Bool
    public let backupState: Bool
    public let userVerificationInitialized: Bool
    /// `nil` when it is the one of the login before.
    public let userAgent: String?
    public let at: UnixTime

    public init(
        tenant: TenantID,
        passkey: PasskeyNumber,
        signCount: UInt32,
        acceptsAnySignCount: Bool,
        backupEligible: Bool,
        backupState: Bool,
        userVerificationInitialized: Bool,
        userAgent: String?,
        at: UnixTime
    ) {
        self.tenant = tenant
        self.passkey = passkey
        self.signCount = signCount
        self.acceptsAnySignCount = acceptsAnySignCount
        self.backupEligible = backupEligible
        self.backupState = backupState
        self.userVerificationInitialized = userVerificationInitialized
        self.userAgent = userAgent
        self.at = at
    }
}

/// What a successful authentication writes beside the passkey: all in the same transaction.
public struct LoginEffect: Hashable, Sendable {
    public let session: Session
    /// SHA-256 of the browser's cookie, when one is set.
    public let cookieHash: [UInt8]?
    /// A session that this sign-in replaces (its cookie is dead at once).
    public let replacedCookieHash: [UInt8]?
    public let refresh: NewRefresh?
    /// `nil` for a sign-in without a ceremony.
    public let ceremony: CeremonyRecord?
    public let audit: AuditEvent

    public init(
        session: Session,
        cookieHash: [UInt8]?,
        replacedCookieHash: [UInt8]?,
        refresh: NewRefresh?,
        ceremony: CeremonyRecord?,
        audit: AuditEvent
    ) {
        self.session = session
        self.cookieHash = cookieHash
        self.replacedCookieHash = replacedCookieHash
        self.refresh = refresh
        self.ceremony = ceremony
        self.audit = audit
    }
}

/// A family with its first token, which has the family's id: so a sign-in writes one row for both.
public struct NewRefresh: Hashable, Sendable {
    public let family: RefreshFamily
    /// SHA-256 of the first token's 32 secret bytes.
    public let secretHash: [UInt8]

    public init(family: RefreshFamily, secretHash: [UInt8]) {
        self.family = family
        self.secretHash = secretHash
    }

    /// The first token.
    public var token: StoredRefreshToken {
        StoredRefreshToken(
            id: RefreshTokenID(family.id.id),
            family: family.id,
            generation: 0,
            secretHash: secretHash,
            createdAt: family.createdAt
        )
    }
}

/// Keeps sessions.
public protocol SessionStore: Sendable {
    func session(_ id: SessionID, of tenant: TenantID) async throws(StoreError) -> Session?
    func session(cookieHash: [UInt8], of tenant: TenantID) async throws(StoreError) -> Session?
    /// Moves the idle end; a session that was revoked meanwhile stays so.
    func touch(
        _ id: SessionID,
        of tenant: TenantID,
        idleExpiresAt: UnixTime,
        now: UnixTime
    ) async throws(StoreError)
    /// Ends the session: with `revokingRefreshTokens` it is revoked with all its families, without it its time is over and
    /// they live on. Ending one twice is no error.
    func end(
        _ id: SessionID,
        of tenant: TenantID,
        revokingRefreshTokens: Bool,
        audit: AuditEvent
    ) async throws(StoreError)
}

/// Keeps refresh tokens by family and generation.
public protocol RefreshTokenStore: Sendable {
    /// The token's row with its family, session and user; `nil` when the id is unknown.
    func refreshGrant(_ id: RefreshTokenID, of tenant: TenantID) async throws(StoreError) -> RefreshGrant?
    /// Exchanges a rotating token: one transaction that takes the family row's lock and decides by generations.
    /// On reuse the family is revoked by the same transaction.
    func rotate(
        _ rotation: RefreshRotation,
        exchanged: AuditEvent,
        reused: AuditEvent
    ) async throws(StoreError) -> RotationOutcome
    /// Exchanges a non-rotating token: moves the idle ends.
    ///
    /// - Returns: false when the family was revoked meanwhile.
    func touch(_ rotation: RefreshRotation, exchanged: AuditEvent) async throws(StoreError) -> Bool
    func revoke(_ family: RefreshFamilyID, of tenant: TenantID, audit: AuditEvent) async throws(StoreError)
    /// Revokes every family of user, client and audience.
    func revokeAll(
        user: UserID,
        client: ClientID,
        audience: String?,
        of tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError)
}

/// Keeps what happened.
public protocol AuditLog: Sendable {
    /// Writes ended ceremonies and events that belong to no other transaction. A ceremony that has a record already keeps
    /// it, and the others are written.
    func append(ceremonies: [CeremonyRecord], events: [AuditEvent]) async throws(StoreError)
    /// Ended ceremonies, newest first, before `cursor`.
    func ceremonies(
        of tenant: TenantID,
        failedOnly: Bool,
        since: UnixTime?,
        before cursor: CeremonyID?,
        limit: Int
    ) async throws(StoreError) -> [CeremonyRecord]
    func ceremony(_ id: CeremonyID) async throws(StoreError) -> CeremonyRecord?
    /// Removes ceremony records that ended before `time`.
    func removeCeremonies(endedBefore time: UnixTime) async throws(StoreError)
}

/// Makes a client assertion (`private_key_jwt`) single use.
public protocol AssertionReplayStore: Sendable {
    /// Remembers `jtiHash` (SHA-256 of issuer and `jti`) until `expiry`.
    ///
    /// - Returns: false when it was there already.
    func remember(
        jtiHash: [UInt8],
        of tenant: TenantID,
        until expiry: UnixTime,
        now: UnixTime
    ) async throws(StoreError) -> Bool
}

/// A credential store: all that is durable, behind one adapter.
public protocol CredentialDatabase: TenantStore, ConfigurationStore, SigningKeyStore, KeyRotationStore, UserStore,
    CredentialStore, PasswordStore, SessionStore, RefreshTokenStore, AuditLog, AssertionReplayStore, MetadataStore,
    AuthorizationCodeStore,
    RelyingPartyStore, ImpactStore, AdoptionStore, AuditChainStore, TenantRemovalStore, OutboxStore,
    OutboxAdministration, UserAdministrationStore,
    PasswordTryStore, PasskeyAdministrationStore, AccessAdministrationStore, EventLog, TicketStore, RecoveryStore,
    RecoveryCodeStore, JobStore,
    JobResultStore, JobQueue
{
    /// Whether it answers, for the readiness check.
    func check() async throws(StoreError)
    /// Removes what is over: sessions, refresh families, remembered assertions, challenges. Bounded work a call, which
    /// goes on where the last one stopped.
    ///
    /// - Returns: whether more is left to look at.
    func removeExpired(now: UnixTime) async throws(StoreError) -> Bool
    /// Closes it; what was acknowledged is durable.
    func close() async
}
