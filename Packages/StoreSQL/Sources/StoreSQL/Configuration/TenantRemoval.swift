public import Identity

extension SQLStore {
    public func holdings(of tenant: TenantID) async throws(StoreError) -> TenantHoldings {
        let id = SQLValue.tenant(tenant)
        return try await database.read(
            .query(
                SQLStatement(Self.countHeldUsers, [id]),
                SQLStatement(Self.countHeldPasskeys, [id]),
                SQLStatement(Self.countHeldClients, [id])
            ) { (results) throws(StoreError) in
                func count(_ index: Int) throws(StoreError) -> Int {
                    Int(try results[index].first { (row) throws(StoreError) in try row.integer() } ?? 0)
                }
                return TenantHoldings(users: try count(0), passkeys: try count(1), clients: try count(2))
            }
        )
    }

    public func removePart(of tenant: TenantID, limit: Int) async throws(StoreError) -> Bool {
        let id = SQLValue.tenant(tenant)
        let part = [id, id, .integer(Int64(max(1, limit) - 1))]
        let parts = Self.parts.map { SQLStatement($0, part) }
        let rest = Self.rest.map { SQLStatement($0, [id]) } + [Self.raiseVersion]
        return try await database.write(
            .run([SQLStatement(Self.holdTenant, [id])] + parts) { (results) throws(StoreError) in
                guard let isSuspended = try results.first.first({ (row) throws(StoreError) in try row.bool() }) else {
                    return .rollBack(false)
                }
                guard isSuspended else {
                    throw .constraint(reason: "a tenant that is not suspended cannot be removed")
                }
                // A table with less than a part has none removed, and goes with the rest.
                let isLeft = parts.indices.contains { results[$0 + 1].changes > 0 }
                return isLeft ? .commit([], true) : .commit(rest, false)
            }
        )
    }

    /// Every table with rows of a tenant, so that one that comes later is not forgotten.
    private static let tables: [(name: String, key: [String])] =
        CopiedTable.all.filter { $0.columns.contains("tenant_id") }.map { ($0.name, $0.key) }
        // Not copied, and a tenant's all the same.
        + [("challenge", ["tenant_id", "client_id", "id"])]

    /// The first rows of each table that has them in the order of its key, so that no row is looked at twice: up to the
    /// one that as many are before as are to go, and none where there are fewer.
    private static let parts =
        [
            SQL(
                """
                DELETE FROM passkey_attestation WHERE number IN
                (SELECT number FROM passkey WHERE \(upTo("passkey", "id")))
                """
            ),
            SQL("DELETE FROM passkey WHERE \(upTo("passkey", "id"))"),
        ]
        + tables.filter { $0.key.count > 1 && $0.key.first == "tenant_id" }.map { name, key in
            SQL("DELETE FROM \(name) WHERE \(upTo(name, key.dropFirst().joined(separator: ", ")))")
        }

    private static func upTo(_ table: String, _ key: String) -> String {
        let own = key.contains(",") ? "(\(key))" : key
        return "tenant_id = ? AND \(own) <= (SELECT \(key) FROM \(table) leaving WHERE leaving.tenant_id = ? "
            + "ORDER BY \(key) LIMIT 1 OFFSET ?)"
    }

    /// All that is left, the tenant itself last.
    private static let rest =
        [
            SQL(
                """
                DELETE FROM passkey_attestation WHERE number IN
                (SELECT leaving.number FROM passkey leaving WHERE leaving.tenant_id = ?)
                """
            )
        ]
        + tables.filter { $0.name != "passkey_attestation" }.map { name, _ in
            SQL("DELETE FROM \(name) AS leaving WHERE leaving.tenant_id = ?")
        }
        + [SQL("DELETE FROM tenant WHERE id = ?")]

    private static let holdTenant = SQL(
        "SELECT CASE WHEN suspended_at IS NULL THEN 0 ELSE 1 END FROM tenant WHERE id = ?",
        locksRows: true
    )
    private static let countHeldUsers = SQL("SELECT COUNT(*) FROM user_account counted WHERE counted.tenant_id = ?")
    private static let countHeldPasskeys = SQL("SELECT COUNT(*) FROM passkey counted WHERE counted.tenant_id = ?")
    private static let countHeldClients = SQL("SELECT COUNT(*) FROM client WHERE tenant_id = ?")
}
