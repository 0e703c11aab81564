/// Where a pending ceremony lies: by tenant, client and the hash of its session, so that another client's request
/// takes nothing and a reader of the cache learns no session.
public struct ChallengeKey: Hashable, Sendable {
    public let tenant: TenantID
    public let client: ClientID
    /// SHA-256 of the `auth_session` bytes, 32 bytes.
    public let sessionHash: [UInt8]

    public init(tenant: TenantID, client: ClientID, sessionHash: [UInt8]) {
        self.tenant = tenant
        self.client = client
        self.sessionHash = sessionHash
    }
}

/// Holds each challenge from the moment we issue it until its one answer.
public protocol ChallengeCache: Sendable {
    /// Keeps `pending` until `expiry`. A live entry is never evicted to make room.
    ///
    /// - Throws: ``StoreError/full(reason:)`` over the global cap, ``StoreError/overQuota(reason:)`` when this client
    ///   or `address` (a network, where one client has many) holds its share.
    func put(
        _ pending: PendingCeremony,
        as key: ChallengeKey,
        until expiry: UnixTime,
        from address: String,
        now: UnixTime
    ) async throws(StoreError)

    /// Takes the ceremony out, atomically: of two callers with the same `key`, one gets `nil`.
    ///
    /// - Returns: the ceremony, or `nil` when `key` is not known, was taken, or is over.
    func take(_ key: ChallengeKey, now: UnixTime) async throws(StoreError) -> PendingCeremony?

    /// Whether it answers, for the readiness check.
    func check() async throws(StoreError)
}
