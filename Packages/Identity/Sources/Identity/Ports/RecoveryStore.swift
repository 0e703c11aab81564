/// Lets users back in who lost what they sign in with (HTTP contract 9.5).
public protocol RecoveryStore: Sendable {
    /// Keeps a recovery that was asked for, with the mails that tell of it, and their record, in one transaction.
    ///
    /// - Parameters:
    ///   - recovery: of a user, or of nobody where nobody has the name.
    ///   - notices: the mails with their tickets.
    ///   - isFeigned: whether the notices are written and taken out again: nobody is to get them, and the time of it
    ///     tells nobody apart.
    ///   - audit: the record.
    /// - Throws: what the store itself is at fault for.
    func begin(
        _ recovery: StartedRecovery,
        notices: [Notice],
        isFeigned: Bool,
        audit: AuditEvent
    ) async throws(StoreError)
    /// The recovery whose session has this hash and is not over at `now`; it stays as it is.
    func recovery(_ hash: [UInt8], of tenant: TenantID, now: UnixTime) async throws(StoreError) -> StartedRecovery?
    /// Compares a code, in one transaction: one that is wrong is counted, and after `limit` of them none is right.
    /// What is right is not spent.
    ///
    /// - Parameters:
    ///   - code: the keyed hash of what was typed, and what kind of code it may be.
    ///   - recovery: for which it was typed.
    ///   - limit: how many wrong ones there may be.
    ///   - now: when; the mailed code is good as long as the recovery.
    /// - Returns: whether it is right.
    /// - Throws: what the store itself is at fault for.
    func tryCode(
        _ code: RecoveryProof,
        for recovery: StartedRecovery,
        limit: Int,
        now: UnixTime
    ) async throws(StoreError) -> Bool
    /// The one durable step of a recovery: its proof is spent, the passkey is stored, the user's sessions end and refresh
    /// tokens are revoked, all other recoveries under way are void, and notices, session and records are written; or
    /// nothing.
    ///
    /// - Throws: `.unique(.credential)` when the passkey is somebody's; `.unique(.ceremony)` when the ceremony has a
    ///   record already.
    func finishRecovery(_ recovery: FinishedRecovery) async throws(StoreError) -> RecoveryOutcome
    /// Spends a ticket for ``Ticket/Purpose/disowning``: recoveries of its user that are under way are void, and what
    /// `disowning` names goes. One transaction.
    ///
    /// - Returns: false, with nothing done, when the ticket is not there or over.
    func disown(_ disowning: Disowning, audit: AuditEvent) async throws(StoreError) -> Bool
}

/// A recovery that was asked for, by whoever has its session. For a name that nobody has there is one as well.
public struct StartedRecovery: Hashable, Sendable {
    public let tenant: TenantID
    /// SHA-256 of the session's 32 bytes.
    public let hash: [UInt8]
    public let client: ClientID
    public let connection: ConnectionID
    /// Of nobody, where nobody has the name.
    public let user: UserID
    /// What tries are counted under: stands for what was typed, and is not it.
    public let name: String
    /// Keyed hash of the code that was mailed, or of one that nobody has.
    public let codeHash: [UInt8]
    public let createdAt: UnixTime
    /// Until when codes are taken.
    public let expiresAt: UnixTime
    /// Until when a ceremony that a code began may end.
    public let keptUntil: UnixTime

    public init(
        tenant: TenantID,
        hash: [UInt8],
        client: ClientID,
        connection: ConnectionID,
        user: UserID,
        name: String,
        codeHash: [UInt8],
        createdAt: UnixTime,
        expiresAt: UnixTime,
        keptUntil: UnixTime
    ) {
        self.tenant = tenant
        self.hash = hash
        self.client = client
        self.connection = connection
        self.user = user
        self.name = name
        self.codeHash = codeHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.keptUntil = keptUntil
    }
}

public enum RecoveryOutcome: Hashable, Sendable {
    case recovered
    /// The proof was spent, or is over by now.
    case proofSpent
    /// The user is gone or blocked.
    case userGone
    /// Somebody else changed the user since; nothing was done, and the proof is there still.
    case changedMeanwhile
}

/// What a recovery stores.
public struct FinishedRecovery: Hashable, Sendable {
    public let passkey: Passkey
    public let proof: RecoveryProof
    /// How the user changes, whose address was proven; `nil`: not at all.
    public let change: UserChange?
    /// Whether all other ways in go: passkeys, password and recovery codes, for whoever made them need not own the
    /// address.
    public let clears: Bool
    /// Lets the same person look through the other passkeys; `nil` where there are none.
    public let review: Ticket?
    public let notices: [Notice]
    /// What the recovery signs in; `nil`: nothing.
    public let session: RecoverySession?
    public let ceremony: CeremonyRecord
    public let audit: AuditEvent

    public init(
        passkey: Passkey,
        proof: RecoveryProof,
        change: UserChange? = nil,
        clears: Bool = false,
        review: Ticket? = nil,
        notices: [Notice] = [],
        session: RecoverySession? = nil,
        ceremony: CeremonyRecord,
        audit: AuditEvent
    ) {
        self.passkey = passkey
        self.proof = proof
        self.change = change
        self.clears = clears
        self.review = review
        self.notices = notices
        self.session = session
        self.ceremony = ceremony
        self.audit = audit
    }
}

/// A session that a recovery begins, with what belongs to it.
public struct RecoverySession: Hashable, Sendable {
    public let session: Session
    /// SHA-256 of the browser's cookie, when one is set.
    public let cookieHash: [UInt8]?
    public let refresh: NewRefresh?

    public init(_ session: Session, cookieHash: [UInt8]?, refresh: NewRefresh?) {
        self.session = session
        self.cookieHash = cookieHash
        self.refresh = refresh
    }
}

/// What goes when a user says that something was not them.
public struct Disowning: Hashable, Sendable {
    /// Which is spent.
    public let ticket: Ticket
    /// Which goes, and with it every session and refresh token of the user; `nil`: only a recovery is stopped.
    public let passkey: PasskeyID?
    /// Leads to a new password; `nil`: none is wanted.
    public let reset: Ticket?

    public init(ticket: Ticket, passkey: PasskeyID?, reset: Ticket?) {
        self.ticket = ticket
        self.passkey = passkey
        self.reset = reset
    }
}

/// Keeps the recovery codes of users, as keyed hashes.
public protocol RecoveryCodeStore: Sendable {
    /// Puts a set in place of the user's last one, whose codes are void then.
    ///
    /// - Parameters:
    ///   - set: the new one.
    ///   - codes: the keyed hash of each code.
    ///   - audit: the record.
    /// - Returns: false, with nothing done, when the user is gone or blocked.
    /// - Throws: what the store itself is at fault for.
    func replaceRecoveryCodes(
        with set: RecoveryCodeSet,
        codes: [[UInt8]],
        audit: AuditEvent
    ) async throws(StoreError) -> Bool
    /// The user's set; `nil` without one.
    func recoveryCodes(of user: UserID, tenant: TenantID) async throws(StoreError) -> RecoveryCodeSet?
    /// Removes the user's set, whose codes are void then.
    ///
    /// - Returns: false, with nothing done, when the user has no such set.
    func removeRecoveryCodes(
        _ set: RecoveryCodeSetID,
        of user: UserID,
        tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool
}

/// Recovery codes that were given to a user together.
public struct RecoveryCodeSet: Hashable, Sendable {
    public let id: RecoveryCodeSetID
    public let tenant: TenantID
    public let user: UserID
    /// SHA-256 of the secret by which whoever got them says that they have them.
    public let sessionHash: [UInt8]
    public let createdAt: UnixTime

    public init(
        id: RecoveryCodeSetID,
        tenant: TenantID,
        user: UserID,
        sessionHash: [UInt8],
        createdAt: UnixTime
    ) {
        self.id = id
        self.tenant = tenant
        self.user = user
        self.sessionHash = sessionHash
        self.createdAt = createdAt
    }
}
