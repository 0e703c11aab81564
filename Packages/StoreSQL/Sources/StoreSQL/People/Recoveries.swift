public import Identity

extension SQLStore {
    public func finishRecovery(_ recovery: FinishedRecovery) async throws(StoreError) -> RecoveryOutcome {
        let passkey = recovery.passkey
        let lock = SQLStatement(Self.lockUnblocked, [.tenant(passkey.tenant), .user(passkey.user)])
        let spend = Self.spend(recovery.proof, of: passkey.tenant, now: recovery.audit.at)
        return try await database.write(
            .run([lock, spend]) { (results) throws(StoreError) in
                guard !results[0].isEmpty else { return .rollBack(.userGone) }
                let user = try results[1].first { (row) throws(StoreError) in try row.user() }
                guard user == passkey.user else { return .rollBack(.proofSpent) }
                return .run(Self.insert(passkey)) { (results) throws(StoreError) in
                    let number = try Self.number(results.first)
                    return .commit(Self.effects(of: recovery, number), .recovered)
                }
            }
        )
    }

    private static func spend(_ proof: RecoveryProof, of tenant: TenantID, now: UnixTime) -> SQLStatement {
        switch proof.kind {
        case .link: spendTicket(proof.hash, for: .passkeyEnrollment, of: tenant, now: now)
        }
    }

    private static func effects(of recovery: FinishedRecovery, _ number: PasskeyNumber) -> [SQLStatement] {
        let passkey = recovery.passkey
        return insertDetails(of: passkey, as: number)
            + revokeAll(of: passkey.user, tenant: passkey.tenant, at: recovery.audit.at)
            + [insert(recovery.ceremony), insert(recovery.audit)]
    }

    private static let lockUnblocked = SQL(
        "SELECT 1 FROM user_account WHERE tenant_id = ? AND id = ? AND blocked_at IS NULL",
        locksRows: true
    )
}
