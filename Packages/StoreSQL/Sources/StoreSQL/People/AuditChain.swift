public import Identity

extension SQLStore {
    public func tenantsToSeal(through bound: TimeOrderedID) async throws(StoreError) -> [TenantID] {
        let select = SQLStatement(Self.selectTenantsToSeal, [.bytes([]), .id(bound)])
        return try await database.read(
            .query(select) { (results) throws(StoreError) in
                try results.first.map { (row) throws(StoreError) in try row.tenant() }
            }
        )
    }

    public func newestSeal(of tenant: TenantID) async throws(StoreError) -> AuditSeal? {
        try await database.read(
            .query(SQLStatement(Self.selectNewestSeal, [.tenant(tenant)])) { (results) throws(StoreError) in
                try results.first.first(Self.seal)
            }
        )
    }

    public func events(
        of tenant: TenantID,
        after cursor: TimeOrderedID?,
        through bound: TimeOrderedID?,
        limit: Int
    ) async throws(StoreError) -> [StoredAuditEvent] {
        try await storedEvents(
            Self.selectEvents,
            [
                .tenant(tenant), .bytes(cursor?.bytes ?? []), .bytes(bound?.bytes ?? Self.afterEveryID),
                .integer(Int64(max(0, limit))),
            ]
        )
    }

    public func newestEvents(of tenant: TenantID, limit: Int) async throws(StoreError) -> [StoredAuditEvent] {
        try await storedEvents(
            Self.selectNewestEvents,
            [.tenant(tenant), .bytes(Self.afterEveryID), .integer(Int64(max(0, limit)))]
        )
    }

    public func append(_ seal: AuditSeal) async throws(StoreError) -> Bool {
        let insert = SQLStatement(
            Self.insertSeal,
            [
                .tenant(seal.tenant), .integer(seal.number), .id(seal.through), .integer(seal.count),
                .bytes(seal.previous), .bytes(seal.hash), .bytes(seal.publicKey), .bytes(seal.signature),
                .time(seal.sealedAt),
            ]
        )
        return try await database.write(.commitIfChanged(insert, [], true, otherwise: false))
    }

    public func seals(
        of tenant: TenantID,
        after number: Int64,
        limit: Int
    ) async throws(StoreError) -> [AuditSeal] {
        let select = SQLStatement(
            Self.selectSeals,
            [.tenant(tenant), .integer(number), .integer(Int64(max(0, limit)))]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in try results.first.map(Self.seal) }
        )
    }

    public func removeSealedEvents(before time: UnixTime) async throws(StoreError) {
        let bound = TimeOrderedID(now: time, random: [])
        let tenants = try await database.read(
            .query(SQLStatement(Self.selectTenantsToThin, [.id(bound)])) { (results) throws(StoreError) in
                try results.first.map { (row) throws(StoreError) in try row.tenant() }
            }
        )
        for tenant in tenants {
            while try await database.write(Self.removeOldest(of: tenant, before: bound)) {}
        }
    }

    /// Events that one transaction removes, and at most one seal's more.
    private static let removedAtOnce: Int64 = 1000

    /// - Returns: whether there may be more to remove.
    private static func removeOldest(of tenant: TenantID, before bound: TimeOrderedID) -> SQLStep<Bool> {
        let most = 100
        let select = SQLStatement(selectOldestSeals, [.tenant(tenant), .integer(Int64(most))])
        return .run(select) { (results) throws(StoreError) in
            let seals = try results.first.map { (row) throws(StoreError) in
                (number: try row.integer(), through: try row.bytes(), count: try row.integer())
            }
            var last: (number: Int64, through: [UInt8])?
            var count: Int64 = 0
            // Of those that were read the last may be the newest of all.
            for seal in seals.dropLast() {
                guard count < removedAtOnce, seal.through.lexicographicallyPrecedes(bound.bytes) else { break }
                last = (seal.number, seal.through)
                count += seal.count
            }
            guard let last else { return .rollBack(false) }
            return .commit(
                [
                    SQLStatement(deleteEvents, [.tenant(tenant), .bytes(last.through)]),
                    SQLStatement(deleteSeals, [.tenant(tenant), .integer(last.number)]),
                ],
                count >= removedAtOnce || seals.count == most
            )
        }
    }

    private func storedEvents(_ text: SQL, _ values: [SQLValue]) async throws(StoreError) -> [StoredAuditEvent] {
        try await database.read(
            .query(SQLStatement(text, values)) { (results) throws(StoreError) in
                try results.first.map(Self.storedEvent)
            }
        )
    }

    private static func storedEvent(_ row: inout SQLRow) throws(StoreError) -> StoredAuditEvent {
        StoredAuditEvent(
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

    private static func seal(_ row: inout SQLRow) throws(StoreError) -> AuditSeal {
        AuditSeal(
            tenant: try row.tenant(),
            number: try row.integer(),
            through: try row.id(),
            count: try row.integer(),
            previous: try row.bytes(),
            hash: try row.bytes(),
            publicKey: try row.bytes(),
            signature: try row.bytes(),
            sealedAt: try row.time()
        )
    }

    /// Longer than an id, so that it sorts behind every one.
    private static let afterEveryID = [UInt8](repeating: 0xFF, count: 17)
    private static let eventColumns =
        "e.id, e.tenant_id, e.types, e.at, e.user_id, e.client_id, e.connection_id, e.address, e.user_agent, e.details"
    private static let sealColumns =
        "tenant_id, number, through_id, event_count, previous_hash, hash, public_key, signature, sealed_at"
    /// One look into each tenant's newest seal, and one behind it.
    private static let selectTenantsToSeal = SQL(
        """
        SELECT t.id FROM tenant t
        WHERE EXISTS (
            SELECT 1 FROM audit_event e
            WHERE e.tenant_id = t.id
                AND e.id > COALESCE(
                    (
                        SELECT s.through_id FROM audit_seal s
                        WHERE s.tenant_id = t.id AND s.number > 0 ORDER BY s.number DESC LIMIT 1
                    ), ?)
                AND e.id <= ?
        )
        ORDER BY t.id
        """
    )
    /// One look at each tenant's oldest seal.
    private static let selectTenantsToThin = SQL(
        """
        SELECT t.id FROM tenant t
        WHERE (
            SELECT s.through_id FROM audit_seal s
            WHERE s.tenant_id = t.id AND s.number > 0 ORDER BY s.number LIMIT 1
        ) < ?
        ORDER BY t.id
        """
    )
    private static let selectOldestSeals = SQL(
        """
        SELECT number, through_id, event_count FROM audit_seal
        WHERE tenant_id = ? AND number > 0 ORDER BY number LIMIT ?
        """
    )
    private static let deleteEvents = SQL("DELETE FROM audit_event WHERE tenant_id = ? AND id > x'' AND id <= ?")
    private static let deleteSeals = SQL("DELETE FROM audit_seal WHERE tenant_id = ? AND number > 0 AND number <= ?")
    private static let selectNewestSeal = SQL(
        "SELECT \(sealColumns) FROM audit_seal WHERE tenant_id = ? AND number > 0 ORDER BY number DESC LIMIT 1"
    )
    private static let selectSeals = SQL(
        "SELECT \(sealColumns) FROM audit_seal WHERE tenant_id = ? AND number > ? ORDER BY number LIMIT ?"
    )
    private static let insertSeal = SQL(
        """
        INSERT INTO audit_seal (\(sealColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (tenant_id, number) DO NOTHING
        """
    )
    private static let selectEvents = SQL(
        """
        SELECT \(eventColumns) FROM audit_event e
        WHERE e.tenant_id = ? AND e.id > ? AND e.id <= ? ORDER BY e.id LIMIT ?
        """
    )
    private static let selectNewestEvents = SQL(
        "SELECT \(eventColumns) FROM audit_event e WHERE e.tenant_id = ? AND e.id < ? ORDER BY e.id DESC LIMIT ?"
    )
}
