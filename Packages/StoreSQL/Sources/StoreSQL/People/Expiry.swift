public import Identity

extension SQLStore {
    public func removeExpired(now: UnixTime) async throws(StoreError) -> Bool {
        let place = walk.place
        // Families before their tokens: a token goes when its family is gone.
        let sessions = try await look(Self.lookAtSessions, from: place.sessions, [.time(now)])
        let families = try await look(
            Self.lookAtFamilies,
            from: place.families,
            [.time(now), .time(now.adding(seconds: -Self.revokedFamilyLife))]
        )
        let tokens = try await look(Self.lookAtTokens, from: place.tokens, [])
        let bound: [SQLValue] = [.time(now), .integer(Int64(Self.rowsPerCall))]
        let oldTry = SQLValue.time(now.adding(seconds: -Self.passwordTryLife))
        let oldMail = SQLValue.time(now.adding(seconds: -Self.deadMailLife))
        let (replays, challenges, tries, tickets, mails) = try await database.read(
            .query(
                SQLStatement(Self.findReplays, bound),
                SQLStatement(Self.findChallenges, bound),
                SQLStatement(Self.findTries, [oldTry, .integer(Int64(Self.rowsPerCall))]),
                SQLStatement(Self.findOldTickets, bound),
                SQLStatement(Self.findDeadMails, [oldMail, .integer(Int64(Self.rowsPerCall))])
            ) { (results) throws(StoreError) in
                (
                    try results[0].map { (row) throws(StoreError) in row.rest() },
                    try results[1].map { (row) throws(StoreError) in row.rest() },
                    try results[2].map { (row) throws(StoreError) in row.rest() },
                    try results[3].map { (row) throws(StoreError) in row.rest() },
                    try results[4].map { (row) throws(StoreError) in row.rest() }
                )
            }
        )
        let codes = try await keys(
            Self.findOldCodes,
            [.time(now.adding(seconds: -Self.codeMemory)), .integer(Int64(Self.rowsPerCall))]
        )
        let recoveries = try await keys(Self.findOldRecoveries, bound)
        let deletions =
            sessions.over.flatMap { Self.delete(session: $0) }
            + families.over.flatMap { Self.delete(family: $0) }
            + tokens.over.map { SQLStatement(Self.deleteToken, $0) }
            + replays.map { SQLStatement(Self.deleteReplay, $0) }
            + challenges.map { SQLStatement(Self.deleteChallenge, $0) }
            + tries.map { SQLStatement(Self.deleteTries, $0 + [oldTry]) }
            + tickets.map { SQLStatement(Self.deleteOldTicket, $0) }
            + mails.map { SQLStatement(Self.deleteDeadMail, $0 + [oldMail]) }
            + codes.map { SQLStatement(Self.deleteOldCode, $0) }
            + recoveries.map { SQLStatement(Self.deleteOldRecovery, $0) }
        if !deletions.isEmpty { try await database.write(.commit(deletions, ())) }
        let end = ExpiryWalk.Place(sessions: sessions.end, families: families.end, tokens: tokens.end)
        walk.place = end
        let lists = [replays, challenges, tries, tickets, mails, codes, recoveries]
        return !end.isAtEnd || lists.contains { $0.count >= Self.rowsPerCall }
    }

    /// The keys of rows that are over: of codes when their tokens are as well.
    private func keys(_ select: SQL, _ values: [SQLValue]) async throws(StoreError) -> [[SQLValue]] {
        try await database.read(
            .query(SQLStatement(select, values)) { (results) throws(StoreError) in
                try results.first.map { (row) throws(StoreError) in row.rest() }
            }
        )
    }

    /// Rows of each table that one call looks at.
    private static let rowsPerCall = 1000
    /// Seconds for which a revoked family without an end of its own is kept, so that a replay of its tokens is told
    /// apart from a token that never was.
    private static let revokedFamilyLife: Int64 = 30 * 86400

    /// Seconds for which tries of a password are remembered.
    private static let passwordTryLife: Int64 = 90 * 86400

    /// Seconds for which a mail that was given up can be seen and tried again.
    private static let deadMailLife: Int64 = 30 * 86400

    /// Looks at the rows that come after `place` in the order of the key.
    ///
    /// - Returns: the keys of those that are over, and where to go on; at the end of the table that is `.end`.
    private func look(
        _ select: SQL,
        from place: ExpiryWalk.Position,
        _ times: [SQLValue]
    ) async throws(StoreError) -> (over: [[SQLValue]], end: ExpiryWalk.Position) {
        guard case .after(let tenant, let id) = place else { return ([], .end) }
        let values = times + [.integer(tenant), .bytes(id), .integer(Int64(Self.rowsPerCall))]
        return try await database.read(
            .query(SQLStatement(select, values)) { (results) throws(StoreError) in
                let rows = try results.first.map { (row) throws(StoreError) in
                    (isOver: try row.bool(), tenant: try row.integer(), id: try row.bytes(), rest: row.rest())
                }
                let over = rows.filter(\.isOver).map { [.integer($0.tenant), .bytes($0.id)] + $0.rest }
                guard let last = rows.last, rows.count >= Self.rowsPerCall else { return (over, .end) }
                return (over, .after(tenant: last.tenant, id: last.id))
            }
        )
    }

    /// Removes a session, and from what its user did.
    private static func delete(session row: [SQLValue]) -> [SQLStatement] {
        guard row.count == 3 else { return [] }
        return [
            SQLStatement(deleteSession, [row[0], row[1]]),
            SQLStatement(deleteActivity, [row[0], row[2], row[1], .integer(0)]),
        ]
    }

    /// Removes a family from all that names it. A session that was kept for it alone goes too.
    private static func delete(family row: [SQLValue]) -> [SQLStatement] {
        guard row.count == 5 else { return [] }
        let (tenant, id, user, number, session) = (row[0], row[1], row[2], row[3], row[4])
        return [
            SQLStatement(deleteActivity, [tenant, user, id, number]),
            SQLStatement(deleteFamily, [tenant, id]),
            SQLStatement(deleteKeptSession, [tenant, session]),
        ]
    }

    private static let lookAtSessions = SQL(
        """
        SELECT CASE WHEN kept_until <= ? THEN 1 ELSE 0 END, tenant_id, id, user_id FROM session
        WHERE (tenant_id, id) > (?, ?) ORDER BY tenant_id, id LIMIT ?
        """
    )
    static let deleteSession = SQL("DELETE FROM session WHERE tenant_id = ? AND id = ?")
    /// Not while another family tells by it how it was authenticated.
    private static let deleteKeptSession = SQL(
        """
        DELETE FROM session WHERE tenant_id = ? AND id = ? AND kept_until IS NULL AND NOT EXISTS (
            SELECT 1 FROM user_activity a JOIN refresh_family f ON f.tenant_id = a.tenant_id AND f.id = a.family_id
            WHERE a.tenant_id = session.tenant_id AND a.user_id = session.user_id AND a.family_id > x''
                AND f.session_id = session.id)
        """
    )
    private static let lookAtFamilies = SQL(
        """
        SELECT CASE WHEN expires_at <= ? OR (expires_at IS NULL AND revoked_at <= ?) THEN 1 ELSE 0 END,
            tenant_id, id, user_id, passkey_number, session_id
        FROM refresh_family WHERE (tenant_id, id) > (?, ?) ORDER BY tenant_id, id LIMIT ?
        """
    )
    private static let deleteActivity = SQL(
        """
        DELETE FROM user_activity
        WHERE tenant_id = ? AND user_id = ? AND family_id = ? AND passkey_number = ? AND family_id > x''
        """
    )
    private static let deleteFamily = SQL("DELETE FROM refresh_family WHERE tenant_id = ? AND id = ?")
    private static let lookAtTokens = SQL(
        """
        SELECT CASE WHEN f.id IS NULL THEN 1 ELSE 0 END, t.tenant_id, t.id
        FROM refresh_token t LEFT JOIN refresh_family f ON f.tenant_id = t.tenant_id AND f.id = t.family_id
        WHERE (t.tenant_id, t.id) > (?, ?) ORDER BY t.tenant_id, t.id LIMIT ?
        """
    )
    private static let deleteToken = SQL("DELETE FROM refresh_token WHERE tenant_id = ? AND id = ?")
    private static let findReplays = SQL(
        "SELECT tenant_id, jti_hash FROM assertion_replay WHERE expires_at <= ? LIMIT ?"
    )
    private static let deleteReplay = SQL("DELETE FROM assertion_replay WHERE tenant_id = ? AND jti_hash = ?")
    private static let findChallenges = SQL(
        "SELECT tenant_id, client_id, id FROM challenge WHERE expires_at <= ? LIMIT ?"
    )
    private static let findTries = SQL(
        "SELECT tenant_id, connection_id, name_hash FROM password_try WHERE last_at <= ? LIMIT ?"
    )
    private static let deleteTries = SQL(
        "DELETE FROM password_try WHERE tenant_id = ? AND connection_id = ? AND name_hash = ? AND last_at <= ?"
    )
    private static let deleteChallenge = SQL(
        "DELETE FROM challenge WHERE tenant_id = ? AND client_id = ? AND id = ?"
    )
}
