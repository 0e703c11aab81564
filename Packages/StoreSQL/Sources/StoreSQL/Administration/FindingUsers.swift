public import Identity

extension SQLStore {
    public func find(_ search: UserSearch, of tenant: TenantID) async throws(StoreError) -> FoundUsers {
        let condition = (search.filter?.condition(database.dialect, of: tenant)).map { " AND \($0.text)" } ?? ""
        let values = [SQLValue.tenant(tenant)] + (search.filter?.condition(database.dialect, of: tenant).values ?? [])
        let order = search.order == .oldestFirst ? "u.created_at, u.id" : "u.created_at DESC, u.id DESC"
        var statements = [
            SQLStatement(
                SQL(
                    once: """
                        SELECT \(Self.detailColumns) FROM user_account u \(Self.detailTables)
                        WHERE u.tenant_id = ?\(condition) ORDER BY \(order) LIMIT ? OFFSET ?
                        """
                ),
                values + [.integer(Int64(max(0, search.limit))), .integer(Int64(max(0, search.skip)))]
            )
        ]
        if search.counts {
            statements.append(
                SQLStatement(
                    SQL(once: "SELECT COUNT(*) FROM user_account u WHERE u.tenant_id = ?\(condition)"),
                    values
                )
            )
        }
        return try await database.read(
            .query(statements) { (results) throws(StoreError) in
                let total = try results[1].first { (row) throws(StoreError) in try row.integer() }
                return FoundUsers(users: try results.first.map(Self.details), total: total.map { Int(clamping: $0) })
            }
        )
    }

    public func users(with identifier: UserIdentifier, of tenant: TenantID) async throws(StoreError) -> [UserDetails] {
        let select = SQLStatement(
            Self.selectByIdentifier,
            [.tenant(tenant), .tenant(tenant), .text(identifier.kind.rawValue), .text(identifier.canonical)]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in try results.first.map(Self.details) }
        )
    }

    public func details(of user: UserID, tenant: TenantID) async throws(StoreError) -> UserDetails? {
        try await database.read(
            .query(SQLStatement(Self.selectDetails, [.tenant(tenant), .user(user)])) { (results) throws(StoreError) in
                try results.first.first(Self.details)
            }
        )
    }

    private static func details(_ row: inout SQLRow) throws(StoreError) -> UserDetails {
        let user = try user(&row)
        let passwordChangedAt = try row.timeIfAny()
        return UserDetails(
            user: user,
            lastAddress: try row.textIfAny(),
            passwordChangedAt: passwordChangedAt
        )
    }

    /// The newest of what a user began is the greatest id, for it begins with the time: a family, or a session alone.
    private static let newest = """
        (SELECT a.family_id FROM user_activity a
            WHERE a.tenant_id = u.tenant_id AND a.user_id = u.id AND a.family_id > x''
            ORDER BY a.family_id DESC LIMIT 1)
        """
    /// The columns of ``details(_:)`` in its order, of a user `u` in ``detailTables``.
    private static let detailColumns = """
        \(userColumns), w.changed_at, COALESCE(
            (SELECT f.initial_address FROM refresh_family f WHERE f.tenant_id = u.tenant_id AND f.id = \(newest)),
            (SELECT s.address FROM session s WHERE s.tenant_id = u.tenant_id AND s.id = \(newest)))
        """
    private static let detailTables = "LEFT JOIN password w ON w.tenant_id = u.tenant_id AND w.user_id = u.id"
    private static let selectDetails = SQL(
        "SELECT \(detailColumns) FROM user_account u \(detailTables) WHERE u.tenant_id = ? AND u.id = ?"
    )
    private static let selectByIdentifier = SQL(
        """
        SELECT \(detailColumns) FROM connection c
        JOIN identifier i ON i.tenant_id = c.tenant_id AND i.connection_id = c.id
        JOIN user_account u ON u.tenant_id = i.tenant_id AND u.id = i.user_id \(detailTables)
        WHERE c.tenant_id = ? AND i.tenant_id = ? AND i.kind = ? AND i.canonical = ? ORDER BY c.id
        """
    )
}
