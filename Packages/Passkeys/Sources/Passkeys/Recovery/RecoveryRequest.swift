internal import Cryptography
internal import Encodings
public import Identity

/// The way back into an account for whoever lost what they signed in with (HTTP contract 9.5): somebody names the account
/// and gets a session; a code that is mailed, or one that was printed, then proves that it is theirs. Nobody learns from
/// it whether a name has an account: the answers are the same, and so is the work.
public struct RecoveryRequest: Sendable {
    private let store: any RecoveryStore & UserStore
    private let notices: Notices
    private let key: [UInt8]
    private let random: RandomSource

    /// Seconds in which codes are taken.
    static let life: Int64 = 600
    /// Seconds in which a ceremony may end that a code began.
    private static let longestLife: Int64 = 1800
    /// Wrong codes after which none is right.
    private static let limit = 5

    /// - Parameters:
    ///   - store: where users and recoveries are kept.
    ///   - notices: tells of them.
    ///   - key: codes are hashed under it, 32 bytes.
    ///   - random: gives sessions and codes.
    public init(
        store: any RecoveryStore & UserStore,
        notices: Notices,
        key: [UInt8],
        random: @escaping RandomSource
    ) {
        self.store = store
        self.notices = notices
        self.key = key
        self.random = random
    }

    /// Begins a recovery.
    ///
    /// - Parameters:
    ///   - identifier: as typed.
    ///   - name: what its tries are counted under: stands for the identifier, and is not it.
    ///   - connection: whose users are looked among.
    ///   - isSent: false when the name has had its mails for now; then the work is the same, and nothing is sent.
    ///   - surface: the interface that asks, at which the new passkey is made.
    ///   - client: who asks.
    ///   - context: where.
    /// - Returns: the session: 43 characters, whether or not anybody has the name.
    /// - Throws: `.grantNotAllowed`, `.clientNotFirstParty`, `.passkeysDisabledForTenant`,
    ///   `.passkeysDisabledForConnection`, `.customDomainRequired` or `.store`.
    public func start(
        _ identifier: String,
        countedAs name: String,
        in connection: Connection,
        isSent: Bool,
        surface: CeremonySurface,
        client: Client,
        in context: RequestContext
    ) async throws(PasskeyError) -> String {
        try context.checkMayUsePasskeys(client, at: surface)
        try context.checkSwitches(connection, at: surface)
        let named = CanonicalIdentifier.any(identifier, usernameLength: connection.options.usernameLength)
        let nobody = UserID(now: context.now, random: random(8))
        let tenant = context.tenant
        let user: User? = try await stored { () async throws(StoreError) in
            var id: UserID?
            if let named { id = try await store.user(with: named, in: connection.id, of: tenant) }
            return try await store.user(id ?? nobody, of: tenant)
        }
        // Made for nobody, too.
        let session = random(32)
        let code = Self.code(random)
        let mails = connection.options.recoveryMethods.contains(.email)
        let isOpen = user != nil && user?.blockedAt == nil
        // Whom nothing can be sent to has a stranger's letter, which is not sent.
        let reader = user.flatMap { notices.canReach($0) ? $0 : nil }
        let stranger = Self.stranger(nobody, identifier, connection, context)
        let written = notices.ofStart(
            code: mails ? code : nil,
            to: reader ?? stranger,
            seconds: Self.longestLife,
            context
        )
        let isReached = isOpen && isSent && reader != nil && !written.isEmpty
        let hash = SHA256.hash(session)
        let recovery = StartedRecovery(
            tenant: tenant,
            hash: hash,
            client: client.id,
            connection: connection.id,
            user: isOpen ? user?.id ?? nobody : nobody,
            name: name,
            codeHash: isReached && mails ? hashed(code, for: hash, reader ?? stranger) : random(32),
            createdAt: context.now,
            expiresAt: context.now.adding(seconds: Self.life),
            keptUntil: context.now.adding(seconds: Self.longestLife)
        )
        var event = JSONObject()
        if user == nil { event.set("reason", "unknown_user") } else if !isOpen { event.set("reason", "user_blocked") }
        if isOpen { event.set("mail", .string(isReached ? "sent" : isSent ? "impossible" : "rate_limited")) }
        let audit = AuditEvent(
            tenant: tenant,
            types: [isOpen ? "recovery_started" : "recovery_failed"],
            at: context.now,
            user: user?.id,
            client: client.id,
            connection: connection.id,
            device: context.device,
            details: event
        )
        try await stored { () async throws(StoreError) in
            try await store.begin(recovery, notices: written, isFeigned: !isReached, audit: audit)
        }
        return Base64URL.encode(session)
    }

    /// What somebody typed to show that an account is theirs.
    public enum Code: Hashable, Sendable {
        /// The eight digits of a mail.
        case mailed(String)
        /// One of the codes that they printed.
        case printed(String)
    }

    /// A recovery that takes codes.
    public struct Open: Sendable {
        let recovery: StartedRecovery
        /// What its tries are counted under.
        public var name: String { recovery.name }
        public var client: ClientID { recovery.client }
    }

    /// Looks at a recovery, and leaves it as it is.
    ///
    /// - Parameters:
    ///   - session: of ``start(_:countedAs:in:isSent:surface:client:in:)``, whatever came.
    ///   - context: where.
    /// - Returns: `nil` when there is none, or it takes no codes any more.
    /// - Throws: `.store`.
    public func open(_ session: String, in context: RequestContext) async throws(PasskeyError) -> Open? {
        guard let bytes = try? Base64URL.decode(session), bytes.count == 32 else { return nil }
        let found = try await stored { () async throws(StoreError) in
            try await store.recovery(SHA256.hash(bytes), of: context.tenant, now: context.now)
        }
        return found.map(Open.init)
    }

    /// Compares a code. A right one is not spent by it: that is what the new passkey does.
    ///
    /// - Parameters:
    ///   - code: as typed.
    ///   - open: the recovery.
    ///   - surface: the interface that asks, at which the new passkey is made.
    ///   - context: where.
    /// - Returns: whose account it is; `nil` when the code is wrong, or one too many was, or the connection has no such
    ///   way back.
    /// - Throws: what ``start(_:countedAs:in:isSent:surface:client:in:)`` throws.
    public func prove(
        _ code: Code,
        for open: Open,
        at surface: CeremonySurface,
        in context: RequestContext
    ) async throws(PasskeyError) -> Recovery.Leave? {
        let recovery = open.recovery
        guard let connection = context.configuration.connection(recovery.connection),
            let client = context.configuration.clients[recovery.client]
        else { return nil }
        try context.checkMayUsePasskeys(client, at: surface)
        try context.checkSwitches(connection, at: surface)
        let user = try await stored { () async throws(StoreError) in
            try await store.user(recovery.user, of: context.tenant)
        }
        let stranger = Self.stranger(recovery.user, "", connection, context)
        let tried = proof(code, recovery, user ?? stranger)
        let isAllowed = connection.options.recoveryMethods.contains(tried.kind == .mail ? .email : .recoveryCode)
        let isRight = try await stored { () async throws(StoreError) in
            try await store.tryCode(tried, for: recovery, limit: Self.limit, now: context.now)
        }
        guard isRight, isAllowed, let user, user.blockedAt == nil, user.connection == connection.id else { return nil }
        let proof = tried.kind == .mail ? RecoveryProof(.mail, hash: recovery.hash) : tried
        return Recovery.Leave(user: user, connection: connection, client: client, proof: proof)
    }

    /// What the store compares.
    private func proof(_ code: Code, _ recovery: StartedRecovery, _ user: User) -> RecoveryProof {
        switch code {
        case .mailed(let text): RecoveryProof(.mail, hash: hashed(Self.digits(text), for: recovery.hash, user))
        case .printed(let text):
            RecoveryProof(.recoveryCode, hash: RecoveryCodes.hash(text, of: recovery.user, key: key))
        }
    }

    /// What a mailed code is known by: for one recovery, and the address that it was sent to.
    private func hashed(_ code: String, for hash: [UInt8], _ user: User) -> [UInt8] {
        let address = user.identifier(.email)?.canonical ?? ""
        let message = Array("mailed code\n".utf8) + hash + Array(code.utf8) + [0] + Array(address.utf8)
        return HMACSHA256.authenticate(message, key: key)
    }

    /// What is left of what somebody typed without blanks and hyphens, at most nine digits.
    private static func digits(_ text: String) -> String {
        String(decoding: text.utf8.filter { 0x30...0x39 ~= $0 }.prefix(9), as: UTF8.self)
    }

    /// Eight digits, each as likely.
    private static func code(_ random: RandomSource) -> String {
        var digits: [UInt8] = []
        while digits.count < 8 {
            // The last bytes would make some digits likelier.
            digits += random(16).filter { $0 < 250 }.map { $0 % 10 + 0x30 }
        }
        return String(decoding: digits.prefix(8), as: UTF8.self)
    }

    /// Stands for a user where nobody has the name, so that the same letter is written.
    private static func stranger(
        _ id: UserID,
        _ identifier: String,
        _ connection: Connection,
        _ context: RequestContext
    ) -> User {
        let typed = CanonicalIdentifier.email(identifier)
        let address = typed ?? CanonicalIdentifier.email("nobody@example.com")
        return User(
            id: id,
            tenant: context.tenant,
            connection: connection.id,
            identifiers: address.map { [$0] } ?? [],
            profile: UserProfile(),
            createdAt: context.now,
            updatedAt: context.now
        )
    }
}
