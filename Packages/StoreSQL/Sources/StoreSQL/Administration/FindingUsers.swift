public import Identity

extension SQLStore {
    /// First it is looked whom the conditions find that an index answers, up to where they are no longer few. Of few users
    /// the rest is asked; where they are many, the list is walked in its order until it is full.
    public func find(_ search: UserSearch, of tenant: TenantID) async throws(StoreError) -> FoundUsers {
        let scope = SearchScope(dialect: database.dialect, tenant: tenant)
        let indexed = search.filter?.indexed ?? []
        guard !indexed.isEmpty else { return try await database.read(Self.list(search, scope)) }
        let looks = indexed.compactMap { $0.finder(scope) }.map { finder in
            SQLStatement(
                SQL(once: "SELECT f.user_id FROM (\(finder.text)) f LIMIT ?"),
                finder.values + [.integer(Int64(SearchScope.fewest + 1))]
            )
        }
        return try await database.read(
            .run(looks) { (results) throws(StoreError) in
                var scope = scope
                for (index, condition) in indexed.enumerated() {
                    let found = try results[index].map { (row) throws(StoreError) in try row.bytes() }
                    if found.count <= SearchScope.fewest { scope.few[condition] = Array(Set(found)) }
                }
                return Self.list(search, scope)
            }
        )
    }

    private static func list(_ search: UserSearch, _ scope: SearchScope) -> SQLStep<FoundUsers> {
        let candidates = search.filter?.candidates(scope).map { SQLCondition.isOne(of: $0) }
        // Many who have the same in their metadata lie there in the order of the list.
        var walking = scope
        if candidates == nil { walking.walked = search.filter?.ordered }
        let conditions = [candidates, search.filter?.condition(walking)].compactMap { $0 }
        let condition = conditions.map { " AND \($0.text)" }.joined()
        let values = [SQLValue.tenant(scope.tenant)] + conditions.flatMap(\.values)
        let member = walking.walked?.member
        let (tables, place) =
            member.map { member in
                (
                    "user_member m JOIN user_account u ON u.tenant_id = m.tenant_id AND u.id = m.user_id",
                    "m.tenant_id = ? AND \(member.text) AND "
                )
            } ?? ("user_account u", "")
        let placeValues = member.map { [SQLValue.tenant(scope.tenant)] + $0.values } ?? []
        let (time, id) = member == nil ? ("u.created_at", "u.id") : ("m.created_at", "m.user_id")
        let order = search.order == .oldestFirst ? "\(time), \(id)" : "\(time) DESC, \(id) DESC"
        var statements = [
            SQLStatement(
                SQL(
                    once: """
                        SELECT \(detailColumns) FROM \(tables) \(detailTables)
                        WHERE \(place)u.tenant_id = ?\(condition) ORDER BY \(order) LIMIT ? OFFSET ?
                        """
                ),
                placeValues + values + [.integer(Int64(max(0, search.limit))), .integer(Int64(max(0, search.skip)))]
            )
        ]
        if search.counts {
            // Many whom one index finds are counted there.
            if candidates == nil, let only = search.filter?.onlyCondition, only.isCounted,
                let finder = only.finder(scope)
            {
                statements.append(
                    SQLStatement(
                        SQL(
                            once: only.findsOnce
                                ? "SELECT COUNT(*) FROM (\(finder.text)) f"
                                : "SELECT COUNT(DISTINCT f.user_id) FROM (\(finder.text)) f"
                        ),
                        finder.values
                    )
                )
            } else {
                let counted = [candidates, search.filter?.condition(scope)].compactMap { $0 }
                let condition = counted.map { " AND \($0.text)" }.joined()
                statements.append(
                    SQLStatement(
                        SQL(once: "SELECT COUNT(*) FROM user_account u WHERE u.tenant_id = ?\(condition)"),
                        [.tenant(scope.tenant)] + counted.flatMap(\.values)
                    )
                )
            }
        }
        return .query(statements) { (results) throws(StoreError) in
            let total = try results[1].first { (row) throws(StoreError) in try row.integer() }
            return FoundUsers(users: try results.first.map(Self.details), total: total.map { Int(clamping: $0) })
        }
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
