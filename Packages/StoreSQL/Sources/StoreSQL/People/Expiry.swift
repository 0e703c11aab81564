public import Identity

extension SQLStore {
    public func removeExpired(now: UnixTime) async throws(StoreError) -> Bool {
        let limit = SQLValue.integer(Self.rowsPerCall)
        let forgotten = now.adding(seconds: -Self.revokedFamilyLife)
        let selects = [
            SQLStatement(Self.deleteSessions, [.time(now), limit]),
            SQLStatement(Self.deleteReplays, [.time(now), limit]),
            SQLStatement(Self.deleteTokensOfExpired, [.time(now), limit]),
            SQLStatement(Self.deleteTokensOfRevoked, [.time(forgotten), limit]),
            SQLStatement(Self.deleteSessionsOfRevoked, [.time(forgotten), limit]),
            SQLStatement(Self.deleteExpiredFamilies, [.time(now), limit]),
            SQLStatement(Self.deleteRevokedFamilies, [.time(forgotten), limit]),
        ]
        return try await database.write(
            .run(selects) { (results) in
                .commit([], selects.indices.contains { results[$0].changes >= Self.rowsPerCall })
            }
        )
    }

    /// Rows of each kind that one call removes at most, so that no sign-in waits long behind it.
    private static let rowsPerCall: Int64 = 500
    /// Seconds for which a revoked family without an end of its own is kept, so that a replay of its tokens is told
    /// apart from a token that never was.
    private static let revokedFamilyLife: Int64 = 30 * 86400

    private static let deleteSessions = SQL(
        """
        DELETE FROM session WHERE (tenant_id, id) IN (
            SELECT tenant_id, id FROM session WHERE kept_until IS NOT NULL AND kept_until <= ? LIMIT ?)
        """
    )
    /// Sessions that were kept for a family without an end, which is revoked and about to go.
    private static let deleteSessionsOfRevoked = SQL(
        """
        DELETE FROM session WHERE kept_until IS NULL AND (tenant_id, id) IN (
            SELECT f.tenant_id, f.session_id FROM refresh_family f
            WHERE f.revoked_at <= ? AND f.revoked_at IS NOT NULL AND f.expires_at IS NULL LIMIT ?)
        """
    )
    private static let deleteReplays = SQL(
        """
        DELETE FROM assertion_replay WHERE (tenant_id, jti_hash) IN (
            SELECT tenant_id, jti_hash FROM assertion_replay WHERE expires_at <= ? LIMIT ?)
        """
    )
    /// Tokens before their families: a family goes when it has none left.
    private static let deleteTokensOfExpired = SQL(
        """
        DELETE FROM refresh_token WHERE (tenant_id, id) IN (
            SELECT t.tenant_id, t.id
            FROM refresh_family f JOIN refresh_token t ON t.tenant_id = f.tenant_id AND t.family_id = f.id
            WHERE f.expires_at <= ? LIMIT ?)
        """
    )
    private static let deleteTokensOfRevoked = SQL(
        """
        DELETE FROM refresh_token WHERE (tenant_id, id) IN (
            SELECT t.tenant_id, t.id
            FROM refresh_family f JOIN refresh_token t ON t.tenant_id = f.tenant_id AND t.family_id = f.id
            WHERE f.revoked_at <= ? AND f.revoked_at IS NOT NULL AND f.expires_at IS NULL LIMIT ?)
        """
    )
    private static let deleteExpiredFamilies = SQL(
        """
        DELETE FROM refresh_family WHERE (tenant_id, id) IN (
            SELECT f.tenant_id, f.id FROM refresh_family f
            WHERE f.expires_at <= ? AND NOT EXISTS (
                SELECT 1 FROM refresh_token t WHERE t.tenant_id = f.tenant_id AND t.family_id = f.id)
            LIMIT ?)
        """
    )
    private static let deleteRevokedFamilies = SQL(
        """
        DELETE FROM refresh_family WHERE (tenant_id, id) IN (
            SELECT f.tenant_id, f.id FROM refresh_family f
            WHERE f.revoked_at <= ? AND f.revoked_at IS NOT NULL AND f.expires_at IS NULL AND NOT EXISTS (
                SELECT 1 FROM refresh_token t WHERE t.tenant_id = f.tenant_id AND t.family_id = f.id)
            LIMIT ?)
        """
    )
}
