public import Identity

extension SQLStore {
    public func adoption(
        of tenant: TenantID,
        after last: UserID?,
        limit: Int
    ) async throws(StoreError) -> AdoptionPage {
        let start = last.map(SQLValue.user) ?? .bytes([])
        let page: [SQLValue] = [.tenant(tenant), start, .integer(Int64(limit))]
        return try await database.read(
            .query(
                SQLStatement(Self.countAdoption, page),
                SQLStatement(Self.selectLastOfPage, [.tenant(tenant), start, .integer(Int64(max(1, limit) - 1))])
            ) { (results) throws(StoreError) in
                var counts: [ConnectionID: AdoptionCount] = [:]
                for (connection, count) in try results[0].map(Self.adoptionCount) { counts[connection] = count }
                return AdoptionPage(
                    counts: counts,
                    last: try results[1].first { (row) throws(StoreError) in try row.user() }
                )
            }
        )
    }

    private static func adoptionCount(_ row: inout SQLRow) throws(StoreError) -> (ConnectionID, AdoptionCount) {
        let connection = ConnectionID(try row.text())
        var count = AdoptionCount()
        count.users = Int(try row.integer())
        count.blocked = Int(try row.integer())
        count.passkeyOnly = Int(try row.integer())
        count.passkeyAndPassword = Int(try row.integer())
        count.passwordOnly = Int(try row.integer())
        count.nothing = Int(try row.integer())
        count.couldRetirePassword = Int(try row.integer())
        count.passkeys = Int(try row.integer())
        return (connection, count)
    }

    /// What belongs to each user of the page is found by its index, once: no engine takes a subquery with a limit apart.
    private static let countAdoption = SQL(
        """
        SELECT connection_id, COUNT(*), COUNT(CASE WHEN is_blocked = 1 THEN 1 END),
            COUNT(CASE WHEN is_blocked = 0 AND passkeys > 0 AND passwords = 0 THEN 1 END),
            COUNT(CASE WHEN is_blocked = 0 AND passkeys > 0 AND passwords > 0 THEN 1 END),
            COUNT(CASE WHEN is_blocked = 0 AND passkeys = 0 AND passwords > 0 THEN 1 END),
            COUNT(CASE WHEN is_blocked = 0 AND passkeys = 0 AND passwords = 0 THEN 1 END),
            COUNT(CASE WHEN is_blocked = 0 AND passwords > 0 AND (passkeys > 1 OR backups > 0) THEN 1 END),
            CAST(COALESCE(SUM(CASE WHEN is_blocked = 0 THEN passkeys ELSE 0 END), 0) AS BIGINT)
        FROM (
            SELECT u.connection_id AS connection_id, CASE WHEN u.blocked_at IS NULL THEN 0 ELSE 1 END AS is_blocked,
                (SELECT COUNT(*) FROM password w WHERE w.tenant_id = u.tenant_id AND w.user_id = u.id) AS passwords,
                (
                    SELECT COUNT(*) FROM passkey p JOIN user_activity s ON s.tenant_id = p.tenant_id
                        AND s.user_id = p.user_id AND s.family_id = x'' AND s.passkey_number = p.number
                    WHERE p.tenant_id = u.tenant_id AND p.user_id = u.id AND s.suspended_at IS NULL
                ) AS passkeys,
                (
                    SELECT COUNT(*) FROM passkey p JOIN user_activity s ON s.tenant_id = p.tenant_id
                        AND s.user_id = p.user_id AND s.family_id = x'' AND s.passkey_number = p.number
                    WHERE p.tenant_id = u.tenant_id AND p.user_id = u.id AND s.suspended_at IS NULL
                        AND s.backup_state = 1
                ) AS backups
            FROM user_account u WHERE u.tenant_id = ? AND u.id > ? ORDER BY u.id LIMIT ?
        ) page
        GROUP BY connection_id
        """
    )
    private static let selectLastOfPage = SQL(
        "SELECT id FROM user_account WHERE tenant_id = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?"
    )
}
