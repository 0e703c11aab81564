public import Identity

extension SQLStore {
    public func refreshGrant(_ id: RefreshTokenID, of tenant: TenantID) async throws(StoreError) -> RefreshGrant? {
        let key: [SQLValue] = [.tenant(tenant), .id(id.id)]
        let select = SQLStatement(Self.selectToken, key + key)
        return try await database.read(
            .run(select) { (results) throws(StoreError) in
                guard let (token, family) = try results.first.first(Self.tokenAndFamily) else {
                    return .commit([], nil)
                }
                let session = SQLStatement(Self.selectSession, [.tenant(tenant), .id(family.session.id)])
                return .run([Self.selectUser(family.user, of: tenant), session]) { (results) throws(StoreError) in
                    let grant = RefreshGrant(
                        token: token,
                        family: family,
                        session: try results[1].first(Self.session),
                        user: try results[0].first(Self.user)
                    )
                    return .commit([], grant)
                }
            }
        )
    }

    public func rotate(
        _ rotation: RefreshRotation,
        exchanged: AuditEvent,
        reused: AuditEvent
    ) async throws(StoreError) -> RotationOutcome {
        let key: [SQLValue] = [.tenant(rotation.tenant), .id(rotation.family.id)]
        return try await database.write(
            .run(SQLStatement(Self.lockFamily, key)) { (results) throws(StoreError) in
                guard let family = try results.first.first(Self.lockedFamily), !family.isRevoked else {
                    return .rollBack(.revoked)
                }
                if rotation.generation == family.generation {
                    return .commit(Self.begin(family.generation + 1, rotation, exchanged), .rotated)
                }
                let age = rotation.now.milliseconds(since: family.rotatedAt)
                // A leeway of 0 is none, also when this server's clock lies behind the winner's.
                if rotation.generation == family.generation - 1, rotation.leewayMilliseconds > 0,
                    age < rotation.leewayMilliseconds
                {
                    guard family.generationCount < rotation.maximumSiblings else {
                        return .rollBack(.tooManySiblings)
                    }
                    return .commit(Self.addSibling(family.generation, rotation, exchanged), .rotated)
                }
                return .commit(
                    [SQLStatement(Self.revokeFamily, [.time(rotation.now)] + key), Self.insert(reused)],
                    .reuse
                )
            }
        )
    }

    public func touch(_ rotation: RefreshRotation, exchanged: AuditEvent) async throws(StoreError) -> Bool {
        let touch = SQLStatement(
            Self.touchFamily,
            Self.use(rotation) + [.tenant(rotation.tenant), .id(rotation.family.id)]
        )
        return try await database.write(
            .commitIfChanged(touch, [Self.touchSession(of: rotation), Self.insert(exchanged)], true, otherwise: false)
        )
    }

    public func revoke(
        _ family: RefreshFamilyID,
        of tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) {
        let revoke = SQLStatement(Self.revokeFamily, [.time(audit.at), .tenant(tenant), .id(family.id)])
        try await database.write(.commit([revoke, Self.insert(audit)], ()))
    }

    public func revokeAll(
        user: UserID,
        client: ClientID,
        audience: String?,
        of tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) {
        let revoke = SQLStatement(
            Self.revokeFamiliesOfGrant,
            [
                .time(audit.at), .tenant(tenant), .tenant(tenant), .user(user), .text(client.text),
                .text(ifAny: audience),
            ]
        )
        try await database.write(.commit([revoke, Self.insert(audit)], ()))
    }

    private struct LockedFamily: Sendable {
        let generation: Int64
        /// Tokens that the newest generation has.
        let generationCount: Int64
        let rotatedAt: UnixTime
        let isRevoked: Bool
    }

    private static func lockedFamily(_ row: inout SQLRow) throws(StoreError) -> LockedFamily {
        LockedFamily(
            generation: try row.integer(),
            generationCount: try row.integer(),
            rotatedAt: try row.time(),
            isRevoked: try row.timeIfAny() != nil
        )
    }

    /// Starts the next generation with the rotation's child.
    private static func begin(
        _ generation: Int64,
        _ rotation: RefreshRotation,
        _ exchanged: AuditEvent
    ) -> [SQLStatement] {
        let advance = SQLStatement(
            advanceFamily,
            [.integer(generation), .time(rotation.now)] + use(rotation)
                + [.tenant(rotation.tenant), .id(rotation.family.id)]
        )
        return [advance] + insertChild(generation, rotation, exchanged)
    }

    /// Gives the newest generation one more token.
    private static func addSibling(
        _ generation: Int64,
        _ rotation: RefreshRotation,
        _ exchanged: AuditEvent
    ) -> [SQLStatement] {
        let count = SQLStatement(
            countSibling,
            use(rotation) + [.tenant(rotation.tenant), .id(rotation.family.id)]
        )
        return [count] + insertChild(generation, rotation, exchanged)
    }

    private static func insertChild(
        _ generation: Int64,
        _ rotation: RefreshRotation,
        _ exchanged: AuditEvent
    ) -> [SQLStatement] {
        let child = StoredRefreshToken(
            id: rotation.child,
            family: rotation.family,
            generation: generation,
            secretHash: rotation.childSecretHash,
            createdAt: rotation.now
        )
        return [insert(child, of: rotation.tenant), touchSession(of: rotation), insert(exchanged)]
    }

    private static func touchSession(of rotation: RefreshRotation) -> SQLStatement {
        touch(rotation.session, of: rotation.tenant, idleExpiresAt: rotation.idleExpiresAt, now: rotation.now)
    }

    /// The values of `last_exchanged_at`, `last_address` and `last_user_agent`.
    private static func use(_ rotation: RefreshRotation) -> [SQLValue] {
        [.time(rotation.now), .text(rotation.device.address), .text(rotation.device.userAgent)]
    }

    /// Takes the family's row until the transaction ends: exchanges of one family follow each other.
    private static let lockFamily = SQL(
        """
        SELECT generation, generation_count, rotated_at, revoked_at FROM refresh_family
        WHERE tenant_id = ? AND id = ?
        """,
        locksRows: true
    )
    private static let advanceFamily = SQL(
        """
        UPDATE refresh_family SET generation = ?, generation_count = 1, rotated_at = ?, last_exchanged_at = ?,
            last_address = ?, last_user_agent = ?
        WHERE tenant_id = ? AND id = ?
        """
    )
    private static let countSibling = SQL(
        """
        UPDATE refresh_family SET generation_count = generation_count + 1, last_exchanged_at = ?, last_address = ?,
            last_user_agent = ?
        WHERE tenant_id = ? AND id = ?
        """
    )
    private static let touchFamily = SQL(
        """
        UPDATE refresh_family SET last_exchanged_at = ?, last_address = ?, last_user_agent = ?
        WHERE tenant_id = ? AND id = ? AND revoked_at IS NULL
        """
    )
    static let revokeFamily = SQL(
        "UPDATE refresh_family SET revoked_at = ? WHERE tenant_id = ? AND id = ? AND revoked_at IS NULL"
    )
    private static let revokeFamiliesOfGrant = SQL(
        """
        UPDATE refresh_family SET revoked_at = ?
        WHERE tenant_id = ? AND id IN (
            SELECT family_id FROM user_activity WHERE tenant_id = ? AND user_id = ? AND family_id > x'')
            AND client_id = ? AND audience IS NOT DISTINCT FROM ? AND revoked_at IS NULL
        """
    )
}
