public import Identity

extension SQLStore {
    public func bring(_ passkey: Passkey, maximum: Int, audit: AuditEvent) async throws(StoreError) -> AddPasskeyOutcome
    {
        let key: [SQLValue] = [.tenant(passkey.tenant), .user(passkey.user)]
        return try await database.write(
            .run([SQLStatement(Self.lockHandles, key), SQLStatement(Self.countPasskeys, key)]) {
                (results) throws(StoreError) in
                let found = try results[0].first { (row) throws(StoreError) in try row.handles() }
                guard let handles = found else { return .rollBack(.userGone) }
                let count = try results[1].first { (row) throws(StoreError) in try row.integer() } ?? 0
                guard count < maximum else { return .rollBack(.tooMany) }
                var statements: [SQLStatement] = []
                if !handles.contains(passkey.userHandle) {
                    statements.append(
                        SQLStatement(
                            Self.insertHandle,
                            [.tenant(passkey.tenant), .bytes(passkey.userHandle), .user(passkey.user)],
                            conflict: .userHandle
                        )
                    )
                    statements.append(
                        SQLStatement(Self.setHandles, [.handles(handles + [passkey.userHandle])] + key)
                    )
                }
                let place = statements.count
                return .run(statements + [Self.insert(passkey)]) { (results) throws(StoreError) in
                    let number = try Self.number(results[place])
                    return .commit(Self.insertDetails(of: passkey, as: number) + [Self.insert(audit)], .added)
                }
            }
        )
    }

    public func rename(
        _ passkey: PasskeyID,
        of user: UserID,
        to name: String,
        tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool {
        let rename = SQLStatement(
            Self.renamePasskey,
            [.text(name), .tenant(tenant), .text(passkey.text), .user(user)]
        )
        return try await database.write(.commitIfChanged(rename, [Self.insert(audit)], true, otherwise: false))
    }

    public func removeOwn(
        _ passkey: PasskeyID,
        of user: UserID,
        by session: SessionID,
        countingPassword: Bool,
        tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) -> RemovePasskeyOutcome {
        let key: [SQLValue] = [.tenant(tenant), .user(user)]
        let statements = [
            SQLStatement(Self.lockUser, key), SQLStatement(Self.selectStates, key),
            SQLStatement(Self.selectOwned, key + [.text(passkey.text)]), SQLStatement(Self.findPassword, key),
        ]
        return try await database.write(
            .run(statements) { (results) throws(StoreError) in
                let states = try results[1].map(Self.removableState)
                let number = try results[2].first { (row) throws(StoreError) in try row.integer() }
                guard let removed = states.first(where: { $0.number == number }) else { return .rollBack(.notFound) }
                let isLeft = states.contains { $0.number != removed.number && !$0.isSuspended }
                let hasPassword = countingPassword && !results[3].isEmpty
                guard removed.isSuspended || isLeft || hasPassword else { return .rollBack(.lastSignInMethod) }
                return .commit(
                    Self.delete(removed, of: user, tenant: tenant, keeping: session, at: audit.at) + [
                        Self.insert(audit)
                    ],
                    .removed
                )
            }
        )
    }

    public func retirePassword(
        of user: UserID,
        having passkeys: Int,
        tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) -> RetirePasswordOutcome {
        let key: [SQLValue] = [.tenant(tenant), .user(user)]
        let statements = [
            SQLStatement(Self.lockUser, key), SQLStatement(Self.selectStates, key),
            SQLStatement(Self.findPassword, key),
        ]
        return try await database.write(
            .run(statements) { (results) throws(StoreError) in
                guard !results[0].isEmpty, !results[2].isEmpty else { return .rollBack(.notFound) }
                let inUse = try results[1].map(Self.removableState).filter { !$0.isSuspended }
                guard inUse.count >= max(1, passkeys) else { return .rollBack(.tooFewPasskeys) }
                return .commit([SQLStatement(Self.deletePassword, key), Self.insert(audit)], .retired)
            }
        )
    }

    public func removePasskeys(
        of user: UserID,
        only passkey: PasskeyID?,
        tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) -> Int {
        let key: [SQLValue] = [.tenant(tenant), .user(user)]
        let owned = passkey.map { SQLStatement(Self.selectOwned, key + [.text($0.text)]) }
        // With all passkeys go the codes that would lead to a new one.
        let third = owned ?? SQLStatement(Self.selectCodeSet, key)
        let statements = [SQLStatement(Self.lockUser, key), SQLStatement(Self.selectStates, key), third]
        return try await database.write(
            .run(statements) { (results) throws(StoreError) in
                var states = try results[1].map(Self.removableState)
                if owned != nil {
                    let number = try results[2].first { (row) throws(StoreError) in try row.integer() }
                    states.removeAll { $0.number != number }
                }
                let hasCodes = owned == nil && !results[2].isEmpty
                guard !states.isEmpty || hasCodes else { return .rollBack(0) }
                let codes = hasCodes ? Self.deleteRecoveryCodes(of: user, tenant: tenant) : []
                return .commit(
                    states.flatMap { Self.delete($0, of: user, tenant: tenant, at: audit.at) } + codes
                        + [Self.insert(audit)],
                    states.count
                )
            }
        )
    }

    private static let lockHandles = SQL(
        "SELECT user_handles FROM user_account WHERE tenant_id = ? AND id = ?",
        locksRows: true
    )
    private static let renamePasskey = SQL(
        "UPDATE passkey SET name = ? WHERE tenant_id = ? AND id = ? AND user_id = ?"
    )
    private static let findPassword = SQL("SELECT 1 FROM password WHERE tenant_id = ? AND user_id = ?")
    static let selectOwned = SQL(
        "SELECT number FROM passkey WHERE tenant_id = ? AND user_id = ? AND id = ?"
    )
}
