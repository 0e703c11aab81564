import Encodings
public import Identity

extension SQLStore {
    public func append(ceremonies: [CeremonyRecord], events: [AuditEvent]) async throws(StoreError) {
        let statements = ceremonies.map(Self.insertUnlessThere) + events.map(Self.insert)
        guard !statements.isEmpty else { return }
        try await database.write(.commit(statements, ()))
    }

    public func ceremonies(
        of tenant: TenantID,
        failedOnly: Bool,
        since: UnixTime?,
        before cursor: CeremonyID?,
        limit: Int
    ) async throws(StoreError) -> [CeremonyRecord] {
        let select = SQLStatement(
            failedOnly ? Self.selectFailedCeremonies : Self.selectCeremonies,
            [
                .tenant(tenant), .bytes(cursor?.id.bytes ?? [UInt8](repeating: 0xFF, count: 17)),
                .time(since ?? UnixTime(milliseconds: .min)), .integer(Int64(max(0, limit))),
            ]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in try results.first.map(Self.ceremony) }
        )
    }

    public func ceremony(_ id: CeremonyID) async throws(StoreError) -> CeremonyRecord? {
        try await database.read(
            .query(SQLStatement(Self.selectCeremony, [.id(id.id)])) { (results) throws(StoreError) in
                try results.first.first(Self.ceremony)
            }
        )
    }

    public func removeCeremonies(endedBefore time: UnixTime) async throws(StoreError) {
        // A ceremony's id begins with the time it started, so that those that ended before are found by the key.
        let bound = TimeOrderedID(now: time, random: [])
        let limit = 1000
        let find = SQLStatement(Self.findOldCeremonies, [.id(bound), .time(time), .integer(Int64(limit))])
        let step: SQLStep<Int> = .run(find) { (results) throws(StoreError) in
            let keys = try results.first.map { (row) throws(StoreError) in row.rest() }
            return .commit(keys.map { SQLStatement(Self.deleteCeremony, $0) }, keys.count)
        }
        while try await database.write(step) == limit {}
    }

    public func remember(
        jtiHash: [UInt8],
        of tenant: TenantID,
        until expiry: UnixTime,
        now: UnixTime
    ) async throws(StoreError) -> Bool {
        let insert = SQLStatement(
            Self.insertReplay,
            [.tenant(tenant), .bytes(jtiHash), .time(expiry), .time(now)]
        )
        return try await database.write(.commitIfChanged(insert, [], true, otherwise: false))
    }

    /// A ceremony ends once: its record is in the way of another end.
    static func insert(_ record: CeremonyRecord) -> SQLStatement {
        SQLStatement(insertCeremony, values(of: record), conflict: .ceremony)
    }

    /// The record of a refusal, which undoes nothing: a ceremony that ended before keeps its first end.
    private static func insertUnlessThere(_ record: CeremonyRecord) -> SQLStatement {
        SQLStatement(insertNewCeremony, values(of: record))
    }

    private static func values(of record: CeremonyRecord) -> [SQLValue] {
        [
            .tenant(record.tenant), .id(record.id.id), .text(record.client.text),
            .text(ifAny: record.connection?.text), .text(record.purpose), .text(record.outcome),
            .text(ifAny: record.step), .user(record.user), .time(record.startedAt), .time(record.endedAt),
            .text(record.device.address), .text(record.device.userAgent), .details(record.details),
        ]
    }

    static func insert(_ event: AuditEvent) -> SQLStatement {
        SQLStatement(
            insertEvent,
            [
                .tenant(event.tenant), .id(EventIDs.next(at: event.at)), .words(event.types), .time(event.at),
                .user(event.user),
                .text(ifAny: event.client?.text), .text(ifAny: event.connection?.text), .text(event.device.address),
                .text(event.device.userAgent), .details(event.details),
            ]
        )
    }

    private static func ceremony(_ row: inout SQLRow) throws(StoreError) -> CeremonyRecord {
        CeremonyRecord(
            id: CeremonyID(try row.id()),
            tenant: try row.tenant(),
            client: try row.client(),
            connection: try row.textIfAny().map { ConnectionID($0) },
            purpose: try row.text(),
            outcome: try row.text(),
            step: try row.textIfAny(),
            user: try row.userIfAny(),
            startedAt: try row.time(),
            endedAt: try row.time(),
            device: try row.device(),
            details: try row.details()
        )
    }

    /// The columns of ``ceremony(_:)`` in its order.
    private static let ceremonyColumns = """
        c.id, c.tenant_id, c.client_id, c.connection_id, c.purpose, c.outcome, c.step, c.user_id, c.started_at,
        c.ended_at, c.address, c.user_agent, c.details
        """
    private static let selectCeremonies = SQL(
        """
        SELECT \(ceremonyColumns) FROM ceremony c
        WHERE c.tenant_id = ? AND c.id < ? AND c.ended_at >= ? ORDER BY c.id DESC LIMIT ?
        """
    )
    private static let selectFailedCeremonies = SQL(
        """
        SELECT \(ceremonyColumns) FROM ceremony c
        WHERE c.tenant_id = ? AND c.id < ? AND c.ended_at >= ? AND c.outcome <> 'accepted'
        ORDER BY c.id DESC LIMIT ?
        """
    )
    /// An operator has the id alone; each tenant's key is looked into.
    private static let selectCeremony = SQL(
        "SELECT \(ceremonyColumns) FROM tenant t JOIN ceremony c ON c.tenant_id = t.id WHERE c.id = ?"
    )
    private static let findOldCeremonies = SQL(
        """
        SELECT c.tenant_id, c.id FROM tenant t JOIN ceremony c ON c.tenant_id = t.id
        WHERE c.id < ? AND c.ended_at < ? LIMIT ?
        """
    )
    private static let deleteCeremony = SQL("DELETE FROM ceremony WHERE tenant_id = ? AND id = ?")
    private static let insertCeremony = SQL(insertCeremonyText)
    private static let insertNewCeremony = SQL(insertCeremonyText + " ON CONFLICT (tenant_id, id) DO NOTHING")
    private static let insertCeremonyText = """
        INSERT INTO ceremony
            (tenant_id, id, client_id, connection_id, purpose, outcome, step, user_id, started_at, ended_at, address,
            user_agent, details)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let insertEvent = SQL(
        """
        INSERT INTO audit_event
            (tenant_id, id, types, at, user_id, client_id, connection_id, address, user_agent, details)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    /// A row that is over counts as gone.
    private static let insertReplay = SQL(
        """
        INSERT INTO assertion_replay (tenant_id, jti_hash, expires_at) VALUES (?, ?, ?)
        ON CONFLICT (tenant_id, jti_hash) DO UPDATE SET expires_at = excluded.expires_at
        WHERE assertion_replay.expires_at <= ?
        """
    )
}
