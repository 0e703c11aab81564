public import Identity

extension SQLStore {
    public func owner(ofRelyingParty id: String) async throws(StoreError) -> TenantID? {
        try await database.read(
            .query(SQLStatement(Self.selectOwnerOfName, [.text(id)])) { (results) throws(StoreError) in
                try Self.tenantIfAny(results.first)
            }
        )
    }

    public func hasPasskeys(
        under relyingPartyID: String,
        of tenant: TenantID
    ) async throws(StoreError) -> Bool {
        let select = SQLStatement(Self.selectAnyPasskey, [.tenant(tenant), .text(relyingPartyID)])
        return try await database.read(.query(select) { !$0.first.isEmpty })
    }

    public func coverage(
        of legacy: String,
        by current: String,
        _ others: [String],
        of tenant: TenantID
    ) async throws(StoreError) -> RelyingPartyCoverage {
        let count = SQLStatement(Self.countUsers, [.tenant(tenant), .text(legacy)])
        let left = SQLStatement(
            Self.countLeftBehind,
            [.tenant(tenant), .text(legacy)] + Self.ways(current, others)
        )
        return try await database.read(
            .query(count, left) { (results) throws(StoreError) in
                let users = try results[0].first { (row) throws(StoreError) in try row.integer() } ?? 0
                let left = try results[1].first { (row) throws(StoreError) in try row.integer() } ?? 0
                return RelyingPartyCoverage(users: users, covered: users - left)
            }
        )
    }

    public func usersLeftBehind(
        under legacy: String,
        by current: String,
        _ others: [String],
        of tenant: TenantID,
        after last: UserID?,
        limit: Int
    ) async throws(StoreError) -> [User] {
        let select = SQLStatement(
            Self.selectLeftBehind,
            [.tenant(tenant), .bytes(last?.bytes ?? [0]), .text(legacy)] + Self.ways(current, others)
                + [.integer(Int64(limit))]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in try results.first.map(Self.user) }
        )
    }

    /// The tenant in the only column, if there is one.
    static func tenantIfAny(_ result: SQLResult) throws(StoreError) -> TenantID? {
        let number = try result.first { (row) throws(StoreError) in try row.integerIfAny() }
        return number.flatMap { $0 }.map { TenantID(number: $0) }
    }

    /// As many as the statements have places for.
    private static func ways(_ current: String, _ others: [String]) -> [SQLValue] {
        let ways = [current] + others.prefix(5)
        return (0..<6).map { .text($0 < ways.count ? ways[$0] : current) }
    }

    /// A passkey in use, of the user of a passkey `p`, under one of the RP IDs that go on.
    private static let otherWay = """
        SELECT 1 FROM passkey o JOIN user_activity s ON s.tenant_id = o.tenant_id AND s.user_id = o.user_id
            AND s.family_id = x'' AND s.passkey_number = o.number
        WHERE o.tenant_id = p.tenant_id AND o.user_id = p.user_id AND o.rp_id IN (?, ?, ?, ?, ?, ?)
            AND s.suspended_at IS NULL
        """

    private static let selectOwnerOfName = SQL("SELECT tenant_id FROM relying_party WHERE rp_id = ?")
    private static let selectAnyPasskey = SQL("SELECT 1 FROM passkey WHERE tenant_id = ? AND rp_id = ? LIMIT 1")
    private static let countUsers = SQL(
        "SELECT COUNT(DISTINCT p.user_id) FROM passkey p WHERE p.tenant_id = ? AND p.rp_id = ?"
    )
    private static let countLeftBehind = SQL(
        """
        SELECT COUNT(DISTINCT p.user_id) FROM passkey p
        WHERE p.tenant_id = ? AND p.rp_id = ? AND NOT EXISTS (\(otherWay))
        """
    )
    private static let selectLeftBehind = SQL(
        """
        SELECT \(userColumns) FROM user_account u WHERE u.tenant_id = ? AND u.id > ? AND EXISTS (
            SELECT 1 FROM passkey p WHERE p.tenant_id = u.tenant_id AND p.user_id = u.id AND p.rp_id = ?
            AND NOT EXISTS (\(otherWay))
        )
        ORDER BY u.id LIMIT ?
        """
    )
}
