/// A mail's id: `mail_` and 22 characters.
public struct MailID: Hashable, Sendable {
    public let id: TimeOrderedID

    public init(_ id: TimeOrderedID) {
        self.id = id
    }

    /// Reads `mail_` and 22 characters.
    public init?(_ text: String) {
        guard text.utf8.count == 27, text.utf8.starts(with: "mail_".utf8),
            let id = TimeOrderedID(base62: text.utf8.dropFirst(5))
        else { return nil }
        self.id = id
    }

    public var text: String { "mail_" + id.base62 }
}

/// A mail that is to be sent. To whom, and what it says, only the deployment's keys can tell.
public struct OutboxMail: Hashable, Sendable {
    public let id: MailID
    public let tenant: TenantID
    public let kind: MailKind
    /// The same for every try (RFC 5322 §3.6.4), without its angle brackets.
    public let messageID: String
    /// The letter, sealed.
    public let sealed: [UInt8]
    public let createdAt: UnixTime

    public init(
        id: MailID,
        tenant: TenantID,
        kind: MailKind,
        messageID: String,
        sealed: [UInt8],
        createdAt: UnixTime
    ) {
        self.id = id
        self.tenant = tenant
        self.kind = kind
        self.messageID = messageID
        self.sealed = sealed
        self.createdAt = createdAt
    }
}

/// A mail with the ticket that its link carries: both are stored, or neither.
public struct Notice: Hashable, Sendable {
    public let mail: OutboxMail
    public let ticket: Ticket

    public init(mail: OutboxMail, ticket: Ticket) {
        self.mail = mail
        self.ticket = ticket
    }
}

/// A mail as it waits, or as it was given up.
public struct QueuedMail: Hashable, Sendable {
    public let mail: OutboxMail
    /// How often it was tried in vain.
    public let tries: Int
    /// When it is tried next, or when the lease of whoever sends it is over; `nil`: never.
    public let dueAt: UnixTime?
    /// Why the last try failed.
    public let failure: String?
    /// When it was given up.
    public let diedAt: UnixTime?

    public init(mail: OutboxMail, tries: Int, dueAt: UnixTime?, failure: String?, diedAt: UnixTime?) {
        self.mail = mail
        self.tries = tries
        self.dueAt = dueAt
        self.failure = failure
        self.diedAt = diedAt
    }
}

/// The right of one worker to send one mail: 16 random bytes.
public struct MailLease: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(random bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// How many mails there are.
public struct MailCount: Hashable, Sendable {
    public var waiting: Int64
    public var dead: Int64

    public init(waiting: Int64, dead: Int64) {
        self.waiting = waiting
        self.dead = dead
    }
}
