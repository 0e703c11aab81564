public import Identity

extension SQLStore: ChallengeKeeping {
    public func challengeCache(limits: ChallengeLimits) -> any ChallengeCache {
        SQLChallengeCache(self, limits: limits)
    }
}

/// The challenge cache in the credential store: it survives a fail-over and needs no second server, and each put and
/// take is a durable write.
///
/// What an address has pending is counted with each put. What a client has, and all together, may be very many: they are
/// counted once a second, and each server adds its own in between, so that several servers may go a second's worth over.
final class SQLChallengeCache: ChallengeCache {
    private let store: SQLStore
    private let limits: ChallengeLimits
    private let tally = ChallengeTally()

    init(_ store: SQLStore, limits: ChallengeLimits) {
        self.store = store
        self.limits = limits
    }

    func put(
        _ pending: PendingCeremony,
        as key: ChallengeKey,
        until expiry: UnixTime,
        from address: String,
        now: UnixTime
    ) async throws(StoreError) {
        let client = ChallengeTally.Key.client(key.tenant, key.client)
        let (isAllDue, isClientDue) = (tally.isDue(.all, now: now), tally.isDue(client, now: now))
        if !isAllDue { try check(all: tally.count(.all)) }
        if !isClientDue { try check(client: tally.count(client)) }
        var counting = [
            SQLStatement(Self.countAddress, [.text(address), .time(now), .integer(Int64(limits.perAddress))])
        ]
        if isAllDue {
            counting.append(SQLStatement(Self.countAll, [.time(now), .integer(Int64(limits.total))]))
        }
        if isClientDue {
            counting.append(
                SQLStatement(
                    Self.countClient,
                    [.tenant(key.tenant), .text(key.client.text), .time(now), .integer(Int64(limits.perClient))]
                )
            )
        }
        let insert = SQLStatement(
            Self.insert,
            [
                .tenant(key.tenant), .text(key.client.text), .bytes(key.sessionHash), .time(expiry), .text(address),
                .bytes(pending.encoded),
            ]
        )
        let limits = limits
        let found = try await store.database.write(
            SQLStep<Found>.run(counting) { (results) throws(StoreError) in
                let found = Found(
                    address: try Self.number(results[0]) ?? 0,
                    all: isAllDue ? try Self.number(results[1]) : nil,
                    client: isClientDue ? try Self.number(results[isAllDue ? 2 : 1]) : nil
                )
                return found.hasRoom(limits) ? .commit([insert], found) : .rollBack(found)
            }
        )
        if let all = found.all { tally.set(.all, to: all, now: now) }
        if let ofClient = found.client { tally.set(client, to: ofClient, now: now) }
        try check(all: found.all ?? 0)
        try check(client: found.client ?? 0)
        guard found.address < limits.perAddress else {
            throw .overQuota(reason: "\(limits.perAddress) ceremonies from one address are pending")
        }
        tally.add(1, to: [.all, client])
    }

    func take(_ key: ChallengeKey, now: UnixTime) async throws(StoreError) -> PendingCeremony? {
        let take = SQLStatement(
            Self.take,
            [.tenant(key.tenant), .text(key.client.text), .bytes(key.sessionHash), .time(now)]
        )
        let payload = try await store.database.write(
            SQLStep<[UInt8]?>.query(take) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in try row.bytes() }
            }
        )
        guard let payload else { return nil }
        tally.add(-1, to: [.all, .client(key.tenant, key.client)])
        // What another version wrote and this one cannot read is as good as gone: the ceremony begins again.
        return PendingCeremony(decoding: payload)
    }

    func check() async throws(StoreError) {
        try await store.check()
    }

    private struct Found: Sendable {
        let address: Int
        let all: Int?
        let client: Int?

        func hasRoom(_ limits: ChallengeLimits) -> Bool {
            address < limits.perAddress && (all ?? 0) < limits.total && (client ?? 0) < limits.perClient
        }
    }

    private func check(all count: Int) throws(StoreError) {
        guard count < limits.total else {
            throw .full(reason: "\(limits.total) ceremonies are pending, as many as may be")
        }
    }

    private func check(client count: Int) throws(StoreError) {
        guard count < limits.perClient else {
            throw .overQuota(reason: "\(limits.perClient) ceremonies of one client are pending")
        }
    }

    private static func number(_ result: SQLResult) throws(StoreError) -> Int? {
        try result.first { (row) throws(StoreError) in Int(clamping: try row.integer()) }
    }

    private static let countAddress = SQL(
        "SELECT count(*) FROM (SELECT 1 FROM challenge WHERE address = ? AND expires_at > ? LIMIT ?) AS pending"
    )
    private static let countAll = SQL(
        "SELECT count(*) FROM (SELECT 1 FROM challenge WHERE expires_at > ? LIMIT ?) AS pending"
    )
    private static let countClient = SQL(
        """
        SELECT count(*) FROM
            (SELECT 1 FROM challenge WHERE tenant_id = ? AND client_id = ? AND expires_at > ? LIMIT ?) AS pending
        """
    )
    private static let insert = SQL(
        """
        INSERT INTO challenge (tenant_id, client_id, id, expires_at, address, payload) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (tenant_id, client_id, id)
        DO UPDATE SET expires_at = excluded.expires_at, address = excluded.address, payload = excluded.payload
        """
    )
    /// One statement, so that the row goes to one caller only.
    private static let take = SQL(
        """
        DELETE FROM challenge WHERE tenant_id = ? AND client_id = ? AND id = ? AND expires_at > ? RETURNING payload
        """
    )
}
