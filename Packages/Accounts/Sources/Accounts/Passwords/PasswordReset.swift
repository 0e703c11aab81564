internal import Cryptography
internal import Encodings
public import Identity

/// Sets a new password by a ticket (HTTP contract 9.2), which came by mail or from an administrator.
public struct PasswordReset: Sendable {
    private let store: any TicketStore & UserStore & PasswordStore & CredentialStore
    private let hasher: PasswordHasher
    private let breached: @Sendable () -> BreachedPasswords
    private let random: RandomSource

    /// Seconds in which the passkeys can be looked through afterwards.
    private static let reviewLife: Int64 = 1800
    /// How often it begins anew when somebody else changes the user at the same time.
    private static let attempts = 5

    /// - Parameters:
    ///   - store: where users and tickets are kept.
    ///   - hasher: hashes passwords.
    ///   - breached: those that nobody may choose, as they are known now.
    ///   - random: gives secrets.
    public init(
        store: any TicketStore & UserStore & PasswordStore & CredentialStore,
        hasher: PasswordHasher,
        breached: @escaping @Sendable () -> BreachedPasswords,
        random: @escaping RandomSource
    ) {
        self.store = store
        self.hasher = hasher
        self.breached = breached
        self.random = random
    }

    /// A ticket that is good, and whom it is about.
    public struct Open: Hashable, Sendable {
        public let user: User
        public let connection: Connection
        let ticket: Ticket
        let password: PasswordRecord?

        /// Where to go when it is done, if somebody said so.
        public var resultURL: String? { ticket.parameters["result_url"]?.string }
        public var client: ClientID? { ticket.parameters["client_id"]?.string.map(ClientID.init) }

        /// Whether setting the password removes what was made before.
        public var clears: Bool { provenAddress?.isVerified == false }

        /// The user's address, when whoever has the ticket proves by it that they read what is sent there.
        var provenAddress: UserIdentifier? {
            guard let address = user.identifier(.email) else { return nil }
            let parameters = ticket.parameters
            let proven =
                parameters["mark_email_as_verified"]?.bool == true ? parameters["address"] : parameters["email"]
            return proven?.string?.utf8.elementsEqual(address.canonical.utf8) == true ? address : nil
        }
    }

    /// Looks at a ticket, and leaves it as it is.
    ///
    /// - Parameters:
    ///   - secret: as the link has it.
    ///   - context: where.
    /// - Returns: what it is good for.
    /// - Throws: `.ticketInvalid`, also when since it was made the password or the address was changed, or the user got
    ///   back in by a recovery; `.store`.
    public func open(_ secret: String, in context: RequestContext) async throws(AccountError) -> Open {
        guard let bytes = try? Base64URL.decode(secret), bytes.count == 32 else { throw .ticketInvalid }
        let tenant = context.tenant
        let ticket = try await stored { () async throws(StoreError) in
            try await store.ticket(hash: SHA256.hash(bytes), for: .passwordChange, of: tenant, now: context.now)
        }
        guard let ticket else { throw .ticketInvalid }
        let user = try await stored { () async throws(StoreError) in try await store.user(ticket.user, of: tenant) }
        let password = try await stored { () async throws(StoreError) in
            try await store.password(of: ticket.user, tenant: tenant)
        }
        guard let user, user.blockedAt == nil, let connection = context.configuration.connection(user.connection),
            connection.options.passwordsEnabled,
            Self.isOpen(to: password, ticket), Self.isStillOf(user, ticket)
        else { throw .ticketInvalid }
        let passkeys = try await stored { () async throws(StoreError) in
            try await store.passkeys(of: user.id, relyingPartyID: nil, tenant: tenant)
        }
        guard !passkeys.contains(where: { $0.enrolledBy == .recovery && $0.createdAt >= ticket.createdAt }) else {
            throw .ticketInvalid
        }
        return Open(user: user, connection: connection, ticket: ticket, password: password)
    }

    /// Whether the password is the one that the ticket was made to replace. Who has none gets one by an administrator's
    /// word alone: the links of mails went to those who had one, and may have retired it since.
    private static func isOpen(to password: PasswordRecord?, _ ticket: Ticket) -> Bool {
        guard let password else { return ticket.parameters["email"] == nil }
        return password.changedAt <= ticket.createdAt
    }

    /// Whether the user has the address still that the ticket was sent to, or made for.
    private static func isStillOf(_ user: User, _ ticket: Ticket) -> Bool {
        let address = user.identifier(.email)?.canonical
        return ["email", "address"].allSatisfy { name in
            guard let then = ticket.parameters[name]?.string else { return true }
            return address?.utf8.elementsEqual(then.utf8) == true
        }
    }

    /// A password that was set.
    public struct Done: Sendable {
        public let user: User
        /// Those that the user may not know, the newest first.
        public let passkeys: [Passkey]
        /// The secret by which ``review(_:removing:in:)`` lets them go.
        public let review: String?
        public let resultURL: String?
        /// Whether everything of before was removed.
        public let isCleared: Bool
    }

    /// Sets the password; sessions and refresh tokens end. When the address had never been verified before, whoever made
    /// the account need not be its owner: passkeys go as well.
    ///
    /// - Parameters:
    ///   - secret: as the link has it.
    ///   - entered: the new password as typed.
    ///   - context: where.
    /// - Returns: what is left to look through.
    /// - Throws: `.ticketInvalid`, what is wrong with the password (then the ticket is good still), `.busy` or `.store`.
    public func finish(
        _ secret: String,
        password entered: String,
        in context: RequestContext
    ) async throws(AccountError) -> Done {
        let first = try await open(secret, in: context)
        let password = try await record(entered, first, now: context.now)
        var open = first
        for _ in 0..<Self.attempts {
            let attempt = try await attempt(open, password, context)
            switch try await stored({ () async throws(StoreError) in
                try await store.reset(attempt.effect, audit: attempt.event)
            }) {
            case .done: return attempt.done
            case .ticketGone: throw .ticketInvalid
            case .changedMeanwhile: open = try await self.open(secret, in: context)
            }
        }
        throw .busy
    }

    /// Passkeys that are looked through: all that the user has.
    public struct Review: Sendable {
        /// The newest first.
        public let passkeys: [Passkey]
    }

    /// Looks at a review, and leaves it as it is.
    ///
    /// - Parameters:
    ///   - secret: of ``Done/review``, or of what a recovery left.
    ///   - context: where.
    /// - Returns: what there is to look through, but for what was made since the review began.
    /// - Throws: `.ticketInvalid` or `.store`.
    public func review(_ secret: String, in context: RequestContext) async throws(AccountError) -> Review {
        guard let bytes = try? Base64URL.decode(secret), bytes.count == 32 else { throw .ticketInvalid }
        let found = try await stored { () async throws(StoreError) in
            try await store.ticket(
                hash: SHA256.hash(bytes),
                for: .passkeyReview,
                of: context.tenant,
                now: context.now
            )
        }
        guard let ticket = found else { throw .ticketInvalid }
        let passkeys = try await stored { () async throws(StoreError) in
            try await store.passkeys(of: ticket.user, relyingPartyID: nil, tenant: context.tenant)
        }
        return Review(passkeys: passkeys.filter { $0.createdAt < ticket.createdAt })
    }

    /// Spends a review: the named passkeys go, with the tokens of their sign-ins.
    ///
    /// - Parameters:
    ///   - secret: of ``Done/review``.
    ///   - passkeys: the ids of those that the user does not know.
    ///   - context: where.
    /// - Throws: `.ticketInvalid` or `.store`.
    public func review(
        _ secret: String,
        removing passkeys: [PasskeyID],
        in context: RequestContext
    ) async throws(AccountError) {
        guard let bytes = try? Base64URL.decode(secret), bytes.count == 32 else { throw .ticketInvalid }
        let isDone = try await stored { () async throws(StoreError) in
            let found = try await store.ticket(
                hash: SHA256.hash(bytes),
                for: .passkeyReview,
                of: context.tenant,
                now: context.now
            )
            guard let found else { return false }
            let ids = passkeys.map { JSONValue.string($0.text) }
            let type = found.parameters["after"]?.string == "recovery" ? "recovery_succeeded" : "scp"
            let event = Self.event([type], found.user, ["removed_passkeys": .array(ids)], context)
            return try await store.review(found, removing: passkeys, now: context.now, audit: event)
        }
        guard isDone else { throw .ticketInvalid }
    }

    // MARK: One attempt

    private struct Attempt {
        let effect: PasswordResetEffect
        let event: AuditEvent
        let done: Done
    }

    private func attempt(
        _ open: Open,
        _ password: PasswordRecord,
        _ context: RequestContext
    ) async throws(AccountError) -> Attempt {
        let (old, proven) = (open.user, open.provenAddress)
        let isCleared = open.clears
        let passkeys = try await stored { () async throws(StoreError) in
            try await store.passkeys(of: old.id, relyingPartyID: nil, tenant: old.tenant)
        }
        var new = old
        new.updatedAt = max(context.now, old.updatedAt.adding(milliseconds: 1))
        if proven != nil { new.identifiers = old.identifiers.map(Self.verified) }
        let secret = isCleared || passkeys.isEmpty ? nil : random(32)
        return Attempt(
            effect: PasswordResetEffect(
                ticket: open.ticket,
                old: old,
                new: new,
                password: password,
                removesPasskeys: isCleared,
                tries: UserAdministration.names(of: old),
                review: secret.map { Self.review($0, of: old, context) }
            ),
            event: Self.event(["scp"], old.id, ["passkeys_removed": .bool(isCleared)], context),
            done: Done(
                user: new,
                passkeys: isCleared ? [] : passkeys,
                review: secret.map { Base64URL.encode($0) },
                resultURL: open.resultURL,
                isCleared: isCleared && !passkeys.isEmpty
            )
        )
    }

    private static func verified(_ identifier: UserIdentifier) -> UserIdentifier {
        guard identifier.kind == .email else { return identifier }
        var verified = identifier
        verified.isVerified = true
        return verified
    }

    private static func review(_ secret: [UInt8], of user: User, _ context: RequestContext) -> Ticket {
        Ticket(
            tenant: user.tenant,
            hash: SHA256.hash(secret),
            purpose: .passkeyReview,
            user: user.id,
            parameters: JSONObject(),
            createdAt: context.now,
            expiresAt: context.now.adding(seconds: reviewLife)
        )
    }

    private static func event(
        _ types: [String],
        _ user: UserID,
        _ details: JSONObject,
        _ context: RequestContext
    ) -> AuditEvent {
        AuditEvent(
            tenant: context.tenant,
            types: types,
            at: context.now,
            user: user,
            device: context.device,
            details: details
        )
    }

    /// The new password's record: by the connection's rules, and none of those before.
    private func record(_ entered: String, _ open: Open, now: UnixTime) async throws(AccountError) -> PasswordRecord {
        guard let text = PasswordText(entered) else { throw .invalid("password") }
        let options = open.connection.options.password
        try PasswordRules(options).check(
            text,
            breached: breached(),
            identifiers: open.user.identifiers,
            profile: open.user.profile
        )
        let size = options.remembersHistory ? max(0, options.historySize) : 0
        let known = (open.password.map { [$0.hash] + $0.history }) ?? []
        let earlier = Array(known.prefix(size))
        if !earlier.isEmpty {
            guard try await !hasher.isAmong(earlier, text) else { throw .passwordUsedBefore }
        }
        return PasswordRecord(hash: try await hasher.hash(text), changedAt: now, history: earlier)
    }
}
