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
            .run(Self.selectUser(id, of: tenant)) { (results) throws(StoreError) in
                .commit([], try Self.user(results))
            }
        )
    }

    public func users(of tenant: TenantID, before cursor: UserID?, limit: Int) async throws(StoreError) -> [User] {
        let end = cursor?.bytes ?? [UInt8](repeating: 0xFF, count: 13)
        let select = SQLStatement(Self.selectUsers, [.tenant(tenant), .bytes(end), .integer(Int64(max(0, limit)))])
        return try await database.read(
            .run(select) { (results) throws(StoreError) in
                let rows = try results.first.map(Self.userRow)
                guard let newest = rows.first, let oldest = rows.last else { return .commit([], []) }
                let range: [SQLValue] = [.tenant(tenant), .user(oldest.id), .user(newest.id)]
                return .query(
                    SQLStatement(Self.selectIdentifiersOfRange, range),
                    SQLStatement(Self.selectActivityOfRange, range)
                ) { (results) throws(StoreError) in
                    let identifiers = Dictionary(grouping: try results[0].map(Self.ownedIdentifier), by: \.user)
                    let activity = Dictionary(
                        try results[1].map(Self.ownedActivity).map { ($0.user, $0.activity) },
                        uniquingKeysWith: { first, _ in first }
                    )
                    return rows.map { row in
                        row.user(identifiers: (identifiers[row.id] ?? []).map(\.identifier), activity[row.id])
                    }
                }
            }
        )
    }

    public func userHandle(of user: UserID, tenant: TenantID) async throws(StoreError) -> [UInt8]? {
        try await database.read(
            .query(SQLStatement(Self.selectHandles, [.tenant(tenant), .user(user)])) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in try row.bytes() }
            }
        )
    }

    public func signUp(
        _ user: User,
        userHandle: [UInt8],
        passkey: Passkey,
        login: LoginEffect
    ) async throws(StoreError) {
        // The identifiers come first: of two sign-ups with one of them, the loser stops here, with nothing done.
        let account =
            Self.insert(user) + [
                SQLStatement(
                    Self.insertHandle,
                    [.tenant(user.tenant), .bytes(userHandle), .user(user.id), .time(user.createdAt)],
                    conflict: .userHandle
                )
            ]
        try await database.write(
            .run(account + [Self.insert(passkey)]) { (results) throws(StoreError) in
                let number = try Self.number(results[account.count])
                return .commit(
                    Self.insertDetails(of: passkey, as: number) + Self.statements(of: login, passkey: number),
                    ()
                )
            }
        )
    }

    private static func insert(_ user: User) -> [SQLStatement] {
        let identifiers = user.identifiers.enumerated().map { position, identifier in
            SQLStatement(
                insertIdentifier,
                [
                    .tenant(user.tenant), .text(user.connection.text), .text(identifier.kind.rawValue),
                    .text(identifier.canonical), .user(user.id), .integer(Int64(position)), .text(identifier.entered),
                    .bool(identifier.isVerified),
                ],
                conflict: .identifier,
                otherwise: .unique(.identifier)
            )
        }
        let profile = user.profile
        let account = SQLStatement(
            insertUser,
            [
                .tenant(user.tenant), .user(user.id), .text(user.connection.text), .text(ifAny: profile.name),
                .text(ifAny: profile.givenName), .text(ifAny: profile.familyName), .text(ifAny: profile.nickname),
                .text(ifAny: profile.picture), .details(profile.userMetadata), .details(profile.appMetadata),
                .time(user.blockedAt), .time(user.createdAt), .time(user.updatedAt), .time(user.lastLogin),
                .integer(user.loginsCount),
            ]
        )
        return identifiers + [account]
    }

    private static let selectUserByIdentifier = SQL(
        "SELECT user_id FROM identifier WHERE tenant_id = ? AND connection_id = ? AND kind = ? AND canonical = ?"
    )
    static let selectHandles = SQL(
        "SELECT handle FROM user_handle WHERE tenant_id = ? AND user_id = ? ORDER BY added_at, handle"
    )
    private static let insertHandle = SQL(
        "INSERT INTO user_handle (tenant_id, handle, user_id, added_at) VALUES (?, ?, ?, ?)"
    )
    private static let insertIdentifier = SQL(
        """
        INSERT INTO identifier (tenant_id, connection_id, kind, canonical, user_id, position, entered, is_verified)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (tenant_id, connection_id, kind, canonical) DO NOTHING
        """
    )
    private static let insertUser = SQL(
        """
        INSERT INTO user_account
            (tenant_id, id, connection_id, name, given_name, family_name, nickname, picture, user_metadata,
            app_metadata, blocked_at, created_at, updated_at, last_login, logins_count)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let selectUsers = SQL(
        """
        SELECT tenant_id, id, connection_id, name, given_name, family_name, nickname, picture, user_metadata,
            app_metadata, blocked_at, created_at, updated_at, last_login, logins_count
        FROM user_account WHERE tenant_id = ? AND id < ? ORDER BY id DESC LIMIT ?
        """
    )
    private static let selectIdentifiersOfRange = SQL(
        """
        SELECT user_id, kind, canonical, entered, is_verified FROM identifier
        WHERE tenant_id = ? AND user_id BETWEEN ? AND ? ORDER BY user_id, position
        """
    )
    private static let selectActivityOfRange = SQL(
        """
        SELECT user_id, MAX(last_used_at), CAST(SUM(use_count) AS BIGINT) FROM user_activity
        WHERE tenant_id = ? AND user_id BETWEEN ? AND ? AND family_id = x'' GROUP BY user_id
        """
    )
}
