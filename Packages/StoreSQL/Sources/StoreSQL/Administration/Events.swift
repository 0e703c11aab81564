public import Identity

extension SQLStore {
    public func events(
        of tenant: TenantID,
        user: UserID?,
        from place: EventPlace,
        limit: Int
    ) async throws(StoreError) -> [RecordedEvent] {
        let (select, bound): (SQL, [UInt8]) =
            switch place {
            case .before(let id): (user == nil ? Self.eventsBefore : Self.eventsOfUserBefore, id?.bytes ?? Self.last)
            case .after(let id): (user == nil ? Self.eventsAfter : Self.eventsOfUserAfter, id?.bytes ?? [])
            }
        let who: [SQLValue] = user.map { [.user($0)] } ?? []
        let statement = SQLStatement(
            select,
            [.tenant(tenant), .bytes(bound)] + who + [.integer(Int64(max(0, limit)))]
        )
        return try await database.read(
            .query(statement) { (results) throws(StoreError) in try results.first.map(Self.recordedEvent) }
        )
    }

    public func event(_ id: TimeOrderedID, of tenant: TenantID) async throws(StoreError) -> RecordedEvent? {
        try await database.read(
            .query(SQLStatement(Self.selectEvent, [.tenant(tenant), .id(id)])) { (results) throws(StoreError) in
                try results.first.first(Self.recordedEvent)
            }
        )
    }

    public func names(of users: [UserID], tenant: TenantID) async throws(StoreError) -> [UserID: String] {
        guard !users.isEmpty else { return [:] }
        let statements = users.map { SQLStatement(Self.selectName, [.tenant(tenant), .user($0)]) }
        return try await database.read(
            .query(statements) { (results) throws(StoreError) in
                var names: [UserID: String] = [:]
                for (index, user) in users.enumerated() {
                    let found = try results[index].first { (row) throws(StoreError) in
                        (name: try row.textIfAny(), identifiers: try row.identifiers())
                    }
                    names[user] = found?.name ?? found?.identifiers.first?.entered
                }
                return names
            }
        )
    }

    private static func recordedEvent(_ row: inout SQLRow) throws(StoreError) -> RecordedEvent {
        RecordedEvent(
            id: try row.id(),
            event: AuditEvent(
                tenant: try row.tenant(),
                types: try row.words(),
                at: try row.time(),
                user: try row.userIfAny(),
                client: try row.textIfAny().map { ClientID($0) },
                connection: try row.textIfAny().map { ConnectionID($0) },
                device: try row.device(),
                details: try row.details()
            )
        )
    }

    /// Behind every id.
    private static let last = [UInt8](repeating: 0xFF, count: 17)
    private static let eventColumns = """
        id, tenant_id, types, at, user_id, client_id, connection_id, address, user_agent, details
        """
    private static let eventsBefore = SQL(
        "SELECT \(eventColumns) FROM audit_event WHERE tenant_id = ? AND id < ? ORDER BY id DESC LIMIT ?"
    )
    private static let eventsAfter = SQL(
        "SELECT \(eventColumns) FROM audit_event WHERE tenant_id = ? AND id > ? ORDER BY id LIMIT ?"
    )
    private static let eventsOfUserBefore = SQL(
        """
        SELECT \(eventColumns) FROM audit_event WHERE tenant_id = ? AND id < ? AND user_id = ?
        ORDER BY id DESC LIMIT ?
        """
    )
    private static let eventsOfUserAfter = SQL(
        "SELECT \(eventColumns) FROM audit_event WHERE tenant_id = ? AND id > ? AND user_id = ? ORDER BY id LIMIT ?"
    )
    private static let selectEvent = SQL("SELECT \(eventColumns) FROM audit_event WHERE tenant_id = ? AND id = ?")
    private static let selectName = SQL(
        "SELECT name, identifiers FROM user_account WHERE tenant_id = ? AND id = ?"
    )
}
