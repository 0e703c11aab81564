public import Identity

extension SQLStore {
    public func add(_ ticket: Ticket, audit: AuditEvent) async throws(StoreError) {
        let insert = SQLStatement(
            Self.insertTicket,
            [
                .tenant(ticket.tenant), .bytes(ticket.hash), .text(ticket.purpose.rawValue), .user(ticket.user),
                .details(ticket.parameters), .time(ticket.createdAt), .time(ticket.expiresAt),
            ]
        )
        try await database.write(.commit([insert, Self.insert(audit)], ()))
    }

    public func takeTicket(
        hash: [UInt8],
        for purpose: Ticket.Purpose,
        of tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> Ticket? {
        let take = SQLStatement(
            Self.deleteTicket,
            [.tenant(tenant), .bytes(hash), .text(purpose.rawValue), .time(now)]
        )
        return try await database.write(
            .run(take) { (results) throws(StoreError) in
                .commit(
                    [],
                    try results.first.first { (row) throws(StoreError) in
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
                )
            }
        )
    }

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
