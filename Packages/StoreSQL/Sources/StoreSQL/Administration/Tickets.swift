public import Identity

extension SQLStore {
    public func add(_ ticket: Ticket, mail: OutboxMail?, audit: AuditEvent) async throws(StoreError) {
        let mails = mail.map { [Self.insert($0)] } ?? []
        try await database.write(.commit([Self.insert(ticket)] + mails + [Self.insert(audit)], ()))
    }

    public func feign(_ ticket: Ticket, mail: OutboxMail?, audit: AuditEvent) async throws(StoreError) {
        // The same pages are written, in which nothing is left.
        let mails = mail.map { [Self.insert($0), Self.delete($0)] } ?? []
        try await database.write(
            .commit([Self.insert(ticket), Self.delete(ticket)] + mails + [Self.insert(audit)], ())
        )
    }

    public func ticket(
        hash: [UInt8],
        for purpose: Ticket.Purpose,
        of tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> Ticket? {
        let select = SQLStatement(
            Self.selectTicket,
            [.tenant(tenant), .bytes(hash), .text(purpose.rawValue), .time(now)]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in
                    try Self.ticket(&row, tenant: tenant, hash: hash, purpose: purpose)
                }
            }
        )
    }

    public func takeTicket(
        hash: [UInt8],
        for purpose: Ticket.Purpose,
        of tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> Ticket? {
        let take = Self.spendTicket(hash, for: purpose, of: tenant, now: now)
        return try await database.write(
            .run(take) { (results) throws(StoreError) in
                .commit(
                    [],
                    try results.first.first { (row) throws(StoreError) in
                        try Self.ticket(&row, tenant: tenant, hash: hash, purpose: purpose)
                    }
                )
            }
        )
    }

    public func reset(
        _ effect: PasswordResetEffect,
        audit: AuditEvent
    ) async throws(StoreError) -> PasswordResetOutcome {
        let (old, ticket) = (effect.old, effect.ticket)
        let key: [SQLValue] = [.tenant(old.tenant), .user(old.id)]
        let statements = [
            Self.spend(ticket, now: audit.at), Self.update(old, to: effect.new),
            SQLStatement(Self.selectStates, key),
        ]
        return try await database.write(
            .run(statements) { (results) throws(StoreError) in
                guard !results[0].isEmpty else { return .rollBack(.ticketGone) }
                guard results[1].changes > 0 else { return .rollBack(.changedMeanwhile) }
                let states = effect.removesPasskeys ? try results[2].map(Self.removableState) : []
                return .commit(
                    Self.statements(of: effect, removing: states, at: audit.at) + [Self.insert(audit)],
                    .done
                )
            }
        )
    }

    private static func statements(
        of effect: PasswordResetEffect,
        removing states: [RemovableState],
        at now: UnixTime
    ) -> [SQLStatement] {
        let user = effect.new
        var statements = [insert(effect.password, of: user)]
        statements += revokeAll(of: user.id, tenant: user.tenant, at: now)
        statements += states.flatMap { delete($0, of: user.id, tenant: user.tenant, at: now) }
        if effect.removesPasskeys { statements += deleteRecoveryCodes(of: user.id, tenant: user.tenant) }
        statements += effect.tries.map { name in
            SQLStatement(forgetTries, [.tenant(user.tenant), .text(name.connection.text), .bytes(name.nameHash)])
        }
        if let review = effect.review { statements.append(insert(review)) }
        return statements
    }

    public func review(
        _ ticket: Ticket,
        removing passkeys: [PasskeyID],
        now: UnixTime,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool {
        let key: [SQLValue] = [.tenant(ticket.tenant), .user(ticket.user)]
        let statements = [
            Self.spend(ticket, now: now), SQLStatement(Self.lockUser, key), SQLStatement(Self.selectStates, key),
        ]
        let owned = passkeys.map { SQLStatement(Self.selectOwned, key + [.text($0.text)]) }
        return try await database.write(
            .run(statements + owned) { (results) throws(StoreError) in
                guard !results[0].isEmpty else { return .rollBack(false) }
                let states = try results[2].map(Self.removableState)
                var numbers: Set<Int64> = []
                for index in owned.indices {
                    let number = try results[statements.count + index].first { (row) throws(StoreError) in
                        try row.integer()
                    }
                    if let number { numbers.insert(number) }
                }
                let removed = states.filter { numbers.contains($0.number) }
                return .commit(
                    removed.flatMap { Self.delete($0, of: ticket.user, tenant: ticket.tenant, at: now) }
                        + [Self.insert(audit)],
                    true
                )
            }
        )
    }

    private static func spend(_ ticket: Ticket, now: UnixTime) -> SQLStatement {
        spendTicket(ticket.hash, for: ticket.purpose, of: ticket.tenant, now: now)
    }

    /// Takes a ticket out, and gives a row, which begins with its user, when it was there.
    static func spendTicket(
        _ hash: [UInt8],
        for purpose: Ticket.Purpose,
        of tenant: TenantID,
        now: UnixTime
    ) -> SQLStatement {
        SQLStatement(deleteTicket, [.tenant(tenant), .bytes(hash), .text(purpose.rawValue), .time(now)])
    }

    static func delete(_ ticket: Ticket) -> SQLStatement {
        SQLStatement(deleteOldTicket, [.tenant(ticket.tenant), .bytes(ticket.hash)])
    }

    static func insert(_ ticket: Ticket) -> SQLStatement {
        SQLStatement(
            insertTicket,
            [
                .tenant(ticket.tenant), .bytes(ticket.hash), .text(ticket.purpose.rawValue), .user(ticket.user),
                .details(ticket.parameters), .time(ticket.createdAt), .time(ticket.expiresAt),
            ]
        )
    }

    private static func ticket(
        _ row: inout SQLRow,
        tenant: TenantID,
        hash: [UInt8],
        purpose: Ticket.Purpose
    ) throws(StoreError) -> Ticket {
        Ticket(
            tenant: tenant,
            hash: hash,
            purpose: purpose,
            user: try row.user(),
            parameters: try row.details(),
            createdAt: try row.time(),
            expiresAt: try row.time()
        )
    }

    private static let selectTicket = SQL(
        """
        SELECT user_id, parameters, created_at, expires_at FROM ticket
        WHERE tenant_id = ? AND hash = ? AND purpose = ? AND expires_at > ?
        """
    )
    private static let insertTicket = SQL(
        """
        INSERT INTO ticket (tenant_id, hash, purpose, user_id, parameters, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let deleteTicket = SQL(
        """
        DELETE FROM ticket WHERE tenant_id = ? AND hash = ? AND purpose = ? AND expires_at > ?
        RETURNING user_id, parameters, created_at, expires_at
        """
    )
    static let findOldTickets = SQL("SELECT tenant_id, hash FROM ticket WHERE expires_at <= ? LIMIT ?")
    static let deleteOldTicket = SQL("DELETE FROM ticket WHERE tenant_id = ? AND hash = ?")
}
