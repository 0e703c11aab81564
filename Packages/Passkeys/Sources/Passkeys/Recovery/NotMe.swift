internal import Cryptography
internal import Encodings
public import Identity

/// Ends what somebody did in a user's name, at the word of whoever got the notice (HTTP contract 9.4, 9.5).
public struct NotMe: Sendable {
    private let tickets: any TicketStore
    private let users: any UserStore & PasswordStore
    private let store: any RecoveryStore
    private let random: RandomSource

    /// Seconds in which a new password can be set afterwards.
    private static let resetLife: Int64 = 3600

    /// - Parameters:
    ///   - tickets: where the links of notices are kept.
    ///   - users: where users and passwords are kept.
    ///   - store: takes back what was done.
    ///   - random: gives secrets.
    public init(
        tickets: any TicketStore,
        users: any UserStore & PasswordStore,
        store: any RecoveryStore,
        random: @escaping RandomSource
    ) {
        self.tickets = tickets
        self.users = users
        self.store = store
        self.random = random
    }

    /// A link that is good, and what it takes back.
    public struct Open: Sendable {
        public let user: User
        public let connection: Connection
        let ticket: Ticket
        let passkey: PasskeyID?

        /// Whether a passkey goes; else a recovery is stopped that is under way.
        public var removesPasskey: Bool { passkey != nil }
    }

    /// Looks at a link, and leaves it as it is.
    ///
    /// - Parameters:
    ///   - secret: as the link has it, whatever came.
    ///   - context: where.
    /// - Returns: `nil` when it is not, or no longer, good here.
    /// - Throws: `.store`.
    public func open(_ secret: String, in context: RequestContext) async throws(PasskeyError) -> Open? {
        guard let bytes = try? Base64URL.decode(secret), bytes.count == 32 else { return nil }
        let found = try await stored { () async throws(StoreError) in
            try await tickets.ticket(
                hash: SHA256.hash(bytes),
                for: .disowning,
                of: context.tenant,
                now: context.now
            )
        }
        guard let ticket = found else { return nil }
        let user = try await stored { () async throws(StoreError) in
            try await users.user(ticket.user, of: context.tenant)
        }
        guard let user, let connection = context.configuration.connection(user.connection) else { return nil }
        let passkey = ticket.parameters["passkey"]?.string.map { PasskeyID($0) }
        return Open(user: user, connection: connection, ticket: ticket, passkey: passkey)
    }

    /// Spends the link.
    ///
    /// - Returns: whether it was good still, and the secret by which a new password is set; `nil` where none is.
    /// - Throws: `.store`.
    public func run(_ open: Open, in context: RequestContext) async throws(PasskeyError) -> Done? {
        let secret = try await isResettable(open) ? random(32) : nil
        let disowning = Disowning(
            ticket: open.ticket,
            passkey: open.passkey,
            reset: secret.map { reset($0, open, context) }
        )
        var details: JSONObject = ["by": "notice"]
        if let passkey = open.passkey {
            details.set("authenticator", ["type": "passkey", "id": .string(passkey.text)])
        } else {
            details.set("reason", "disowned")
        }
        let event = AuditEvent(
            tenant: context.tenant,
            types: [open.removesPasskey ? "passkey_disowned" : "recovery_failed"],
            at: context.now,
            user: open.user.id,
            connection: open.connection.id,
            device: context.device,
            details: details
        )
        let isDone = try await stored { () async throws(StoreError) in
            try await store.disown(disowning, audit: event)
        }
        return isDone ? Done(reset: secret.map { Base64URL.encode($0) }) : nil
    }

    /// Whether a password is to be replaced: who has none gets none by it.
    private func isResettable(_ open: Open) async throws(PasskeyError) -> Bool {
        guard open.removesPasskey, open.connection.options.passwordsEnabled, open.user.blockedAt == nil else {
            return false
        }
        let password = try await stored { () async throws(StoreError) in
            try await users.password(of: open.user.id, tenant: open.user.tenant)
        }
        return password != nil
    }

    /// What was taken back.
    public struct Done: Sendable {
        /// For the page of a forgotten password, 43 characters.
        public let reset: String?
    }

    /// Whoever had the link reads what is sent to the address, as with one that a forgotten password brings.
    private func reset(_ secret: [UInt8], _ open: Open, _ context: RequestContext) -> Ticket {
        var parameters = JSONObject()
        if let email = open.ticket.parameters["email"] { parameters.set("email", email) }
        return Ticket(
            tenant: context.tenant,
            hash: SHA256.hash(secret),
            purpose: .passwordChange,
            user: open.user.id,
            parameters: parameters,
            createdAt: context.now,
            expiresAt: context.now.adding(seconds: Self.resetLife)
        )
    }
}
