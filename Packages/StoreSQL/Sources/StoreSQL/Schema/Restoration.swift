internal import Encodings
public import Identity

/// What a store that comes from a backup needs before anybody is served from it.
public enum Restoration {
    /// How much was revoked.
    public struct Revoked: Hashable, Sendable {
        public let sessions: Int
        public let refreshFamilies: Int
    }

    /// Reads the deployment's own secret; `nil` when the store was never used.
    public static var secret: SQLStep<DeploymentSecret?> {
        .query(SQLStatement(SQLStore.selectSecret, [])) { (results) throws(StoreError) in
            try results.first.first(SQLStore.secret)
        }
    }

    /// Revokes every session and every family of refresh tokens, removes every challenge and every mail that waits, and
    /// writes into each tenant's log that it was done: what was revoked, used, answered or sent since the backup was made
    /// is not in it.
    ///
    /// - Parameters:
    ///   - madeAt: when the backup was made, if that is known.
    ///   - now: when it is put back.
    /// - Returns: one transaction.
    public static func step(madeAt: UnixTime?, now: UnixTime) -> SQLStep<Revoked> {
        let time = [SQLValue.time(now)]
        let changes = [
            SQLStatement(revokeSessions, time), SQLStatement(revokeFamilies, time), SQLStatement(removeChallenges, []),
            SQLStatement(selectTenants, []), SQLStatement(SQLStore.deleteAllMails, []),
        ]
        return .run(changes) { (results) throws(StoreError) in
            let tenants = try results[3].map { (row) throws(StoreError) in try row.tenant() }
            let events = tenants.map { tenant in
                SQLStore.insert(
                    AuditEvent(
                        tenant: tenant,
                        types: ["sapi"],
                        at: now,
                        device: Device(address: "", userAgent: ""),
                        details: [
                            "command": "restore",
                            "backup_made_at": madeAt.map { .string($0.rfc3339) } ?? .null,
                        ]
                    )
                )
            }
            return .commit(
                events,
                Revoked(sessions: results[0].changes, refreshFamilies: results[1].changes)
            )
        }
    }

    private static let revokeSessions = SQL("UPDATE session SET revoked_at = ? WHERE revoked_at IS NULL")
    private static let revokeFamilies = SQL("UPDATE refresh_family SET revoked_at = ? WHERE revoked_at IS NULL")
    private static let removeChallenges = SQL("DELETE FROM challenge")
    private static let selectTenants = SQL("SELECT id FROM tenant ORDER BY id")
}
