import Identity

extension SQLStore {
    /// A new family, whose first generation has one token, in the same row.
    static func insert(_ refresh: NewRefresh, passkey: PasskeyNumber?) -> SQLStatement {
        let family = refresh.family
        let isMoved = family.lastDevice != family.initialDevice
        return SQLStatement(
            insertFamily,
            [
                .tenant(family.tenant), .id(family.id.id), .text(family.client.text), .user(family.user),
                .id(family.session.id), .integer(passkey?.number ?? 0), .text(ifAny: family.audience),
                .words(family.scope),
                .bool(family.rotates), .time(family.createdAt), .time(family.expiresAt),
                .time(family.lastExchangedAt), .integer(family.generation), .time(family.rotatedAt),
                .time(family.revokedAt), .text(family.initialDevice.address), .text(family.initialDevice.userAgent),
                .text(ifAny: isMoved ? family.lastDevice.address : nil),
                .text(ifAny: isMoved ? family.lastDevice.userAgent : nil), .bytes(refresh.secretHash),
            ]
        )
    }

    /// Lists the family among what its user did.
    static func insertActivity(of family: RefreshFamily, passkey: PasskeyNumber?) -> SQLStatement {
        SQLStatement(
            insertFamilyActivity,
            [.tenant(family.tenant), .user(family.user), .id(family.id.id), .integer(passkey?.number ?? 0)]
        )
    }

    /// Lists a session without a family among what its user did, under its own id; others are found by their families.
    static func insertActivity(of session: Session) -> SQLStatement {
        SQLStatement(
            insertFamilyActivity,
            [.tenant(session.tenant), .user(session.user), .id(session.id.id), .integer(0)]
        )
    }

    static func insert(_ token: StoredRefreshToken, of tenant: TenantID) -> SQLStatement {
        SQLStatement(
            insertToken,
            [
                .tenant(tenant), .id(token.id.id), .id(token.family.id), .integer(token.generation),
                .bytes(token.secretHash), .time(token.createdAt),
            ]
        )
    }

    static func tokenAndFamily(
        _ row: inout SQLRow
    ) throws(StoreError) -> (token: StoredRefreshToken, family: RefreshFamily) {
        let token = StoredRefreshToken(
            id: RefreshTokenID(try row.id()),
            family: RefreshFamilyID(try row.id()),
            generation: try row.integer(),
            secretHash: try row.bytes(),
            createdAt: try row.time()
        )
        return (token, try family(token.family, &row))
    }

    /// Reads ``familyColumns``.
    static func family(_ id: RefreshFamilyID, _ row: inout SQLRow) throws(StoreError) -> RefreshFamily {
        RefreshFamily(
            id: id,
            tenant: try row.tenant(),
            client: try row.client(),
            user: try row.user(),
            session: SessionID(try row.id()),
            audience: try row.textIfAny(),
            scope: try row.words(),
            rotates: try row.bool(),
            createdAt: try row.time(),
            expiresAt: try row.timeIfAny(),
            lastExchangedAt: try row.time(),
            generation: try row.integer(),
            rotatedAt: try row.time(),
            revokedAt: try row.timeIfAny(),
            initialDevice: try row.device(),
            lastDevice: try row.device()
        )
    }

    /// The last device is the initial one until a token of the family was exchanged.
    static let familyColumns = """
        f.tenant_id, f.client_id, f.user_id, f.session_id, f.audience, f.scope, f.rotates, f.created_at, f.expires_at,
        f.last_exchanged_at, f.generation, f.rotated_at, f.revoked_at, f.initial_address, f.initial_user_agent,
        COALESCE(f.last_address, f.initial_address), COALESCE(f.last_user_agent, f.initial_user_agent)
        """
    /// The first token of a family is in the family's row.
    static let selectToken = SQL(
        """
        SELECT f.id, f.id, 0, f.first_secret_hash, f.created_at, \(familyColumns) FROM refresh_family f
        WHERE f.tenant_id = ? AND f.id = ?
        UNION ALL
        SELECT t.id, t.family_id, t.generation, t.secret_hash, t.created_at, \(familyColumns)
        FROM refresh_token t JOIN refresh_family f ON f.tenant_id = t.tenant_id AND f.id = t.family_id
        WHERE t.tenant_id = ? AND t.id = ?
        """
    )
    private static let insertFamily = SQL(
        """
        INSERT INTO refresh_family
            (tenant_id, id, client_id, user_id, session_id, passkey_number, audience, scope, rotates, created_at,
            expires_at, last_exchanged_at, generation, generation_count, rotated_at, revoked_at, initial_address,
            initial_user_agent, last_address, last_user_agent, first_secret_hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let insertFamilyActivity = SQL(
        "INSERT INTO user_activity (tenant_id, user_id, family_id, passkey_number) VALUES (?, ?, ?, ?)"
    )
    private static let insertToken = SQL(
        """
        INSERT INTO refresh_token (tenant_id, id, family_id, generation, secret_hash, created_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    )
}
