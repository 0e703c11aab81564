public import Encodings
public import Identity

/// Makes, changes and unlocks users for those who administer a tenant (HTTP contract 11.9).
public struct UserAdministration: Sendable {
    let store: any UserAdministrationStore & PasswordStore & UserStore
    let tries: any PasswordTryStore
    let hasher: PasswordHasher?
    private let breached: @Sendable () -> BreachedPasswords
    let random: RandomSource

    /// - Parameters:
    ///   - store: where users are kept.
    ///   - tries: where tries of passwords are counted.
    ///   - hasher: hashes passwords; `nil`: none are set.
    ///   - breached: those that nobody may choose.
    ///   - random: gives ids and handles.
    public init(
        store: any UserAdministrationStore & PasswordStore & UserStore,
        tries: any PasswordTryStore,
        hasher: PasswordHasher?,
        breached: @escaping @Sendable () -> BreachedPasswords = { BreachedPasswords() },
        random: @escaping RandomSource
    ) {
        self.store = store
        self.tries = tries
        self.hasher = hasher
        self.breached = breached
        self.random = random
    }

    /// Makes a user.
    ///
    /// - Parameters:
    ///   - document: the members of the request.
    ///   - connection: the user directory.
    ///   - now: when.
    ///   - audit: the record of it, given the new user's id.
    /// - Returns: the user.
    /// - Throws: what ``UserAdministrationError`` lists.
    public func create(
        _ document: JSONObject,
        in connection: Connection,
        now: UnixTime,
        audit: (UserID) -> AuditEvent
    ) async throws(UserAdministrationError) -> UserDetails {
        let options = connection.options
        let read = try documented { () throws(DocumentError) in
            try UserDocument(document, for: .creation, in: options)
        }
        guard !read.verifiesEmail else { throw .notBuilt("verify_email: this server sends no mail yet.") }
        guard read.password != nil || options.passkeysEnabled else {
            throw .document(.missingMember(path: "password"))
        }
        var password: PasswordRecord?
        if let entered = read.password {
            let hash = try await hash(entered, options, read.identifiers, read.profile)
            password = PasswordRecord(hash: hash, changedAt: now)
        }
        let user = User(
            id: read.id ?? UserID(now: now, random: random(8)),
            tenant: connection.tenant,
            connection: connection.id,
            identifiers: read.identifiers,
            profile: read.profile,
            blockedAt: read.isBlocked ? now : nil,
            createdAt: now,
            updatedAt: now
        )
        let event = audit(user.id)
        do throws(StoreError) {
            try await store.add(NewUser(user: user, userHandle: random(32), password: password), audit: event)
        } catch .unique(.identifier), .unique(.user) {
            throw .userExists
        } catch { throw .store(error) }
        return UserDetails(user: user, lastAddress: nil, passwordChangedAt: password?.changedAt)
    }

    /// Changes a user; when somebody else is faster it begins anew with what is there then.
    ///
    /// - Parameters:
    ///   - id: whom.
    ///   - document: the members of the request.
    ///   - configuration: of the tenant.
    ///   - now: when.
    ///   - audit: the record of it.
    /// - Returns: the user as changed.
    /// - Throws: what ``UserAdministrationError`` lists.
    public func change(
        _ id: UserID,
        _ document: JSONObject,
        in configuration: TenantConfiguration,
        now: UnixTime,
        audit: AuditEvent
    ) async throws(UserAdministrationError) -> UserDetails {
        for _ in 0..<5 {
            let tenant = configuration.tenant.id
            let details = try await kept { () throws(StoreError) in try await store.details(of: id, tenant: tenant) }
            guard let details else { throw .noUser }
            let old = details.user
            guard let connection = configuration.connection(old.connection) else { throw .noUser }
            if let named = document["connection"]?.string, !named.utf8.elementsEqual(connection.name.utf8) {
                throw .document(
                    .invalidValue(
                        path: "connection",
                        value: "\"\(named.prefix(100))\"",
                        expected: "the user's own connection"
                    )
                )
            }
            let patch = try documented { () throws(DocumentError) in
                try UserPatch(document, of: old, in: connection.options)
            }
            guard !patch.sendsMail else { throw .notBuilt("verify_email: this server sends no mail yet.") }
            var new = patch.user
            new.updatedAt = max(now, old.updatedAt.adding(milliseconds: 1))
            if let isBlocked = patch.isBlocked { new.blockedAt = isBlocked ? old.blockedAt ?? now : nil }
            let password = try await newPassword(patch, of: old, in: connection, now: now)
            let change = UserChange(old: old, new: new, password: password)
            let isDone: Bool
            do throws(StoreError) {
                isDone = try await store.change(change, audit: audit)
            } catch .unique(.identifier) {
                throw .userExists
            } catch { throw .store(error) }
            if isDone {
                return UserDetails(
                    user: new,
                    lastAddress: details.lastAddress,
                    passwordChangedAt: password?.changedAt ?? details.passwordChangedAt
                )
            }
        }
        throw .changedMeanwhile
    }

    /// Blocks a user, or lets them in again.
    ///
    /// - Throws: `.noUser`, `.changedMeanwhile` or `.store`.
    public func setBlocked(
        _ isBlocked: Bool,
        _ id: UserID,
        in configuration: TenantConfiguration,
        now: UnixTime,
        audit: AuditEvent
    ) async throws(UserAdministrationError) -> UserDetails {
        try await change(id, ["blocked": .bool(isBlocked)], in: configuration, now: now, audit: audit)
    }

    private func newPassword(
        _ patch: UserPatch,
        of user: User,
        in connection: Connection,
        now: UnixTime
    ) async throws(UserAdministrationError) -> PasswordRecord? {
        guard let entered = patch.password else { return nil }
        let options = connection.options
        let old = try await kept { () throws(StoreError) in
            try await store.password(of: user.id, tenant: user.tenant)
        }
        let size = options.password.remembersHistory ? max(0, options.password.historySize) : 0
        let earlier = ((old.map { [$0.hash] } ?? []) + (old?.history ?? [])).prefix(size)
        if !earlier.isEmpty, let text = PasswordText(entered), let hasher {
            let isAmong = try await accounted { () throws(AccountError) in
                try await hasher.isAmong(Array(earlier), text)
            }
            guard !isAmong else { throw .account(.passwordUsedBefore) }
        }
        let hash = try await hash(entered, options, patch.user.identifiers, patch.user.profile)
        return PasswordRecord(hash: hash, changedAt: now, history: Array(earlier))
    }

    private func hash(
        _ entered: String,
        _ options: ConnectionOptions,
        _ identifiers: [UserIdentifier],
        _ profile: UserProfile
    ) async throws(UserAdministrationError) -> String {
        guard options.passwordsEnabled, let hasher else { throw .passwordsOff }
        guard let password = PasswordText(entered) else { throw .account(.invalid("password")) }
        let known = breached()
        return try await accounted { () throws(AccountError) in
            try PasswordRules(options.password).check(
                password,
                breached: known,
                identifiers: identifiers,
                profile: profile
            )
            return try await hasher.hash(password)
        }
    }
}

/// Why a user was not made or changed. Nothing was written, but for ``store(_:)`` with an unknown outcome.
public enum UserAdministrationError: Error, Hashable, Sendable {
    case document(DocumentError)
    /// What this build does not do yet; a sentence.
    case notBuilt(String)
    case noUser
    case userExists
    /// The connection's users have no passwords.
    case passwordsOff
    case changedMeanwhile
    /// What is wrong with the password, or `.busy`.
    case account(AccountError)
    case store(StoreError)
}

func documented<Value>(
    _ body: () throws(DocumentError) -> Value
) throws(UserAdministrationError) -> Value {
    do throws(DocumentError) { return try body() } catch { throw .document(error) }
}

func accounted<Value>(
    _ body: () async throws(AccountError) -> Value
) async throws(UserAdministrationError) -> Value {
    do throws(AccountError) { return try await body() } catch { throw .account(error) }
}

func kept<Value>(_ body: () async throws(StoreError) -> Value) async throws(UserAdministrationError) -> Value {
    do throws(StoreError) { return try await body() } catch { throw .store(error) }
}
