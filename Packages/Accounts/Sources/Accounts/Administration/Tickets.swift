internal import Cryptography
public import Encodings
public import Identity

/// Makes tickets (HTTP contract 11.13): whoever gets the link may do one thing for one user, once.
public struct Tickets: Sendable {
    private let store: any TicketStore
    private let random: RandomSource

    public init(store: any TicketStore, random: @escaping RandomSource) {
        self.store = store
        self.random = random
    }

    /// Keeps a ticket.
    ///
    /// - Parameters:
    ///   - purpose: what it is for.
    ///   - user: whom it is about.
    ///   - parameters: what else was asked.
    ///   - seconds: how long it is good.
    ///   - now: when.
    ///   - audit: the record of it.
    /// - Returns: the secret, as a link has it: 43 characters; only its hash is kept.
    /// - Throws: what the store is at fault for.
    public func make(
        _ purpose: Ticket.Purpose,
        for user: User,
        parameters: JSONObject,
        seconds: Int64,
        now: UnixTime,
        audit: AuditEvent
    ) async throws(StoreError) -> String {
        let secret = random(32)
        try await store.add(
            Ticket(
                tenant: user.tenant,
                hash: SHA256.hash(secret),
                purpose: purpose,
                user: user.id,
                parameters: parameters,
                createdAt: now,
                expiresAt: now.adding(seconds: seconds)
            ),
            mail: nil,
            audit: audit
        )
        return Base64URL.encode(secret)
    }
}

/// Offers what a job made, by a link that is good once (HTTP contract 11.17).
public struct JobResults: Sendable {
    private let store: any JobResultStore
    private let random: RandomSource
    /// Seconds for which a link is good.
    private static let life: Int64 = 60

    public init(store: any JobResultStore, random: @escaping RandomSource) {
        self.store = store
        self.random = random
    }

    /// Makes a link's secret; an earlier one is good no more. `nil` when there is nothing to give.
    public func offer(_ job: JobID, of tenant: TenantID, now: UnixTime) async throws(StoreError) -> String? {
        let secret = random(32)
        let isOffered = try await store.offer(
            linkHash: SHA256.hash(secret),
            until: now.adding(seconds: Self.life),
            of: job,
            tenant: tenant
        )
        return isOffered ? Base64URL.encode(secret) : nil
    }

    /// Whether whoever has the secret gets it; another time they do not.
    public func take(
        _ job: JobID,
        secret text: String,
        of tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> Bool {
        guard let secret = try? Base64URL.decode(text), secret.count == 32 else { return false }
        return try await store.take(linkHash: SHA256.hash(secret), of: job, tenant: tenant, now: now)
    }
}
