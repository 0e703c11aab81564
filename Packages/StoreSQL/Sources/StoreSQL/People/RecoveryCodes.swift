public import Identity

extension SQLStore {
    public func replaceRecoveryCodes(
        with set: RecoveryCodeSet,
        codes: [[UInt8]],
        audit: AuditEvent
    ) async throws(StoreError) -> Bool {
        let key: [SQLValue] = [.tenant(set.tenant), .user(set.user)]
        let insertions =
            [
                SQLStatement(
                    Self.insertCodeSet,
                    key + [.text(set.id.text), .bytes(set.sessionHash), .time(set.createdAt)]
                )
            ] + codes.map { SQLStatement(Self.insertCode, key + [.bytes($0)]) }
        let deletions = Self.deleteRecoveryCodes(of: set.user, tenant: set.tenant)
        return try await database.write(
            .run(SQLStatement(Self.lockUnblocked, key)) { (results) throws(StoreError) in
                guard !results.first.isEmpty else { return .rollBack(false) }
                return .commit(deletions + insertions + [Self.insert(audit)], true)
            }
        )
    }

    public func recoveryCodes(of user: UserID, tenant: TenantID) async throws(StoreError) -> RecoveryCodeSet? {
        try await database.read(
            .query(SQLStatement(Self.selectCodeSet, [.tenant(tenant), .user(user)])) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in
                    RecoveryCodeSet(
                        id: RecoveryCodeSetID(try row.text()),
                        tenant: tenant,
                        user: user,
                        sessionHash: try row.bytes(),
                        createdAt: try row.time()
                    )
                }
            }
        )
    }

    public func removeRecoveryCodes(
        _ set: RecoveryCodeSetID,
        of user: UserID,
        tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool {
        let key: [SQLValue] = [.tenant(tenant), .user(user)]
        return try await database.write(
            .commitIfChanged(
                SQLStatement(Self.deleteNamedCodeSet, key + [.text(set.text)]),
                [SQLStatement(Self.deleteCodes, key), Self.insert(audit)],
                true,
                otherwise: false
            )
        )
    }

    /// Voids all of the user's codes.
    static func deleteRecoveryCodes(of user: UserID, tenant: TenantID) -> [SQLStatement] {
        let key: [SQLValue] = [.tenant(tenant), .user(user)]
        return [SQLStatement(deleteCodeSet, key), SQLStatement(deleteCodes, key)]
    }

    /// Takes a code out, and gives a row, which is its user, when it was there.
    static func spendRecoveryCode(_ hash: [UInt8], of user: UserID, tenant: TenantID) -> SQLStatement {
        SQLStatement(deleteCode, [.tenant(tenant), .user(user), .bytes(hash)])
    }

    private static let insertCodeSet = SQL(
        "INSERT INTO recovery_code_set (tenant_id, user_id, id, session_hash, created_at) VALUES (?, ?, ?, ?, ?)"
    )
    private static let insertCode = SQL("INSERT INTO recovery_code (tenant_id, user_id, hash) VALUES (?, ?, ?)")
    static let selectCodeSet = SQL(
        "SELECT id, session_hash, created_at FROM recovery_code_set WHERE tenant_id = ? AND user_id = ?"
    )
    private static let deleteNamedCodeSet = SQL(
        "DELETE FROM recovery_code_set WHERE tenant_id = ? AND user_id = ? AND id = ?"
    )
    private static let deleteCodeSet = SQL("DELETE FROM recovery_code_set WHERE tenant_id = ? AND user_id = ?")
    private static let deleteCodes = SQL("DELETE FROM recovery_code WHERE tenant_id = ? AND user_id = ?")
    private static let deleteCode = SQL(
        "DELETE FROM recovery_code WHERE tenant_id = ? AND user_id = ? AND hash = ? RETURNING user_id"
    )
}
