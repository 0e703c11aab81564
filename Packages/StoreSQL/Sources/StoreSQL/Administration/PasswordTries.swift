public import Identity

extension SQLStore {
    public func passwordTries(of names: [TriedName], tenant: TenantID) async throws(StoreError) -> [Int] {
        guard !names.isEmpty else { return [] }
        let statements = names.map { name in
            let connection = SQLValue.text(name.connection.text)
            return SQLStatement(
                Self.selectTries,
                [
                    .tenant(tenant), connection, .text(name.identifier.kind.rawValue),
                    .text(name.identifier.canonical), .tenant(tenant), connection, .bytes(name.nameHash),
                ]
            )
        }
        let count = names.count
        return try await database.read(
            .query(statements) { (results) throws(StoreError) in
                var tries: [Int] = []
                for index in 0..<count {
                    let number = try results[index].first { (row) throws(StoreError) in try row.integer() }
                    tries.append(Int(clamping: number ?? 0))
                }
                return tries
            }
        )
    }

    public func forgetPasswordTries(
        of names: [TriedName],
        tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) {
        let statements = names.map { name in
            SQLStatement(
                Self.forgetTries,
                [.tenant(tenant), .text(name.connection.text), .bytes(name.nameHash)]
            )
        }
        try await database.write(.commit(statements + [Self.insert(audit)], ()))
    }

    /// Tries before the last use of a passkey are forgiven.
    private static let selectTries = SQL(
        """
        SELECT CASE WHEN p.last_at < (
                SELECT MAX(a.last_used_at) FROM identifier i
                JOIN user_activity a ON a.tenant_id = i.tenant_id AND a.user_id = i.user_id AND a.family_id = x''
                WHERE i.tenant_id = ? AND i.connection_id = ? AND i.kind = ? AND i.canonical = ?
            ) THEN 0 ELSE p.tries END
        FROM password_try p WHERE p.tenant_id = ? AND p.connection_id = ? AND p.name_hash = ?
        """
    )
}
