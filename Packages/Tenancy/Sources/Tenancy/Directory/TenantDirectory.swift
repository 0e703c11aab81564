public import Identity

/// Which tenant a host belongs to, as the name of a domain or as an RP ID of one.
public enum TenantLookup: Sendable {
    case tenant(TenantConfiguration)
    case unknownHost
}

/// The configuration of every tenant that requests ask for, kept in this process.
///
/// A hit takes one lock and no wait. What another process changed is seen within 5 seconds, what this one changed at
/// once after ``changed()``. When the version check is due, one caller makes it while the others go on with what is
/// there; while the store does not answer, what is there stays in use, so that keys and metadata are served on.
public final class TenantDirectory: Sendable {
    private let store: any TenantStore
    private let cache: DirectoryCache

    /// - Parameters:
    ///   - store: where tenants are kept.
    ///   - maximumTenants: how many configurations are held; the longest unused go first.
    ///   - maximumUnknownHosts: how many hosts of no tenant are remembered.
    public init(store: any TenantStore, maximumTenants: Int = 4096, maximumUnknownHosts: Int = 4096) {
        self.store = store
        self.cache = DirectoryCache(maximumTenants: maximumTenants, maximumUnknownHosts: maximumUnknownHosts)
    }

    /// What is known about `host` without a wait; at `nil` ask ``lookup(host:now:)``, one caller for all.
    ///
    /// - Parameters:
    ///   - host: lower case, with the port when it is not the scheme's default.
    ///   - now: the time of the request.
    /// - Returns: what is known, or `nil`.
    public func cached(host: String, now: UnixTime) -> TenantLookup? {
        guard DirectoryCache.canBeHost(host) else { return .unknownHost }
        return cache.hit(host, now: now)
    }

    /// Which tenant `host` belongs to, with its configuration; from the cache when it can be.
    ///
    /// - Throws: what the store throws, when nothing is known about `host`.
    public func lookup(host: String, now: UnixTime) async throws(StoreError) -> TenantLookup {
        if let hit = cached(host: host, now: now) { return hit }
        let begun = cache.begin(host)
        do throws(StoreError) {
            let version = try await store.version()
            cache.note(version: version, at: now, epoch: begun.epoch)
            if let current = cache.current(host, version: version) { return current }
            return try await load(host, version: version, now: now, epoch: begun.epoch)
        } catch {
            guard let last = begun.last else { throw error }
            return last
        }
    }

    /// The configuration of the tenant that `host` belongs to; `nil` for an unknown host.
    ///
    /// - Throws: what the store throws, when nothing is known about `host`.
    public func configuration(host: String, now: UnixTime) async throws(StoreError) -> TenantConfiguration? {
        switch try await lookup(host: host, now: now) {
        case .tenant(let configuration): configuration
        case .unknownHost: nil
        }
    }

    /// The tenant's configuration as it is now, whoever changed it last: `known`, if nothing was changed since, and what
    /// the store has otherwise.
    ///
    /// - Returns: `nil` for a tenant that is gone.
    /// - Throws: what the store throws.
    public func current(_ known: TenantConfiguration) async throws(StoreError) -> TenantConfiguration? {
        if try await store.version() == known.version { return known }
        return try await store.configuration(of: known.tenant.id)
    }

    /// Says that this process changed a tenant: nothing read before is used again.
    public func changed() {
        cache.invalidate()
    }

    private func load(
        _ host: String,
        version: Int64,
        now: UnixTime,
        epoch: UInt64
    ) async throws(StoreError) -> TenantLookup {
        guard let tenant = try await store.tenant(host: host),
            let configuration = try await store.configuration(of: tenant),
            // An RP ID that no domain has any more is nobody's host.
            configuration.domain(host: host) != nil || configuration.publishingDomain(host: host) != nil
        else {
            cache.insertUnknown(host, version: version, now: now, epoch: epoch)
            return .unknownHost
        }
        cache.insert(configuration, asked: host, now: now, epoch: epoch)
        return .tenant(configuration)
    }
}
