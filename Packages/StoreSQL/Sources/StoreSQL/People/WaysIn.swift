public import Identity
import WebAuthn

extension SQLStore {
    public func waysIn(of tenant: TenantID, after last: UserID?, limit: Int) async throws(StoreError) -> [WaysIn] {
        let select = SQLStatement(
            Self.selectWaysIn,
            [
                .tenant(tenant), last.map(SQLValue.user) ?? .bytes([]), .integer(Int64(limit)),
            ]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in
                var users: [WaysIn] = []
                for row in try results.first.map(Self.wayIn) {
                    if let last = users.last, last.user == row.user {
                        users[users.count - 1].passkeys += row.passkeys
                    } else {
                        users.append(row)
                    }
                }
                return users
            }
        )
    }

    /// A user with one passkey, or with none.
    private static func wayIn(_ row: inout SQLRow) throws(StoreError) -> WaysIn {
        let (user, connection) = (try row.user(), ConnectionID(try row.text()))
        let (identifiers, name) = (try row.identifiers(), try row.textIfAny())
        let (isBlocked, hasPassword) = (try row.integer() != 0, try row.integer() != 0)
        var passkeys: [PasskeyFacts] = []
        if let relyingPartyID = try row.textIfAny() {
            passkeys.append(
                PasskeyFacts(
                    relyingPartyID: relyingPartyID,
                    algorithm: PasskeyFacts.algorithm(ofKey: try row.bytes()),
                    aaguid: try row.aaguid(),
                    attestationFormat: try row.text(),
                    isTrusted: try row.bool(),
                    uvInitialized: try row.bool(),
                    backupEligible: try row.boolIfAny(),
                    isSuspended: try row.integerIfAny() != nil
                )
            )
        }
        return WaysIn(
            user: user,
            connection: connection,
            name: name,
            identifiers: identifiers,
            isBlocked: isBlocked,
            hasPassword: hasPassword,
            passkeys: passkeys
        )
    }

    /// The page of users first, then what belongs to each, by its index.
    private static let selectWaysIn = SQL(
        """
        SELECT page.id, page.connection_id, page.identifiers, page.name,
            CASE WHEN page.blocked_at IS NULL THEN 0 ELSE 1 END, CASE WHEN w.user_id IS NULL THEN 0 ELSE 1 END,
            p.rp_id, p.public_key, p.aaguid, p.attestation_format, p.attestation_trusted,
            s.uv_initialized, s.backup_eligible, s.suspended_at
        FROM (
            SELECT tenant_id, id, connection_id, identifiers, name, blocked_at FROM user_account
            WHERE tenant_id = ? AND id > ? ORDER BY id LIMIT ?
        ) page
        LEFT JOIN password w ON w.tenant_id = page.tenant_id AND w.user_id = page.id
        LEFT JOIN passkey p ON p.tenant_id = page.tenant_id AND p.user_id = page.id
        LEFT JOIN user_activity s ON s.tenant_id = p.tenant_id AND s.user_id = p.user_id
            AND s.family_id = x'' AND s.passkey_number = p.number
        ORDER BY page.id
        """
    )
}
