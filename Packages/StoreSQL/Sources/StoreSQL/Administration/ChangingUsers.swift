public import Identity

extension SQLStore {
    public func add(_ new: NewUser, audit: AuditEvent) async throws(StoreError) {
        var statements = insert(new.user, userHandle: new.userHandle)
        let handles = Self.handles(of: new)
        if handles.count > 1 {
            statements.append(
                SQLStatement(Self.setHandles, [.handles(handles), .tenant(new.user.tenant), .user(new.user.id)])
            )
            statements += handles.dropFirst().map { Self.insertHandle($0, of: new.user) }
        }
        if let password = new.password { statements.append(Self.insert(password, of: new.user)) }
        let passkeys = new.passkeys
        let first = statements.count
        try await database.write(
            .run(statements + passkeys.map { Self.insert($0) }) { (results) throws(StoreError) in
                var details: [SQLStatement] = []
                for (index, passkey) in passkeys.enumerated() {
                    details += Self.insertDetails(of: passkey, as: try Self.number(results[first + index]))
                }
                return .commit(details + [Self.insert(audit)], ())
            }
        )
    }

    public func change(_ change: UserChange, audit: AuditEvent) async throws(StoreError) -> Bool {
        let (old, new) = (change.old, change.new)
        let update = Self.update(old, to: new)
        var effects: [SQLStatement] = []
        func key(_ identifier: UserIdentifier) -> [SQLValue] {
            [
                .tenant(old.tenant), .text(old.connection.text), .text(identifier.kind.rawValue),
                .text(identifier.canonical), .user(old.id),
            ]
        }
        func isIn(_ list: [UserIdentifier], _ one: UserIdentifier) -> Bool {
            list.contains { $0.kind == one.kind && $0.canonical.utf8.elementsEqual(one.canonical.utf8) }
        }
        for gone in old.identifiers where !isIn(new.identifiers, gone) {
            effects.append(SQLStatement(Self.deleteIdentifier, key(gone)))
        }
        for added in new.identifiers where !isIn(old.identifiers, added) {
            effects.append(
                SQLStatement(
                    Self.insertIdentifier,
                    key(added),
                    conflict: .identifier,
                    otherwise: .unique(.identifier)
                )
            )
        }
        effects += members(of: new, insteadOf: old)
        if let password = change.password {
            effects.append(
                SQLStatement(
                    Self.setPassword,
                    [
                        .tenant(old.tenant), .user(old.id), .text(password.hash), .list(password.history),
                        .time(password.changedAt),
                    ]
                )
            )
        }
        if new.blockedAt != nil, old.blockedAt == nil {
            effects += Self.revokeAll(of: old.id, tenant: old.tenant, at: audit.at)
        }
        effects.append(Self.insert(audit))
        return try await database.write(.commitIfChanged(update, effects, true, otherwise: false))
    }

    public func remove(_ user: UserID, tenant: TenantID, audit: AuditEvent) async throws(StoreError) -> Bool {
        let key: [SQLValue] = [.tenant(tenant), .user(user)]
        return try await database.write(
            .run(SQLStatement(Self.lockOwned, key)) { (results) throws(StoreError) in
                let owned = try results.first.first { (row) throws(StoreError) in
                    (connection: try row.text(), identifiers: try row.identifiers(), handles: try row.handles())
                }
                guard let owned else { return .rollBack(false) }
                var statements = owned.identifiers.map { identifier in
                    SQLStatement(
                        Self.deleteIdentifier,
                        [
                            .tenant(tenant), .text(owned.connection), .text(identifier.kind.rawValue),
                            .text(identifier.canonical), .user(user),
                        ]
                    )
                }
                statements += owned.handles.map {
                    SQLStatement(Self.deleteHandle, [.tenant(tenant), .bytes($0)] + [.user(user)])
                }
                statements += [
                    SQLStatement(Self.deleteAttestations, [.tenant(tenant)] + key),
                    SQLStatement(Self.deletePasskeys, key),
                    SQLStatement(Self.deletePassword, key),
                ]
                statements += Self.deleteRecoveryCodes(of: user, tenant: tenant)
                statements += [
                    SQLStatement(Self.deleteMembers, key),
                    // Families stay as long as their tokens are told apart from those that never were.
                    SQLStatement(Self.deleteSessions, [.tenant(tenant)] + key + key),
                    SQLStatement(Self.deleteActivity, key),
                    SQLStatement(Self.deleteUser, key),
                    Self.insert(audit),
                ]
                return .commit(statements, true)
            }
        )
    }

    /// The own handle, then each that a passkey brings, once.
    private static func handles(of new: NewUser) -> [[UInt8]] {
        var handles = [new.userHandle]
        for passkey in new.passkeys where !handles.contains(passkey.userHandle) { handles.append(passkey.userHandle) }
        return handles
    }

    static func insertHandle(_ handle: [UInt8], of user: User) -> SQLStatement {
        SQLStatement(insertHandle, [.tenant(user.tenant), .bytes(handle), .user(user.id)], conflict: .userHandle)
    }

    static func insert(_ password: PasswordRecord, of user: User) -> SQLStatement {
        SQLStatement(
            setPassword,
            [
                .tenant(user.tenant), .user(user.id), .text(password.hash), .list(password.history),
                .time(password.changedAt),
            ]
        )
    }

    /// Changes nothing when the row is another than `old`.
    static func update(_ old: User, to new: User) -> SQLStatement {
        let profile = new.profile
        return SQLStatement(
            updateUser,
            [
                .text(ifAny: profile.name), .text(ifAny: profile.givenName), .text(ifAny: profile.familyName),
                .text(ifAny: profile.nickname), .text(ifAny: profile.picture), .details(profile.userMetadata),
                .details(profile.appMetadata), .identifiers(new.identifiers), .time(new.blockedAt),
                .time(new.updatedAt), .tenant(old.tenant), .user(old.id), .time(old.updatedAt),
            ]
        )
    }

    private static let updateUser = SQL(
        """
        UPDATE user_account SET name = ?, given_name = ?, family_name = ?, nickname = ?, picture = ?,
            user_metadata = ?, app_metadata = ?, identifiers = ?, blocked_at = ?, updated_at = ?
        WHERE tenant_id = ? AND id = ? AND updated_at = ?
        """
    )
    static let setHandles = SQL("UPDATE user_account SET user_handles = ? WHERE tenant_id = ? AND id = ?")
    private static let setPassword = SQL(
        """
        INSERT INTO password (tenant_id, user_id, hash, history, changed_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET
            hash = excluded.hash, history = excluded.history, changed_at = CASE
                WHEN excluded.changed_at > password.changed_at THEN excluded.changed_at
                ELSE password.changed_at + 1
            END
        """
    )
    private static let lockOwned = SQL(
        "SELECT connection_id, identifiers, user_handles FROM user_account WHERE tenant_id = ? AND id = ?",
        locksRows: true
    )
    private static let deleteIdentifier = SQL(
        """
        DELETE FROM identifier
        WHERE tenant_id = ? AND connection_id = ? AND kind = ? AND canonical = ? AND user_id = ?
        """
    )
    private static let deleteHandle = SQL(
        "DELETE FROM user_handle WHERE tenant_id = ? AND handle = ? AND user_id = ?"
    )
    private static let deleteAttestations = SQL(
        """
        DELETE FROM passkey_attestation WHERE tenant_id = ? AND number IN (
            SELECT number FROM passkey WHERE tenant_id = ? AND user_id = ?)
        """
    )
    private static let deletePasskeys = SQL("DELETE FROM passkey WHERE tenant_id = ? AND user_id = ?")
    static let deletePassword = SQL("DELETE FROM password WHERE tenant_id = ? AND user_id = ?")
    private static let deleteActivity = SQL("DELETE FROM user_activity WHERE tenant_id = ? AND user_id = ?")
    private static let deleteUser = SQL("DELETE FROM user_account WHERE tenant_id = ? AND id = ?")
}
