public import Identity

extension SQLStore {
    public func begin(
        _ recovery: StartedRecovery,
        notices: [Notice],
        isFeigned: Bool,
        audit: AuditEvent
    ) async throws(StoreError) {
        var statements = [Self.insert(recovery)] + notices.flatMap(Self.insert)
        if isFeigned {
            // The same pages are written, in which nothing is left.
            statements += notices.flatMap { [Self.delete($0.mail), Self.delete($0.ticket)] }
        }
        try await database.write(.commit(statements + [Self.insert(audit)], ()))
    }

    public func recovery(
        _ hash: [UInt8],
        of tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> StartedRecovery? {
        let select = SQLStatement(Self.selectRecovery, [.tenant(tenant), .bytes(hash), .time(now)])
        return try await database.read(
            .query(select) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in
                    StartedRecovery(
                        tenant: tenant,
                        hash: hash,
                        client: try row.client(),
                        connection: ConnectionID(try row.text()),
                        user: try row.user(),
                        name: try row.text(),
                        codeHash: try row.bytes(),
                        createdAt: try row.time(),
                        expiresAt: try row.time(),
                        keptUntil: try row.time()
                    )
                }
            }
        )
    }

    public func tryCode(
        _ code: RecoveryProof,
        for recovery: StartedRecovery,
        limit: Int,
        now: UnixTime
    ) async throws(StoreError) -> Bool {
        let key: [SQLValue] = [.tenant(recovery.tenant), .bytes(recovery.hash)]
        let look = [
            SQLStatement(Self.lockRecovery, key + [.time(now), .integer(Int64(limit))]),
            SQLStatement(Self.findMailedCode, key + [.bytes(code.hash)]),
            SQLStatement(
                Self.findCode,
                [.tenant(recovery.tenant), .user(recovery.user), .bytes(code.hash)]
            ),
        ]
        return try await database.write(
            .run(look) { (results) throws(StoreError) in
                guard !results[0].isEmpty else { return .rollBack(false) }
                let isRight =
                    switch code.kind {
                    case .mail: !results[1].isEmpty
                    case .recoveryCode: !results[2].isEmpty
                    case .link: false
                    }
                return isRight ? .rollBack(true) : .commit([SQLStatement(Self.countWrongCode, key)], false)
            }
        )
    }

    public func finishRecovery(_ recovery: FinishedRecovery) async throws(StoreError) -> RecoveryOutcome {
        let passkey = recovery.passkey
        let key: [SQLValue] = [.tenant(passkey.tenant), .user(passkey.user)]
        var first = [
            SQLStatement(Self.lockUnblocked, key),
            Self.spend(recovery.proof, of: passkey.user, tenant: passkey.tenant, now: recovery.audit.at),
            SQLStatement(Self.selectStates, key),
        ]
        if let change = recovery.change { first.append(Self.update(change.old, to: change.new)) }
        return try await database.write(
            .run(first) { (results) throws(StoreError) in
                guard !results[0].isEmpty else { return .rollBack(.userGone) }
                let user = try results[1].first { (row) throws(StoreError) in try row.user() }
                guard user == passkey.user else { return .rollBack(.proofSpent) }
                guard recovery.change == nil || results[3].changes > 0 else { return .rollBack(.changedMeanwhile) }
                let others = recovery.clears ? try results[2].map(Self.removableState) : []
                return .run(Self.insert(passkey)) { (results) throws(StoreError) in
                    let number = try Self.number(results.first)
                    return .commit(Self.effects(of: recovery, number, removing: others), .recovered)
                }
            }
        )
    }

    public func disown(_ disowning: Disowning, audit: AuditEvent) async throws(StoreError) -> Bool {
        let ticket = disowning.ticket
        let key: [SQLValue] = [.tenant(ticket.tenant), .user(ticket.user)]
        let look = [
            Self.spendTicket(ticket.hash, for: .disowning, of: ticket.tenant, now: audit.at),
            SQLStatement(Self.lockUser, key), SQLStatement(Self.selectStates, key),
            SQLStatement(Self.selectOwned, key + [.text(disowning.passkey?.text ?? "")]),
        ]
        return try await database.write(
            .run(look) { (results) throws(StoreError) in
                guard !results[0].isEmpty else { return .rollBack(false) }
                var effects = [SQLStatement(Self.deleteRecoveriesOfUser, key)]
                if disowning.passkey != nil {
                    let number = try results[3].first { (row) throws(StoreError) in try row.integer() }
                    let states = try results[2].map(Self.removableState).filter { $0.number == number }
                    effects += states.flatMap {
                        Self.delete($0, of: ticket.user, tenant: ticket.tenant, at: audit.at)
                    }
                    effects += Self.revokeAll(of: ticket.user, tenant: ticket.tenant, at: audit.at)
                }
                if let reset = disowning.reset { effects.append(Self.insert(reset)) }
                return .commit(effects + [Self.insert(audit)], true)
            }
        )
    }

    private static func spend(
        _ proof: RecoveryProof,
        of user: UserID,
        tenant: TenantID,
        now: UnixTime
    ) -> SQLStatement {
        switch proof.kind {
        case .link: spendTicket(proof.hash, for: .passkeyEnrollment, of: tenant, now: now)
        case .mail: SQLStatement(deleteRecovery, [.tenant(tenant), .bytes(proof.hash), .time(now)])
        case .recoveryCode: spendRecoveryCode(proof.hash, of: user, tenant: tenant)
        }
    }

    private static func effects(
        of recovery: FinishedRecovery,
        _ number: PasskeyNumber,
        removing others: [RemovableState]
    ) -> [SQLStatement] {
        let passkey = recovery.passkey
        let (user, tenant, now) = (passkey.user, passkey.tenant, recovery.audit.at)
        let key: [SQLValue] = [.tenant(tenant), .user(user)]
        var statements = insertDetails(of: passkey, as: number)
        statements += revokeAll(of: user, tenant: tenant, at: now)
        statements.append(SQLStatement(deleteRecoveriesOfUser, key))
        if recovery.clears {
            statements += others.flatMap { delete($0, of: user, tenant: tenant, at: now) }
            statements.append(SQLStatement(deletePassword, key))
            statements += deleteRecoveryCodes(of: user, tenant: tenant)
        }
        if let review = recovery.review { statements.append(insert(review)) }
        statements += recovery.notices.flatMap(insert)
        guard let begun = recovery.session else {
            return statements + [insert(recovery.ceremony), insert(recovery.audit)]
        }
        let login = LoginEffect(
            session: begun.session,
            cookieHash: begun.cookieHash,
            replacedCookieHash: nil,
            refresh: begun.refresh,
            ceremony: recovery.ceremony,
            audit: recovery.audit
        )
        return statements + Self.statements(of: login, passkey: number)
    }

    private static func insert(_ recovery: StartedRecovery) -> SQLStatement {
        SQLStatement(
            insertRecovery,
            [
                .tenant(recovery.tenant), .bytes(recovery.hash), .text(recovery.client.text),
                .text(recovery.connection.text), .user(recovery.user), .text(recovery.name),
                .bytes(recovery.codeHash), .time(recovery.createdAt), .time(recovery.expiresAt),
                .time(recovery.keptUntil),
            ]
        )
    }

    /// A notice, for the transaction of what it tells of.
    static func insert(_ notice: Notice) -> [SQLStatement] { [insert(notice.ticket), insert(notice.mail)] }

    static let lockUnblocked = SQL(
        "SELECT 1 FROM user_account WHERE tenant_id = ? AND id = ? AND blocked_at IS NULL",
        locksRows: true
    )
    private static let insertRecovery = SQL(
        """
        INSERT INTO recovery (tenant_id, hash, client_id, connection_id, user_id, name, code_hash, tries, created_at,
            expires_at, kept_until)
        VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)
        """
    )
    private static let selectRecovery = SQL(
        """
        SELECT client_id, connection_id, user_id, name, code_hash, created_at, expires_at, kept_until FROM recovery
        WHERE tenant_id = ? AND hash = ? AND expires_at > ?
        """
    )
    private static let lockRecovery = SQL(
        "SELECT 1 FROM recovery WHERE tenant_id = ? AND hash = ? AND expires_at > ? AND tries < ?",
        locksRows: true
    )
    private static let findMailedCode = SQL(
        "SELECT 1 FROM recovery WHERE tenant_id = ? AND hash = ? AND code_hash = ?"
    )
    private static let findCode = SQL(
        "SELECT 1 FROM recovery_code WHERE tenant_id = ? AND user_id = ? AND hash = ?"
    )
    private static let countWrongCode = SQL("UPDATE recovery SET tries = tries + 1 WHERE tenant_id = ? AND hash = ?")
    private static let deleteRecovery = SQL(
        "DELETE FROM recovery WHERE tenant_id = ? AND hash = ? AND kept_until > ? RETURNING user_id"
    )
    private static let deleteRecoveriesOfUser = SQL("DELETE FROM recovery WHERE tenant_id = ? AND user_id = ?")
    static let findOldRecoveries = SQL("SELECT tenant_id, hash FROM recovery WHERE kept_until <= ? LIMIT ?")
    static let deleteOldRecovery = SQL("DELETE FROM recovery WHERE tenant_id = ? AND hash = ?")
}
