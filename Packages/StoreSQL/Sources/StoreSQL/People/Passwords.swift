import Encodings
public import Identity

extension SQLStore {
    public func beginPasswordTry(
        nameHash: [UInt8],
        identifier: UserIdentifier?,
        in connection: ConnectionID,
        of tenant: TenantID,
        limit: Int,
        now: UnixTime
    ) async throws(StoreError) -> PasswordTry? {
        let name: [SQLValue] = [
            .tenant(tenant), .text(connection.text), .text(identifier?.kind.rawValue ?? ""),
            .text(identifier?.canonical ?? ""),
        ]
        let count = SQLStatement(
            Self.countTry,
            [.tenant(tenant), .text(connection.text), .bytes(nameHash), .time(now)] + name
                + [.integer(Int64(max(0, limit)))] + name
        )
        return try await database.write(
            .run([count, SQLStatement(Self.selectCandidate, name)]) { (results) throws(StoreError) in
                guard let inRow = try results[0].first({ (row) throws(StoreError) in try row.integer() }) else {
                    return .rollBack(nil)
                }
                let found = try results[1].first { (row) throws(StoreError) in
                    (user: try Self.user(&row), password: try Self.passwordIfAny(&row))
                }
                let result = PasswordTry(inRow: Int(clamping: inRow), user: found?.user, password: found?.password)
                return .commit([], result)
            }
        )
    }

    public func finishLogin(_ use: PasswordUse, login: LoginEffect) async throws(StoreError) -> Bool {
        let user = [SQLValue.tenant(use.tenant), .user(use.user)]
        var effects = [
            SQLStatement(
                Self.forgetTries,
                [.tenant(use.tenant), .text(use.connection.text), .bytes(use.nameHash)]
            )
        ]
        if let newHash = use.newHash {
            effects.append(SQLStatement(Self.rehash, [.text(newHash)] + user + [.text(use.hash)]))
        }
        effects += Self.statements(of: login, passkey: nil)
        let update = SQLStatement(Self.noteLogin, [.time(use.at)] + user + [.time(use.changedAt)])
        return try await database.write(.commitIfChanged(update, effects, true, otherwise: false))
    }

    public func add(
        _ user: User,
        userHandle: [UInt8],
        password: PasswordRecord,
        audit: AuditEvent
    ) async throws(StoreError) {
        let statements =
            insert(user, userHandle: userHandle) + [
                SQLStatement(
                    Self.insertPassword,
                    [
                        .tenant(user.tenant), .user(user.id), .text(password.hash), .list(password.history),
                        .time(password.changedAt),
                    ]
                ),
                Self.insert(audit),
            ]
        try await database.write(.commit(statements, ()))
    }

    public func password(of user: UserID, tenant: TenantID) async throws(StoreError) -> PasswordRecord? {
        try await database.read(
            .query(SQLStatement(Self.selectPassword, [.tenant(tenant), .user(user)])) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in try Self.passwordIfAny(&row) } ?? nil
            }
        )
    }

    /// The columns `hash, changed_at, history` of a row that may have none.
    private static func passwordIfAny(_ row: inout SQLRow) throws(StoreError) -> PasswordRecord? {
        let hash = try row.textIfAny()
        let changedAt = try row.timeIfAny()
        let history = try row.list()
        guard let hash, let changedAt else { return nil }
        return PasswordRecord(hash: hash, changedAt: changedAt, history: history)
    }

    /// When a passkey of whoever has the name was used last; NULL, which is after nothing, for never.
    private static let lastPasskeyUse = """
        (
            SELECT MAX(a.last_used_at) FROM identifier i
            JOIN user_activity a ON a.tenant_id = i.tenant_id AND a.user_id = i.user_id AND a.family_id = x''
            WHERE i.tenant_id = ? AND i.connection_id = ? AND i.kind = ? AND i.canonical = ?
        )
        """
    private static let countTry = SQL(
        """
        INSERT INTO password_try (tenant_id, connection_id, name_hash, tries, last_at) VALUES (?, ?, ?, 1, ?)
        ON CONFLICT (tenant_id, connection_id, name_hash) DO UPDATE SET
            tries = CASE WHEN password_try.last_at < \(lastPasskeyUse) THEN 1 ELSE password_try.tries + 1 END,
            last_at = excluded.last_at
        WHERE password_try.tries < ? OR password_try.last_at < \(lastPasskeyUse)
        RETURNING tries
        """
    )
    private static let selectCandidate = SQL(
        """
        SELECT \(userColumns), p.hash, p.changed_at, p.history
        FROM identifier i
        JOIN user_account u ON u.tenant_id = i.tenant_id AND u.id = i.user_id
        LEFT JOIN password p ON p.tenant_id = i.tenant_id AND p.user_id = i.user_id
        WHERE i.tenant_id = ? AND i.connection_id = ? AND i.kind = ? AND i.canonical = ?
        """
    )
    private static let noteLogin = SQL(
        """
        UPDATE user_account SET last_login = ?, logins_count = logins_count + 1
        WHERE tenant_id = ? AND id = ? AND blocked_at IS NULL AND EXISTS (
            SELECT 1 FROM password p
            WHERE p.tenant_id = user_account.tenant_id AND p.user_id = user_account.id AND p.changed_at = ?
        )
        """
    )
    private static let rehash = SQL(
        "UPDATE password SET hash = ? WHERE tenant_id = ? AND user_id = ? AND hash = ?"
    )
    static let forgetTries = SQL(
        "DELETE FROM password_try WHERE tenant_id = ? AND connection_id = ? AND name_hash = ?"
    )
    private static let insertPassword = SQL(
        "INSERT INTO password (tenant_id, user_id, hash, history, changed_at) VALUES (?, ?, ?, ?, ?)"
    )
    private static let selectPassword = SQL(
        "SELECT hash, changed_at, history FROM password WHERE tenant_id = ? AND user_id = ?"
    )
}
