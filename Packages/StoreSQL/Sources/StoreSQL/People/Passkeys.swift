import Encodings
public import Identity
public import WebAuthn

extension SQLStore {
    public func candidate(
        credentialID: [UInt8],
        relyingPartyID: String,
        tenant: TenantID
    ) async throws(StoreError) -> LoginCandidate? {
        let select = SQLStatement(
            Self.selectByCredential,
            [.tenant(tenant), .text(relyingPartyID), .bytes(credentialID)]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in
                    LoginCandidate(
                        passkey: try Self.passkey(&row),
                        user: try Self.user(&row),
                        userHandles: try row.handles()
                    )
                }
            }
        )
    }

    public func isKnown(credentialID: [UInt8], relyingPartyID: String) async throws(StoreError) -> Bool {
        try await database.read(
            .query(SQLStatement(Self.selectKnown, [.text(relyingPartyID), .bytes(credentialID)])) { (results) in
                !results.first.isEmpty
            }
        )
    }

    public func passkeys(
        of user: UserID,
        relyingPartyID: String?,
        tenant: TenantID
    ) async throws(StoreError) -> [Passkey] {
        let key: [SQLValue] = [.tenant(tenant), .user(user)]
        let select =
            relyingPartyID.map { SQLStatement(Self.selectByUserAndRelyingParty, key + [.text($0)]) }
            ?? SQLStatement(Self.selectByUser, key)
        return try await database.read(
            .query(select) { (results) throws(StoreError) in try results.first.map(Self.passkey) }
        )
    }

    public func descriptors(
        of user: UserID,
        relyingPartyID: String,
        tenant: TenantID,
        limit: Int
    ) async throws(StoreError) -> [CredentialDescriptor] {
        let select = SQLStatement(
            Self.selectDescriptors,
            [.tenant(tenant), .user(user), .text(relyingPartyID), .integer(Int64(max(0, limit)))]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in
                try results.first.map { (row) throws(StoreError) in
                    CredentialDescriptor(id: try row.bytes(), transports: try row.list())
                }
            }
        )
    }

    public func add(
        _ passkey: Passkey,
        maximum: Int,
        notices: [Notice],
        ceremony: CeremonyRecord,
        audit: AuditEvent
    ) async throws(StoreError) -> AddPasskeyOutcome {
        let key: [SQLValue] = [.tenant(passkey.tenant), .user(passkey.user)]
        return try await database.write(
            .run([SQLStatement(Self.lockUser, key), SQLStatement(Self.countPasskeys, key)]) {
                (results) throws(StoreError) in
                guard !results[0].isEmpty else { return .rollBack(.userGone) }
                let count = try results[1].first { (row) throws(StoreError) in try row.integer() } ?? 0
                guard count < maximum else { return .rollBack(.tooMany) }
                return .run(Self.insert(passkey)) { (results) throws(StoreError) in
                    let number = try Self.number(results.first)
                    return .commit(
                        Self.insertDetails(of: passkey, as: number) + notices.flatMap(Self.insert)
                            + [Self.insert(ceremony), Self.insert(audit)],
                        .added
                    )
                }
            }
        )
    }

    public func remove(
        _ passkey: PasskeyID,
        tenant: TenantID,
        keepingLast: Bool,
        audit: AuditEvent
    ) async throws(StoreError) -> RemovePasskeyOutcome {
        try await database.write(
            .run(SQLStatement(Self.selectOwner, [.tenant(tenant), .text(passkey.text)])) {
                (results) throws(StoreError) in
                let owner = try results.first.first { (row) throws(StoreError) in
                    (number: try row.integer(), user: try row.user())
                }
                guard let owner else { return .rollBack(.notFound) }
                let key: [SQLValue] = [.tenant(tenant), .user(owner.user)]
                // Under the user's lock, for two removals at once must not each leave the other's passkey behind.
                return .run([SQLStatement(Self.lockUser, key), SQLStatement(Self.selectStates, key)]) {
                    (results) throws(StoreError) in
                    let states = try results[1].map(Self.removableState)
                    guard let removed = states.first(where: { $0.number == owner.number }) else {
                        return .rollBack(.notFound)
                    }
                    let others = states.filter { $0.number != owner.number && !$0.isSuspended }
                    guard !keepingLast || removed.isSuspended || !others.isEmpty else {
                        return .rollBack(.lastSignInMethod)
                    }
                    return .commit(
                        Self.delete(removed, of: owner.user, tenant: tenant, at: audit.at) + [Self.insert(audit)],
                        .removed
                    )
                }
            }
        )
    }

    public func suspend(
        _ passkey: PasskeyNumber,
        tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) {
        let suspend = SQLStatement(
            Self.suspendPasskey,
            [.time(audit.at), .tenant(tenant), .number(passkey), .tenant(tenant), .number(passkey)]
        )
        try await database.write(.commit([suspend, Self.insert(audit)], ()))
    }

    struct RemovableState: Sendable {
        let number: Int64
        let isSuspended: Bool
        let lastUsedAt: UnixTime?
        let useCount: Int64
    }

    static func removableState(_ row: inout SQLRow) throws(StoreError) -> RemovableState {
        RemovableState(
            number: try row.integer(),
            isSuspended: try row.timeIfAny() != nil,
            lastUsedAt: try row.timeIfAny(),
            useCount: try row.integer()
        )
    }

    /// Removes the rows; what the passkey did goes on counting in the user's own row.
    static func delete(
        _ passkey: RemovableState,
        of user: UserID,
        tenant: TenantID,
        keeping session: SessionID? = nil,
        at now: UnixTime
    ) -> [SQLStatement] {
        let lastUsedAt = SQLValue.time(passkey.lastUsedAt)
        let number = SQLValue.integer(passkey.number)
        return [
            SQLStatement(
                keepActivity,
                [.integer(passkey.useCount), lastUsedAt, lastUsedAt, lastUsedAt, .tenant(tenant), .user(user)]
            ),
            SQLStatement(
                revokeFamiliesOfPasskey,
                [.time(now), .tenant(tenant), .tenant(tenant), .user(user), number]
            ),
            SQLStatement(
                revokeSessionsOfPasskey,
                [.time(now), .tenant(tenant), .tenant(tenant), .user(user), .tenant(tenant), .user(user), number]
                    + [session.map { .id($0.id) } ?? .bytes([])]
            ),
            SQLStatement(deleteState, [.tenant(tenant), .user(user), number]),
            SQLStatement(deletePasskey, [number, .tenant(tenant)]),
            SQLStatement(deleteAttestation, [number, .tenant(tenant)]),
        ]
    }

    private static let selectByCredential = SQL(
        """
        SELECT \(passkeyColumns), \(userColumns), u.user_handles FROM \(passkeyTables)
        JOIN user_account u ON u.tenant_id = p.tenant_id AND u.id = p.user_id
        WHERE p.tenant_id = ? AND p.rp_id = ? AND p.credential_id = ?
        """
    )
    private static let selectByUser = SQL(
        """
        SELECT \(passkeyColumns) FROM \(passkeyTables)
        WHERE p.tenant_id = ? AND p.user_id = ? ORDER BY p.created_at DESC, p.number DESC
        """
    )
    private static let selectByUserAndRelyingParty = SQL(
        """
        SELECT \(passkeyColumns) FROM \(passkeyTables)
        WHERE p.tenant_id = ? AND p.user_id = ? AND p.rp_id = ? ORDER BY p.created_at DESC, p.number DESC
        """
    )
    private static let selectDescriptors = SQL(
        """
        SELECT p.credential_id, p.transports FROM \(passkeyTables)
        WHERE p.tenant_id = ? AND p.user_id = ? AND p.rp_id = ? AND s.suspended_at IS NULL
        ORDER BY p.created_at DESC, p.number DESC LIMIT ?
        """
    )
    /// Without a tenant: the RP ID says whose it is.
    private static let selectKnown = SQL(
        """
        SELECT 1 FROM relying_party r
        JOIN passkey p ON p.tenant_id = r.tenant_id AND p.rp_id = r.rp_id
        WHERE r.rp_id = ? AND p.credential_id = ?
        """
    )
    static let lockUser = SQL(
        "SELECT 1 FROM user_account WHERE tenant_id = ? AND id = ?",
        locksRows: true
    )
    static let countPasskeys = SQL("SELECT COUNT(*) FROM passkey WHERE tenant_id = ? AND user_id = ?")
    private static let selectOwner = SQL("SELECT number, user_id FROM passkey WHERE tenant_id = ? AND id = ?")
    static let selectStates = SQL(
        """
        SELECT passkey_number, suspended_at, last_used_at, use_count FROM user_activity
        WHERE tenant_id = ? AND user_id = ? AND family_id = x'' AND passkey_number > 0
        """
    )
    private static let keepActivity = SQL(
        """
        UPDATE user_account SET
            logins_count = logins_count + ?,
            last_login = CASE WHEN CAST(? AS BIGINT) IS NOT NULL AND (last_login IS NULL OR last_login < ?) THEN ? ELSE last_login END
        WHERE tenant_id = ? AND id = ?
        """
    )
    private static let deletePasskey = SQL("DELETE FROM passkey WHERE number = ? AND tenant_id = ?")
    /// The families stay, for they are found by their tokens until they are over.
    private static let deleteState = SQL(
        """
        DELETE FROM user_activity
        WHERE tenant_id = ? AND user_id = ? AND family_id = x'' AND passkey_number = ?
        """
    )
    private static let deleteAttestation = SQL("DELETE FROM passkey_attestation WHERE number = ? AND tenant_id = ?")
    private static let revokeFamiliesOfPasskey = SQL(
        """
        UPDATE refresh_family SET revoked_at = ?
        WHERE tenant_id = ? AND id IN (
            SELECT family_id FROM user_activity
            WHERE tenant_id = ? AND user_id = ? AND family_id > x'' AND passkey_number = ?)
            AND revoked_at IS NULL
        """
    )
    private static let suspendPasskey = SQL(
        """
        UPDATE user_activity SET suspended_at = ?
        WHERE tenant_id = ? AND user_id = (SELECT user_id FROM passkey WHERE number = ? AND tenant_id = ?)
            AND family_id = x'' AND passkey_number = ? AND suspended_at IS NULL
        """
    )
}
