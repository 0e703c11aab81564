public import Identity

extension SQLStore {
    public func session(_ id: SessionID, of tenant: TenantID) async throws(StoreError) -> Session? {
        try await database.read(
            .query(SQLStatement(Self.selectSession, [.tenant(tenant), .id(id.id)])) { (results) throws(StoreError) in
                try results.first.first(Self.session)
            }
        )
    }

    public func session(cookieHash: [UInt8], of tenant: TenantID) async throws(StoreError) -> Session? {
        let select = SQLStatement(Self.selectByCookie, [.tenant(tenant), .bytes(cookieHash)])
        return try await database.read(
            .query(select) { (results) throws(StoreError) in try results.first.first(Self.session) }
        )
    }

    public func touch(
        _ id: SessionID,
        of tenant: TenantID,
        idleExpiresAt: UnixTime,
        now: UnixTime
    ) async throws(StoreError) {
        try await database.write(
            .commit([Self.touch(id, of: tenant, idleExpiresAt: idleExpiresAt, now: now)], ())
        )
    }

    public func end(
        _ id: SessionID,
        of tenant: TenantID,
        revokingRefreshTokens: Bool,
        audit: AuditEvent
    ) async throws(StoreError) {
        let key: [SQLValue] = [.tenant(tenant), .id(id.id)]
        var statements: [SQLStatement]
        if revokingRefreshTokens {
            statements = [
                SQLStatement(Self.endSession, [.time(audit.at)] + key),
                SQLStatement(Self.revokeFamiliesOfSession, [.time(audit.at), .tenant(tenant)] + key + [.id(id.id)]),
            ]
        } else {
            statements = [SQLStatement(Self.closeSession, [.time(audit.at)] + key + [.time(audit.at)])]
        }
        statements.append(Self.insert(audit))
        try await database.write(.commit(statements, ()))
    }

    /// A new session. Its row is kept as long as the family whose tokens tell how it was authenticated: without an end
    /// when the family has none.
    static func insert(
        _ session: Session,
        passkey: PasskeyNumber?,
        cookieHash: [UInt8]?,
        family: RefreshFamily?
    ) -> SQLStatement {
        var keptUntil: UnixTime? = session.expiresAt
        if let family { keptUntil = family.expiresAt.map { max($0, session.expiresAt) } }
        return SQLStatement(
            insertSession,
            [
                .tenant(session.tenant), .id(session.id.id), .user(session.user), .text(session.client.text),
                .words(session.amr), .text(ifAny: session.acr), .number(passkey ?? session.passkey),
                .bytes(ifAny: cookieHash), .time(session.createdAt), .time(session.authenticatedAt),
                .time(session.lastInteraction), .time(session.expiresAt), .time(session.idleExpiresAt),
                .time(session.revokedAt), .time(keptUntil), .text(session.device.address),
                .text(session.device.userAgent),
            ]
        )
    }

    /// Moves the idle end of a session that is not revoked.
    static func touch(
        _ id: SessionID,
        of tenant: TenantID,
        idleExpiresAt: UnixTime,
        now: UnixTime
    ) -> SQLStatement {
        SQLStatement(touchSession, [.time(idleExpiresAt), .time(now), .tenant(tenant), .id(id.id)])
    }

    static func session(_ row: inout SQLRow) throws(StoreError) -> Session {
        Session(
            id: SessionID(try row.id()),
            tenant: try row.tenant(),
            user: try row.user(),
            client: try row.client(),
            amr: try row.words(),
            acr: try row.textIfAny(),
            passkey: try row.passkeyIfAny(),
            createdAt: try row.time(),
            authenticatedAt: try row.time(),
            lastInteraction: try row.time(),
            expiresAt: try row.time(),
            idleExpiresAt: try row.time(),
            revokedAt: try row.timeIfAny(),
            device: try row.device()
        )
    }

    /// The columns of ``session(_:)`` in its order.
    static let sessionColumns = """
        id, tenant_id, user_id, client_id, amr, acr, passkey_number, created_at, authenticated_at, last_interaction,
        expires_at, idle_expires_at, revoked_at, address, user_agent
        """
    static let selectSession = SQL("SELECT \(sessionColumns) FROM session WHERE tenant_id = ? AND id = ?")
    private static let selectByCookie = SQL(
        "SELECT \(sessionColumns) FROM session WHERE tenant_id = ? AND cookie_hash = ?"
    )
    private static let insertSession = SQL(
        """
        INSERT INTO session
            (tenant_id, id, user_id, client_id, amr, acr, passkey_number, cookie_hash, created_at, authenticated_at,
            last_interaction, expires_at, idle_expires_at, revoked_at, kept_until, address, user_agent)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let touchSession = SQL(
        """
        UPDATE session SET idle_expires_at = ?, last_interaction = ?
        WHERE tenant_id = ? AND id = ? AND revoked_at IS NULL
        """
    )
    private static let endSession = SQL(
        "UPDATE session SET revoked_at = ? WHERE tenant_id = ? AND id = ? AND revoked_at IS NULL"
    )
    /// Over in time: a session that is revoked takes its tokens along.
    private static let closeSession = SQL(
        """
        UPDATE session SET expires_at = ?, cookie_hash = NULL
        WHERE tenant_id = ? AND id = ? AND revoked_at IS NULL AND expires_at > ?
        """
    )
    /// Found among what the session's user did.
    static let revokeFamiliesOfSession = SQL(
        """
        UPDATE refresh_family SET revoked_at = ?
        WHERE tenant_id = ? AND id IN (
            SELECT a.family_id
            FROM session s JOIN user_activity a ON a.tenant_id = s.tenant_id AND a.user_id = s.user_id
            WHERE s.tenant_id = ? AND s.id = ? AND a.family_id > x'')
            AND session_id = ? AND revoked_at IS NULL
        """
    )
}
