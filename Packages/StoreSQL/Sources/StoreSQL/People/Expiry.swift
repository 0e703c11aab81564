public import Identity

extension SQLStore {
    public func removeExpired(now: UnixTime) async throws(StoreError) -> Bool {
        let limit = SQLValue.integer(Int64(Self.rowsPerCall))
        let forgotten = SQLValue.time(now.adding(seconds: -Self.revokedFamilyLife))
        let over = SQLValue.time(now)
        // Tokens before their families: a family goes when it has none left.
        let kinds = [
            (find: SQLStatement(Self.findSessions, [over, limit]), delete: Self.deleteSession),
            (find: SQLStatement(Self.findSessionsOfRevoked, [forgotten, limit]), delete: Self.deleteSession),
            (find: SQLStatement(Self.findReplays, [over, limit]), delete: Self.deleteReplay),
            (find: SQLStatement(Self.findChallenges, [over, limit]), delete: Self.deleteChallenge),
            (find: SQLStatement(Self.findTokensOfExpired, [over, limit]), delete: Self.deleteToken),
            (find: SQLStatement(Self.findTokensOfRevoked, [forgotten, limit]), delete: Self.deleteToken),
        ]
        let families = [
            SQLStatement(Self.findExpiredFamilies, [over, limit]),
            SQLStatement(Self.findRevokedFamilies, [forgotten, limit]),
        ]
        return try await database.write(
            .run(kinds.map(\.find)) { (results) throws(StoreError) in
                var deletions: [SQLStatement] = []
                var isMoreLeft = false
                for (index, kind) in kinds.enumerated() {
                    let keys = try results[index].map(Self.key)
                    isMoreLeft = isMoreLeft || keys.count >= Self.rowsPerCall
                    deletions += keys.map { SQLStatement(kind.delete, $0) }
                }
                let (first, isMoreOfThem) = (deletions.count, isMoreLeft)
                return .run(deletions + families) { (results) throws(StoreError) in
                    let keys = try results[first].map(Self.key) + results[first + 1].map(Self.key)
                    return .commit(
                        keys.flatMap { [SQLStatement(Self.deleteActivity, $0), SQLStatement(Self.deleteFamily, $0)] },
                        isMoreOfThem || keys.count >= Self.rowsPerCall
                    )
                }
            }
        )
    }

    /// The columns of a row that name it, for a statement that deletes it. Found first and deleted by key, one by one:
    /// SQLite looks into a list of composite keys by their first column alone, which chooses nothing.
    static func key(_ row: inout SQLRow) throws(StoreError) -> [SQLValue] { row.rest() }

    /// Rows of each kind that one call removes at most, so that no sign-in waits long behind it.
    private static let rowsPerCall = 500
    /// Seconds for which a revoked family without an end of its own is kept, so that a replay of its tokens is told
    /// apart from a token that never was.
    private static let revokedFamilyLife: Int64 = 30 * 86400

    private static let findSessions = SQL(
        "SELECT tenant_id, id FROM session WHERE kept_until IS NOT NULL AND kept_until <= ? LIMIT ?"
    )
    /// Sessions that were kept for a family without an end, which is revoked and about to go.
    private static let findSessionsOfRevoked = SQL(
        """
        SELECT s.tenant_id, s.id
        FROM refresh_family f JOIN session s ON s.tenant_id = f.tenant_id AND s.id = f.session_id
        WHERE f.revoked_at <= ? AND f.revoked_at IS NOT NULL AND f.expires_at IS NULL AND s.kept_until IS NULL LIMIT ?
        """
    )
    private static let deleteSession = SQL("DELETE FROM session WHERE tenant_id = ? AND id = ?")
    private static let findReplays = SQL(
        "SELECT tenant_id, jti_hash FROM assertion_replay WHERE expires_at <= ? LIMIT ?"
    )
    private static let deleteReplay = SQL("DELETE FROM assertion_replay WHERE tenant_id = ? AND jti_hash = ?")
    private static let findChallenges = SQL(
        "SELECT tenant_id, client_id, id FROM challenge WHERE expires_at <= ? LIMIT ?"
    )
    private static let deleteChallenge = SQL(
        "DELETE FROM challenge WHERE tenant_id = ? AND client_id = ? AND id = ?"
    )
    private static let findTokensOfExpired = SQL(
        """
        SELECT t.tenant_id, t.id
        FROM refresh_family f JOIN refresh_token t ON t.tenant_id = f.tenant_id AND t.family_id = f.id
        WHERE f.expires_at <= ? LIMIT ?
        """
    )
    private static let findTokensOfRevoked = SQL(
        """
        SELECT t.tenant_id, t.id
        FROM refresh_family f JOIN refresh_token t ON t.tenant_id = f.tenant_id AND t.family_id = f.id
        WHERE f.revoked_at <= ? AND f.revoked_at IS NOT NULL AND f.expires_at IS NULL LIMIT ?
        """
    )
    private static let deleteToken = SQL("DELETE FROM refresh_token WHERE tenant_id = ? AND id = ?")
    private static let findExpiredFamilies = SQL(
        """
        SELECT f.tenant_id, f.id, f.user_id, f.passkey_number FROM refresh_family f
        WHERE f.expires_at <= ? AND \(hasNoToken) LIMIT ?
        """
    )
    private static let findRevokedFamilies = SQL(
        """
        SELECT f.tenant_id, f.id, f.user_id, f.passkey_number FROM refresh_family f
        WHERE f.revoked_at <= ? AND f.revoked_at IS NOT NULL AND f.expires_at IS NULL AND \(hasNoToken) LIMIT ?
        """
    )
    private static let hasNoToken = """
        NOT EXISTS (SELECT 1 FROM refresh_token t WHERE t.tenant_id = f.tenant_id AND t.family_id = f.id)
        """
    private static let deleteActivity = SQL(
        """
        DELETE FROM user_activity
        WHERE tenant_id = ? AND family_id = ? AND user_id = ? AND passkey_number = ? AND family_id > x''
        """
    )
    private static let deleteFamily = SQL(
        "DELETE FROM refresh_family WHERE tenant_id = ? AND id = ? AND user_id = ? AND passkey_number = ?"
    )
}
