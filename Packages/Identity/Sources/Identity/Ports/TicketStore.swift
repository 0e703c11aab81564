public import Encodings

/// Leave for whoever holds a secret to do one thing to one user, once: to set a new password, to confirm an address.
public struct Ticket: Hashable, Sendable {
    public let tenant: TenantID
    /// SHA-256 of the secret.
    public let hash: [UInt8]
    public let purpose: Purpose
    public let user: UserID
    /// What else was asked: where to go then, whether the address counts as verified.
    public let parameters: JSONObject
    public let createdAt: UnixTime
    public let expiresAt: UnixTime

    public init(
        tenant: TenantID,
        hash: [UInt8],
        purpose: Purpose,
        user: UserID,
        parameters: JSONObject,
        createdAt: UnixTime,
        expiresAt: UnixTime
    ) {
        self.tenant = tenant
        self.hash = hash
        self.purpose = purpose
        self.user = user
        self.parameters = parameters
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    public enum Purpose: String, Hashable, Sendable {
        case passwordChange = "password_change"
        case emailVerification = "email_verification"
        /// To look through one's passkeys after a new password was set.
        case passkeyReview = "passkey_review"
        /// A passkey made by whoever holds it: an operator's way back in (HTTP contract 9.5).
        case passkeyEnrollment = "passkey_enrollment"
        /// To say that a recovery, or a passkey, is not one's own (HTTP contract 9.4, 9.5).
        case disowning
    }
}

/// Keeps tickets until they are used or over.
public protocol TicketStore: Sendable {
    /// Keeps a ticket with the mail that brings it, if one does, and their record: all of it, or nothing.
    func add(_ ticket: Ticket, mail: OutboxMail?, audit: AuditEvent) async throws(StoreError)
    /// Writes what ``add(_:mail:audit:)`` writes and takes it out again, but for the record, in one transaction: for a
    /// ticket that nobody is to get, so that its time tells nobody apart.
    func feign(_ ticket: Ticket, mail: OutboxMail?, audit: AuditEvent) async throws(StoreError)
    /// Looks at a ticket that is good at `now`, and leaves it.
    func ticket(
        hash: [UInt8],
        for purpose: Ticket.Purpose,
        of tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> Ticket?
    /// Takes a ticket out, atomically: of two callers one gets `nil`.
    func takeTicket(
        hash: [UInt8],
        for purpose: Ticket.Purpose,
        of tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> Ticket?
    /// Spends a ticket on a new password: password, user, sessions, refresh tokens, tries in vain and the record, in one
    /// transaction. Of two at once with one ticket one succeeds.
    func reset(_ effect: PasswordResetEffect, audit: AuditEvent) async throws(StoreError) -> PasswordResetOutcome
    /// Spends a ticket to remove some of its user's passkeys, with the tokens of their sign-ins.
    ///
    /// - Returns: false, with nothing done, when the ticket is not there or over.
    func review(
        _ ticket: Ticket,
        removing passkeys: [PasskeyID],
        now: UnixTime,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool
}

/// What a new password by a ticket does.
public struct PasswordResetEffect: Hashable, Sendable {
    /// Which is spent.
    public let ticket: Ticket
    /// The user as read; known again by `updatedAt`.
    public let old: User
    /// As it is to be, with another `updatedAt`; the names stay, but for whether they are verified.
    public let new: User
    public let password: PasswordRecord
    /// Whether the user's passkeys and recovery codes go: whoever made them need not own the address.
    public let removesPasskeys: Bool
    /// Names whose tries in vain are forgotten.
    public let tries: [TriedName]
    /// Lets the same person look through their passkeys; `nil` where there are none.
    public let review: Ticket?

    public init(
        ticket: Ticket,
        old: User,
        new: User,
        password: PasswordRecord,
        removesPasskeys: Bool,
        tries: [TriedName],
        review: Ticket?
    ) {
        self.ticket = ticket
        self.old = old
        self.new = new
        self.password = password
        self.removesPasskeys = removesPasskeys
        self.tries = tries
        self.review = review
    }
}

public enum PasswordResetOutcome: Hashable, Sendable {
    case done
    /// It was spent, or is over.
    case ticketGone
    /// Somebody else changed the user since; nothing was done, and the ticket is there still.
    case changedMeanwhile
}
