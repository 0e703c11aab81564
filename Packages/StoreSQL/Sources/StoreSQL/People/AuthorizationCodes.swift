public import Identity

extension SQLStore {
    public func add(_ code: AuthorizationCode) async throws(StoreError) {
        let insert = SQLStatement(
            Self.insertCode,
            [
                .tenant(code.tenant), .bytes(code.hash), .text(code.client.text), .user(code.user),
                .id(code.session.id), .text(code.redirectURI), .text(ifAny: code.challenge), .text(ifAny: code.nonce),
                .words(code.scope), .text(ifAny: code.audience), .time(code.createdAt), .time(code.expiresAt),
            ]
        )
        try await database.write(.commit([insert], ()))
    }

    public func takeCode(
        hash: [UInt8],
        of client: ClientID,
        tenant: TenantID,
        now: UnixTime,
        replayed: AuditEvent
    ) async throws(StoreError) -> CodeTaking {
        let key: [SQLValue] = [.tenant(tenant), .bytes(hash), .text(client.text)]
        let take = SQLStatement(Self.takeCode, [.time(now)] + key + [.time(now)])
        let mark = SQLStatement(Self.markReplay, [.time(now)] + key)
        return try await database.write(
            .run(take) { (results) throws(StoreError) in
                if let code = try results.first.first({ (row) throws(StoreError) in
                    try Self.code(hash, of: client, tenant, &row)
                }) {
                    return .commit([], .taken(code))
                }
                return .run(mark) { (results) throws(StoreError) in
                    guard let family = try results.first.first(Self.foundedFamily) else { return .rollBack(.unknown) }
                    var effects = [Self.insert(replayed)]
                    if let id = family.id {
                        effects.append(SQLStatement(Self.revokeFamily, [.time(now), .tenant(tenant), .bytes(id)]))
                    }
                    return .commit(effects, .replayed)
                }
            }
        )
    }

    public func finish(
        _ code: AuthorizationCode,
        refresh: NewRefresh?,
        session: Session,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool {
        let family = refresh?.family
        let note = SQLStatement(
            Self.noteFamily,
            [family.map { .id($0.id.id) } ?? .null, .tenant(code.tenant), .bytes(code.hash)]
        )
        var effects = [
            Self.touch(session.id, of: code.tenant, idleExpiresAt: session.idleExpiresAt, now: audit.at)
        ]
        if let refresh, let family {
            effects.append(Self.insert(refresh, passkey: session.passkey))
            effects.append(Self.insertActivity(of: family, passkey: session.passkey))
            effects.append(Self.keep(session, as: family))
        }
        effects.append(Self.insert(audit))
        return try await database.write(.commitIfChanged(note, effects, true, otherwise: false))
    }

    public func wasReplayed(codeHash: [UInt8], of tenant: TenantID) async throws(StoreError) -> Bool {
        let select = SQLStatement(Self.selectReplay, [.tenant(tenant), .bytes(codeHash)])
        return try await database.read(
            .query(select) { (results) throws(StoreError) in !results.first.isEmpty }
        )
    }

    /// A session's row stays as long as a family whose tokens tell how it was authenticated.
    private static func keep(_ session: Session, as family: RefreshFamily) -> SQLStatement {
        let key: [SQLValue] = [.tenant(family.tenant), .id(session.id.id)]
        guard let end = family.expiresAt else { return SQLStatement(keepForEver, key) }
        return SQLStatement(keepLonger, [.time(end)] + key + [.time(end)])
    }

    private static func code(
        _ hash: [UInt8],
        of client: ClientID,
        _ tenant: TenantID,
        _ row: inout SQLRow
    ) throws(StoreError) -> AuthorizationCode {
        AuthorizationCode(
            tenant: tenant,
            hash: hash,
            client: client,
            user: try row.user(),
            session: SessionID(try row.id()),
            redirectURI: try row.text(),
            challenge: try row.textIfAny(),
            nonce: try row.textIfAny(),
            scope: try row.words(),
            audience: try row.textIfAny(),
            createdAt: try row.time(),
            expiresAt: try row.time()
        )
    }

    private struct FoundedFamily: Sendable {
        let id: [UInt8]?
    }

    private static func foundedFamily(_ row: inout SQLRow) throws(StoreError) -> FoundedFamily {
        FoundedFamily(id: try row.bytesIfAny())
    }

    /// Seconds for which it is remembered what became of a code: as long as a token for the user-info endpoint lives.
    static let codeMemory: Int64 = 86_400

    private static let insertCode = SQL(
        """
        INSERT INTO authorization_code
            (tenant_id, hash, client_id, user_id, session_id, redirect_uri, challenge, nonce, scope, audience,
            created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let takeCode = SQL(
        """
        UPDATE authorization_code SET used_at = ?
        WHERE tenant_id = ? AND hash = ? AND client_id = ? AND used_at IS NULL AND expires_at > ?
        RETURNING user_id, session_id, redirect_uri, challenge, nonce, scope, audience, created_at, expires_at
        """
    )
    private static let markReplay = SQL(
        """
        UPDATE authorization_code SET replayed_at = ?
        WHERE tenant_id = ? AND hash = ? AND client_id = ? AND used_at IS NOT NULL
        RETURNING family_id
        """
    )
    private static let noteFamily = SQL(
        "UPDATE authorization_code SET family_id = ? WHERE tenant_id = ? AND hash = ? AND replayed_at IS NULL"
    )
    private static let selectReplay = SQL(
        "SELECT 1 FROM authorization_code WHERE tenant_id = ? AND hash = ? AND replayed_at IS NOT NULL"
    )
    private static let keepForEver = SQL("UPDATE session SET kept_until = NULL WHERE tenant_id = ? AND id = ?")
    private static let keepLonger = SQL(
        "UPDATE session SET kept_until = ? WHERE tenant_id = ? AND id = ? AND kept_until < ?"
    )
    static let findOldCodes = SQL("SELECT tenant_id, hash FROM authorization_code WHERE expires_at <= ? LIMIT ?")
    static let deleteOldCode = SQL("DELETE FROM authorization_code WHERE tenant_id = ? AND hash = ?")
}
