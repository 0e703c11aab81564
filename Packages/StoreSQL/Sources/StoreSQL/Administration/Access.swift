public import Identity

extension SQLStore {
    public func sessions(
        of user: UserID,
        after last: SessionID?,
        limit: Int,
        tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> [Session] {
        let key: [SQLValue] = [.tenant(tenant), .user(user)]
        let select = SQLStatement(
            Self.selectSessionsOfUser,
            [.tenant(tenant)] + key + key
                + [.bytes(last?.id.bytes ?? []), .time(now), .time(now), .integer(Int64(max(0, limit)))]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in try results.first.map(Self.session) }
        )
    }

    public func refreshFamilies(
        of user: UserID,
        after last: RefreshFamilyID?,
        limit: Int,
        tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> [RefreshFamily] {
        let select = SQLStatement(
            Self.selectFamiliesOfUser,
            [
                .tenant(tenant), .user(user), .bytes(last?.id.bytes ?? []), .time(now),
                .integer(Int64(max(0, limit))),
            ]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in try results.first.map(Self.wholeFamily) }
        )
    }

    public func refreshFamily(_ id: RefreshFamilyID, of tenant: TenantID) async throws(StoreError) -> RefreshFamily? {
        try await database.read(
            .query(SQLStatement(Self.selectFamily, [.tenant(tenant), .id(id.id)])) { (results) throws(StoreError) in
                try results.first.first(Self.wholeFamily)
            }
        )
    }

    public func withdraw(
        _ withdrawal: Withdrawal,
        of tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) {
        let (now, owner) = (SQLValue.time(audit.at), SQLValue.tenant(tenant))
        var statements: [SQLStatement]
        switch withdrawal {
        case .sessions(let user, tokens: true):
            statements = Self.revokeAll(of: user, tenant: tenant, at: audit.at)
        case .sessions(let user, tokens: false):
            statements = [
                SQLStatement(Self.deleteSessions, [owner, owner, .user(user), owner, .user(user)]),
                SQLStatement(Self.deleteSessionActivity, [owner, .user(user)]),
            ]
        case .session(let session, tokens: true):
            let key: [SQLValue] = [owner, .id(session.id)]
            statements = [
                SQLStatement(Self.revokeSession, [now] + key),
                SQLStatement(Self.revokeFamiliesOfSession, [now, owner] + key + [.id(session.id)]),
            ]
        case .otherSessions(let user, let session):
            let key: [SQLValue] = [owner, .user(user)]
            statements = [
                SQLStatement(Self.revokeOtherSessions, [now, owner] + key + key + [.id(session.id)]),
                SQLStatement(Self.revokeFamiliesOfOtherSessions, [now, owner] + key + [.id(session.id)]),
            ]
        case .session(let session, tokens: false):
            let id = SQLValue.id(session.id)
            statements = [
                SQLStatement(Self.deleteActivityOfSession, [owner, owner, id, id]),
                SQLStatement(Self.deleteSession, [owner, id]),
            ]
        case .tokens(let user, let client, let audience):
            statements = [
                SQLStatement(
                    Self.revokeFamiliesOfUser,
                    [
                        now, owner, owner, .user(user), .integer(client == nil ? 1 : 0), .text(client?.text ?? ""),
                        .integer(audience == nil ? 1 : 0), .text(audience ?? ""),
                    ]
                )
            ]
        case .families(let families):
            statements = families.map { SQLStatement(Self.revokeFamily, [now, owner, .id($0.id)]) }
        }
        statements.append(Self.insert(audit))
        try await database.write(.commit(statements, ()))
    }

    /// Ends all sessions and families of the user.
    static func revokeAll(of user: UserID, tenant: TenantID, at now: UnixTime) -> [SQLStatement] {
        let key: [SQLValue] = [.tenant(tenant), .user(user)]
        return [
            SQLStatement(revokeSessionsOfUser, [.time(now), .tenant(tenant)] + key + key),
            SQLStatement(
                revokeFamiliesOfUser,
                [.time(now), .tenant(tenant)] + key + [.integer(1), .text(""), .integer(1), .text("")]
            ),
        ]
    }

    private static func wholeFamily(_ row: inout SQLRow) throws(StoreError) -> RefreshFamily {
        try family(RefreshFamilyID(try row.id()), &row)
    }

    /// The ids of a user's sessions: those of the families, and those without.
    private static let sessionsOfUser = """
        SELECT a.family_id FROM user_activity a WHERE a.tenant_id = ? AND a.user_id = ? AND a.family_id > x''
        UNION
        SELECT f.session_id FROM user_activity a
        JOIN refresh_family f ON f.tenant_id = a.tenant_id AND f.id = a.family_id
        WHERE a.tenant_id = ? AND a.user_id = ? AND a.family_id > x''
        """
    private static let selectSessionsOfUser = SQL(
        """
        SELECT \(sessionColumns) FROM session WHERE tenant_id = ? AND id IN (\(sessionsOfUser))
            AND id > ? AND revoked_at IS NULL AND expires_at > ? AND idle_expires_at > ?
        ORDER BY id LIMIT ?
        """
    )
    private static let revokeSessionsOfUser = SQL(
        """
        UPDATE session SET revoked_at = ?
        WHERE tenant_id = ? AND id IN (\(sessionsOfUser)) AND revoked_at IS NULL
        """
    )
    private static let revokeOtherSessions = SQL(
        """
        UPDATE session SET revoked_at = ?
        WHERE tenant_id = ? AND id IN (\(sessionsOfUser)) AND id <> ? AND revoked_at IS NULL
        """
    )
    private static let revokeFamiliesOfOtherSessions = SQL(
        """
        UPDATE refresh_family SET revoked_at = ?
        WHERE tenant_id = ? AND id IN (
            SELECT family_id FROM user_activity WHERE tenant_id = ? AND user_id = ? AND family_id > x'')
            AND session_id <> ? AND revoked_at IS NULL
        """
    )
    /// Those that a passkey began: who has it no more is signed in no more.
    static let revokeSessionsOfPasskey = SQL(
        """
        UPDATE session SET revoked_at = ?
        WHERE tenant_id = ? AND id IN (\(sessionsOfUser)) AND passkey_number = ? AND id <> ? AND revoked_at IS NULL
        """
    )
    static let deleteSessions = SQL("DELETE FROM session WHERE tenant_id = ? AND id IN (\(sessionsOfUser))")
    /// What lists sessions that no family began with.
    private static let deleteSessionActivity = SQL(
        """
        DELETE FROM user_activity
        WHERE tenant_id = ? AND user_id = ? AND family_id > x'' AND passkey_number = 0 AND NOT EXISTS (
            SELECT 1 FROM refresh_family f WHERE f.tenant_id = user_activity.tenant_id AND f.id = user_activity.family_id)
        """
    )
    private static let deleteActivityOfSession = SQL(
        """
        DELETE FROM user_activity
        WHERE tenant_id = ? AND user_id = (SELECT s.user_id FROM session s WHERE s.tenant_id = ? AND s.id = ?)
            AND family_id = ? AND passkey_number = 0
        """
    )
    private static let revokeSession = SQL(
        "UPDATE session SET revoked_at = ? WHERE tenant_id = ? AND id = ? AND revoked_at IS NULL"
    )
    private static let selectFamily = SQL(
        "SELECT f.id, \(familyColumns) FROM refresh_family f WHERE f.tenant_id = ? AND f.id = ?"
    )
    private static let selectFamiliesOfUser = SQL(
        """
        SELECT f.id, \(familyColumns) FROM user_activity a
        JOIN refresh_family f ON f.tenant_id = a.tenant_id AND f.id = a.family_id
        WHERE a.tenant_id = ? AND a.user_id = ? AND a.family_id > ? AND f.revoked_at IS NULL
            AND (f.expires_at IS NULL OR f.expires_at > ?)
        ORDER BY a.family_id LIMIT ?
        """
    )
    private static let revokeFamiliesOfUser = SQL(
        """
        UPDATE refresh_family SET revoked_at = ?
        WHERE tenant_id = ? AND id IN (
            SELECT family_id FROM user_activity WHERE tenant_id = ? AND user_id = ? AND family_id > x'')
            AND (? = 1 OR client_id = ?) AND (? = 1 OR audience = ?) AND revoked_at IS NULL
        """
    )
}
