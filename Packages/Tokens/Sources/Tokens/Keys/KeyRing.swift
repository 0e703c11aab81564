public import Identity
public import Threads

/// The tenants' signing keys, opened and kept in memory, at most 5 s behind the store.
public final class KeyRing: Sendable {
    private let store: any SigningKeyStore & TenantStore
    private let deployment: DeploymentKeys
    private let pool: BlockingPool
    private let random: RandomSource

    public init(
        store: any SigningKeyStore & TenantStore,
        deployment: DeploymentKeys,
        pool: BlockingPool,
        random: @escaping RandomSource
    ) {
        self.store = store
        self.deployment = deployment
        self.pool = pool
        self.random = random
    }

    /// Makes a new tenant's first keys, an active and a published one of each algorithm. What is there stays.
    ///
    /// - Throws: `.store`, `.keys` or `.busy`.
    public func makeFirstKeys(
        of tenant: TenantID,
        algorithms: [TokenAlgorithm] = [.rs256, .es256],
        now: UnixTime
    ) async throws(TokenError) {
        fatalError("not yet")
    }

    /// The document of contract 6.7 for a tenant: current key first, then the next, then every earlier one.
    ///
    /// - Throws: `.store`.
    public func keySet(of tenant: TenantID, now: UnixTime) async throws(TokenError) -> PublishedKeySet {
        fatalError("not yet")
    }
}

/// A JWK set as it is served.
public struct PublishedKeySet: Hashable, Sendable {
    /// JSON.
    public let body: [UInt8]
    /// With its quotes, as the header `ETag` has it.
    public let entityTag: String
}
