import Encodings
public import Identity

extension SQLStore {
    public func user(
        with identifier: UserIdentifier,
        in connection: ConnectionID,
        of tenant: TenantID
    ) async throws(StoreError) -> UserID? {
        let select = SQLStatement(
            Self.selectUserByIdentifier,
            [
                .tenant(tenant), .text(connection.text), .text(identifier.kind.rawValue), .text(identifier.canonical),
            ]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in try row.user() }
            }
        )
    }

    public func user(_ id: UserID, of tenant: TenantID) async throws(StoreError) -> User? {
        try await database.read(
            .query(Self.selectUser(id, of: tenant)) { (results) throws(StoreError) in try results.first.first(Self.user)
            }
        )
    }

    public func users(of tenant: TenantID, before cursor: UserID?, limit: Int) async throws(StoreError) -> [User] {
        let end = cursor?.bytes ?? [UInt8](repeating: 0xFF, count: 13)
        let select = SQLStatement(Self.selectUsers, [.tenant(tenant), .bytes(end), .integer(Int64(max(0, limit)))])
        return try await database.read(
            .query(select) { (results) throws(StoreError) in try results.first.map(Self.user) }
        )
    }

    public func userHandle(of user: UserID, tenant: TenantID) async throws(StoreError) -> [UInt8]? {
        try await database.read(
            .query(SQLStatement(Self.selectHandles, [.tenant(tenant), .user(user)])) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in try row.handles() }?.first
            }
        )
    }

    public func signUp(
        _ user: User,
        userHandle: [UInt8],
        passkey: Passkey,
        login: LoginEffect
    ) async throws(StoreError) {
        try await make(user, userHandle, passkey) { number in Self.statements(of: login, passkey: number) }
    }

    public func add(
        _ user: User,
        userHandle: [UInt8],
        passkey: Passkey,
        ceremony: CeremonyRecord,
        audit: AuditEvent
    ) async throws(StoreError) {
        try await make(user, userHandle, passkey) { _ in [Self.insert(ceremony), Self.insert(audit)] }
    }

    private func make(
        _ user: User,
        _ userHandle: [UInt8],
        _ passkey: Passkey,
        with effects: @escaping @Sendable (PasskeyNumber) -> [SQLStatement]
    ) async throws(StoreError) {
        let account = insert(user, userHandle: userHandle)
        try await database.write(
            .run(account + [Self.insert(passkey)]) { (results) throws(StoreError) in
                let number = try Self.number(results[account.count])
                return .commit(Self.insertDetails(of: passkey, as: number) + effects(number), ())
            }
        )
    }

    /// The user's identifiers, row and handle. The identifiers come first: of two that take one of them, the loser stops
    /// there, with nothing done.
    func insert(_ user: User, userHandle: [UInt8]) -> [SQLStatement] {
        let identifiers = user.identifiers.map { identifier in
            SQLStatement(
                Self.insertIdentifier,
                [
                    .tenant(user.tenant), .text(user.connection.text), .text(identifier.kind.rawValue),
                    .text(identifier.canonical), .user(user.id),
                ],
                conflict: .identifier,
                otherwise: .unique(.identifier)
            )
        }
        let profile = user.profile
        let account = SQLStatement(
            Self.insertUser,
            [
                .tenant(user.tenant), .user(user.id), .text(user.connection.text), .text(ifAny: profile.name),
                .text(ifAny: profile.givenName), .text(ifAny: profile.familyName), .text(ifAny: profile.nickname),
                .text(ifAny: profile.picture), .details(profile.userMetadata), .details(profile.appMetadata),
                .identifiers(user.identifiers), .handles([userHandle]), .time(user.blockedAt), .time(user.createdAt),
                .time(user.updatedAt), .time(user.lastLogin), .integer(user.loginsCount),
            ],
            conflict: .user
        )
        let handle = SQLStatement(
            Self.insertHandle,
            [.tenant(user.tenant), .bytes(userHandle), .user(user.id)],
            conflict: .userHandle
        )
        return identifiers + [account, handle] + members(of: user)
    }

    private static let selectUserByIdentifier = SQL(
        "SELECT user_id FROM identifier WHERE tenant_id = ? AND connection_id = ? AND kind = ? AND canonical = ?"
    )
    private static let selectHandles = SQL("SELECT user_handles FROM user_account WHERE tenant_id = ? AND id = ?")
    static let insertHandle = SQL(
        "INSERT INTO user_handle (tenant_id, handle, user_id) VALUES (?, ?, ?)"
    )
    static let insertIdentifier = SQL(
        """
        INSERT INTO identifier (tenant_id, connection_id, kind, canonical, user_id) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (tenant_id, connection_id, kind, canonical) DO NOTHING
        """
    )
    private static let insertUser = SQL(
        """
        INSERT INTO user_account
            (tenant_id, id, connection_id, name, given_name, family_name, nickname, picture, user_metadata,
            app_metadata, identifiers, user_handles, blocked_at, created_at, updated_at, last_login, logins_count)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let selectUsers = SQL(
        """
        SELECT \(userColumns) FROM user_account u WHERE u.tenant_id = ? AND u.id < ? ORDER BY u.id DESC LIMIT ?
        """
    )
}
