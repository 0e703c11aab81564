internal import Cryptography
internal import Encodings
public import Identity

/// Signs a user in by password (HTTP contract 5.4, 9.3).
public struct PasswordLogin: Sendable {
    private let passwords: any PasswordStore
    private let hasher: PasswordHasher
    private let note: @Sendable (AuditEvent) -> Void

    /// - Parameters:
    ///   - passwords: where passwords are kept.
    ///   - hasher: compares them.
    ///   - note: writes events down that belong to no transaction.
    public init(
        passwords: any PasswordStore,
        hasher: PasswordHasher,
        note: @escaping @Sendable (AuditEvent) -> Void
    ) {
        self.passwords = passwords
        self.hasher = hasher
        self.note = note
    }

    /// A user who proved the password; nothing is stored yet.
    public struct Verified: Sendable {
        public let authentication: Authentication
        /// When the password was set.
        public let passwordChangedAt: UnixTime
        let use: PasswordUse

        public var user: User { authentication.user }

        fileprivate init(authentication: Authentication, passwordChangedAt: UnixTime, use: PasswordUse) {
            self.authentication = authentication
            self.passwordChangedAt = passwordChangedAt
            self.use = use
        }
    }

    /// Finds whom `username` means and compares the password. The work and the answer are the same for a name that
    /// nobody has, a user without a password, and a connection without passwords.
    ///
    /// - Parameters:
    ///   - username: an e-mail address, a phone number or a user name, as typed.
    ///   - password: as typed.
    ///   - realm: the name of the connection; `nil`: the tenant's default directory.
    ///   - triesInRow: how many a name has, from wherever they come (NIST SP 800-63B §5.2.2 has 100); `nil`: no limit.
    ///   - client: the client that asks.
    ///   - context: where.
    /// - Returns: the proof.
    /// - Throws: `.directory`, `.wrongCredentials`, `.accountLocked`, `.userBlocked`, `.busy` or `.store`.
    public func verify(
        username: String,
        password: String,
        realm: String?,
        triesInRow: Int?,
        client: Client,
        in context: RequestContext
    ) async throws(AccountError) -> Verified {
        let connection: Connection
        do throws(DirectoryError) {
            connection = try context.connection(realm: realm, for: client)
        } catch { throw .directory(error) }
        let identifier = CanonicalIdentifier.any(username, usernameLength: connection.options.usernameLength)
        let nameHash = Self.nameHash(identifier, username)
        let found = try await stored { () async throws(StoreError) in
            try await passwords.beginPasswordTry(
                nameHash: nameHash,
                identifier: identifier,
                in: connection.id,
                of: context.tenant,
                limit: triesInRow ?? .max,
                now: context.now
            )
        }
        guard let found else {
            note(event(["limit_wc"], user: nil, client, connection, "account_locked", context))
            throw .accountLocked
        }
        let record = connection.options.passwordsEnabled ? found.password : nil
        let verdict = try await hasher.verify(PasswordText(password), against: record?.hash)
        guard verdict.isRight, let user = found.user, let record else {
            let type = found.user == nil ? "fu" : "fp"
            note(event([type, "fepft"], user: found.user?.id, client, connection, "wrong_credentials", context))
            throw .wrongCredentials
        }
        guard user.blockedAt == nil else {
            note(event(["f", "fepft"], user: user.id, client, connection, "user_blocked", context))
            throw .userBlocked
        }
        return Verified(
            authentication: Authentication(user: user, amr: ["pwd"], acr: nil, passkey: nil, at: context.now),
            passwordChangedAt: record.changedAt,
            use: PasswordUse(
                tenant: context.tenant,
                user: user.id,
                connection: connection.id,
                nameHash: nameHash,
                hash: record.hash,
                changedAt: record.changedAt,
                newHash: verdict.newHash,
                at: context.now
            )
        )
    }

    /// Stores session and tokens in one durable step, or nothing.
    ///
    /// - Parameters:
    ///   - verified: the proof.
    ///   - session: the new session.
    ///   - refresh: the refresh-token family, if there is one.
    ///   - cookieHash: SHA-256 of the browser's new cookie, when one is set.
    ///   - replacedCookieHash: that of the one it had, which is dead from now on.
    ///   - client: the client that asks.
    ///   - context: where.
    /// - Throws: `.wrongCredentials` when the user was blocked, or got another password, meanwhile; `.store`.
    public func store(
        _ verified: Verified,
        session: Session,
        refresh: NewRefresh?,
        cookieHash: [UInt8]? = nil,
        replacedCookieHash: [UInt8]? = nil,
        client: Client,
        in context: RequestContext
    ) async throws(AccountError) {
        let effect = LoginEffect(
            session: session,
            cookieHash: cookieHash,
            replacedCookieHash: replacedCookieHash,
            refresh: refresh,
            ceremony: nil,
            audit: AuditEvent(
                tenant: context.tenant,
                types: ["s", "sepft"],
                at: context.now,
                user: verified.user.id,
                client: client.id,
                connection: verified.use.connection,
                device: context.device,
                details: ["prompts": [["name": "password", "performed_amr": ["pwd"], "performed_acr": []]]]
            )
        )
        let isDone = try await stored { () async throws(StoreError) in
            try await passwords.finishLogin(verified.use, login: effect)
        }
        guard isDone else { throw .wrongCredentials }
    }

    /// What stands for a name where tries are counted by address: the same for every way to type it, and 32 characters.
    public static func countedName(_ typed: String) -> String {
        let identifier = CanonicalIdentifier.any(typed, usernameLength: 1...128)
        return Hex.encode(nameHash(identifier, typed).prefix(16))
    }

    /// What a name is counted under: its kind and canonical form; what is no name, as it was typed.
    static func nameHash(_ identifier: UserIdentifier?, _ typed: String) -> [UInt8] {
        guard let identifier else { return SHA256.hash([0] + Array(typed.utf8.prefix(4096))) }
        return SHA256.hash(Array("\(identifier.kind.rawValue):\(identifier.canonical)".utf8))
    }

    private func event(
        _ types: [String],
        user: UserID?,
        _ client: Client,
        _ connection: Connection,
        _ reason: String,
        _ context: RequestContext
    ) -> AuditEvent {
        AuditEvent(
            tenant: context.tenant,
            types: types,
            at: context.now,
            user: user,
            client: client.id,
            connection: connection.id,
            device: context.device,
            details: ["reason": .string(reason)]
        )
    }
}
