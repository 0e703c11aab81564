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
    }
}

/// Keeps tickets until they are used or over.
public protocol TicketStore: Sendable {
    func add(_ ticket: Ticket, audit: AuditEvent) async throws(StoreError)
    /// Takes a ticket out, atomically: of two callers one gets `nil`.
    func takeTicket(
        hash: [UInt8],
        for purpose: Ticket.Purpose,
        of tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> Ticket?
}
