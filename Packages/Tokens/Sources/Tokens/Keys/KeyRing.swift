internal import Cryptography
public import Identity
internal import JOSE
public import Threads

/// The tenants' signing keys, opened and kept in memory, at most 5 s behind the store.
///
/// While the store does not answer, what is in memory goes on signing and verifying.
public final class KeyRing: Sendable {
    private let store: any SigningKeyStore & KeyRotationStore & TenantStore
    private let sealingKey: [UInt8]
    private let pool: BlockingPool
    private let random: RandomSource
    private let cache = Lock<[TenantID: Entry]>([:])

    /// How long, in milliseconds, the store is not asked again whether something changed.
    private static let freshness: Int64 = 5000

    private struct Entry {
        var keys: TenantKeys
        /// When the store's version was last asked for.
        var checkedAt: UnixTime
        /// When an unknown `kid` last made the keys be read again.
        var soughtAt: UnixTime?
        var published: Published?
        /// The longest life of the tenant's tokens under the configuration of that version, in seconds.
        var longestLife: (configurationVersion: Int64, seconds: Int64)?
        /// What the store was told of keys' tokens since they were read.
        var lengthened: [KeyID: Int64] = [:]
    }

    private struct Published {
        let keySet: PublishedKeySet
        let configurationVersion: Int64
        /// When the first key leaves the set.
        let until: UnixTime?
    }

    /// A ring over the store's keys.
    ///
    /// - Parameters:
    ///   - store: where the keys are kept.
    ///   - deployment: opens and seals them.
    ///   - pool: where RSA keys are made and used.
    ///   - random: gives key ids and nonces.
    public init(
        store: any SigningKeyStore & KeyRotationStore & TenantStore,
        deployment: DeploymentKeys,
        pool: BlockingPool,
        random: @escaping RandomSource
    ) {
        self.store = store
        sealingKey = deployment.key(for: .signingKeys)
        self.pool = pool
        self.random = random
    }

    /// Makes a new tenant's first keys, an active and a published one of each algorithm. What is there stays.
    ///
    /// - Parameters:
    ///   - tenant: whose keys.
    ///   - name: the tenant's name, which the certificates carry.
    ///   - algorithms: those in use; others get their keys when they come into use.
    ///   - tokenLifetime: the longest of the tenant, in seconds.
    ///   - now: the moment.
    /// - Throws: `.store`, `.keys` or `.busy`.
    public func makeFirstKeys(
        of tenant: TenantID,
        named name: String,
        algorithms: [TokenAlgorithm] = [.rs256, .es256],
        tokenLifetime: Int64 = 86400,
        now: UnixTime
    ) async throws(TokenError) {
        let existing = try await stored { () async throws(StoreError) in try await store.signingKeys(of: tenant) }
        let new = NewSigningKey(
            tenant: tenant,
            name: name,
            sealingKey: sealingKey,
            now: now,
            random: random,
            tokenLifetime: tokenLifetime
        )
        for algorithm in algorithms
        where !existing.contains(where: { $0.algorithm == algorithm && $0.state == .active }) {
            let keys = try await onPool { () throws(CryptographyError) in
                [try new.make(algorithm, .active), try new.make(algorithm, .published)]
            }
            do throws(StoreError) {
                try await store.add(keys)
            } catch .unique {
                // Another server was faster: its keys count.
            } catch {
                throw .store(error)
            }
        }
        cache.withLock { _ = $0.removeValue(forKey: tenant) }
    }

    /// The document of contract 6.7.
    ///
    /// - Throws: `.store` when nothing is in memory and the store does not answer.
    public func keySet(in context: RequestContext) async throws(TokenError) -> PublishedKeySet {
        let keys = try await keys(in: context)
        let version = context.configuration.version
        let kept = cache.withLock { $0[context.tenant]?.published }
        if let kept, kept.configurationVersion == version, kept.until.map({ context.now < $0 }) ?? true {
            return kept.keySet
        }
        let lifetime = context.configuration.longestTokenLifetime
        let keySet = PublishedKeySet(keys.records, tokenLifetime: lifetime, now: context.now)
        let ends = keys.records.compactMap { PublishedKeySet.end(of: $0, tokenLifetime: lifetime) }
        let until = ends.filter { context.now < $0 }.min()
        let published = Published(keySet: keySet, configurationVersion: version, until: until)
        cache.withLock { cache in
            guard cache[context.tenant]?.keys.version == keys.version else { return }
            cache[context.tenant]?.published = published
        }
        return keySet
    }

    /// The key that signs for `algorithm`, and that the store knows to sign for as long as tokens live; the first time that an algorithm comes into use its keys are made.
    ///
    /// - Throws: `.store`, `.keys` or `.busy`.
    func signer(_ algorithm: TokenAlgorithm, in context: RequestContext) async throws(TokenError) -> Signer {
        if let signer = try await keys(in: context).signer(algorithm, at: context.now) {
            try signer.check()
            try await lengthen(signer, in: context)
            return signer
        }
        try await makeFirstKeys(
            of: context.tenant,
            named: context.configuration.tenant.name,
            algorithms: [algorithm],
            tokenLifetime: context.configuration.longestTokenLifetime,
            now: context.now
        )
        guard let signer = try await keys(in: context).signer(algorithm, at: context.now) else {
            throw .keys(reason: "the store gives no \(algorithm.rawValue) key, although one was just made")
        }
        try signer.check()
        return signer
    }

    /// Tells the store, before the first such token is signed, that the key's tokens live longer than it knows: it is
    /// published until the last of them is over, whatever becomes of the configuration.
    private func lengthen(_ signer: Signer, in context: RequestContext) async throws(TokenError) {
        let longest: Int64? = cache.withLock { cache in
            guard let entry = cache[context.tenant] else { return nil }
            var seconds: Int64
            if let known = entry.longestLife, known.configurationVersion == context.configuration.version {
                seconds = known.seconds
            } else {
                seconds = context.configuration.longestTokenLifetime
                cache[context.tenant]?.longestLife = (context.configuration.version, seconds)
            }
            return seconds <= max(signer.tokenLifetime, entry.lengthened[signer.id] ?? 0) ? nil : seconds
        }
        guard let longest else { return }
        try await stored { () async throws(StoreError) in
            try await store.lengthen(
                SigningKeyPlace(tenant: context.tenant, key: signer.id),
                tokenLifetime: longest
            )
        }
        cache.withLock { $0[context.tenant]?.lengthened[signer.id] = longest }
    }

    /// The key that `id` names. An unknown one makes the store be asked, at most once per tenant and 5 s.
    ///
    /// - Throws: `.store` when nothing is in memory and the store does not answer.
    func verifier(_ id: KeyID, in context: RequestContext) async throws(TokenError) -> JWSKey? {
        let keys = try await keys(in: context)
        if let key = keys.verifier(id) { return key }
        let maySeek = cache.withLock { cache in
            guard Self.isDue(cache[context.tenant]?.soughtAt, at: context.now) else { return false }
            cache[context.tenant]?.soughtAt = context.now
            return true
        }
        guard maySeek else { return nil }
        return try await load(context.tenant, reusing: keys, now: context.now, soughtAt: context.now).verifier(id)
    }

    /// Runs slow signatures off the event loop.
    func onPool<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CryptographyError) -> Value
    ) async throws(TokenError) -> Value {
        try await sign { () throws(TokenError) in
            do throws(CryptographyError) {
                return try body()
            } catch {
                throw .keys(reason: "a key cannot be made: \(error)")
            }
        }
    }

    /// Runs `body` on the pool.
    func sign<Value: Sendable>(
        _ body: @escaping @Sendable () throws(TokenError) -> Value
    ) async throws(TokenError) -> Value {
        try await pool.run(refused: { _ in .busy }, body)
    }

    private func keys(in context: RequestContext) async throws(TokenError) -> TenantKeys {
        enum Step {
            case use(TenantKeys)
            case check(TenantKeys)
            case load(TenantKeys?)
        }
        let step: Step = cache.withLock { cache in
            guard let entry = cache[context.tenant] else { return .load(nil) }
            // The configuration that the request is judged by is newer than these keys.
            if entry.keys.version < context.configuration.version { return .load(entry.keys) }
            guard Self.isDue(entry.checkedAt, at: context.now) else { return .use(entry.keys) }
            // One request asks; the others go on with what there is.
            cache[context.tenant]?.checkedAt = context.now
            return .check(entry.keys)
        }
        switch step {
        case .use(let keys):
            return keys
        case .check(let keys):
            do throws(StoreError) {
                guard try await store.version() != keys.version else { return keys }
            } catch {
                return keys
            }
            return try await loadOrKeep(keys, context)
        case .load(let keys?):
            return try await loadOrKeep(keys, context)
        case .load(nil):
            return try await load(context.tenant, reusing: nil, now: context.now, soughtAt: nil)
        }
    }

    private func loadOrKeep(_ keys: TenantKeys, _ context: RequestContext) async throws(TokenError) -> TenantKeys {
        do throws(TokenError) {
            return try await load(context.tenant, reusing: keys, now: context.now, soughtAt: nil)
        } catch {
            return keys
        }
    }

    private func load(
        _ tenant: TenantID,
        reusing old: TenantKeys?,
        now: UnixTime,
        soughtAt: UnixTime?
    ) async throws(TokenError) -> TenantKeys {
        // The version first: a change between the two reads is then noticed later, and not missed.
        let version = try await stored { () async throws(StoreError) in try await store.version() }
        let records = try await stored { () async throws(StoreError) in try await store.signingKeys(of: tenant) }
        let keys = TenantKeys(records, version: version, sealingKey: sealingKey, reusing: old, now: now)
        cache.withLock { cache in
            let sought = soughtAt ?? cache[tenant]?.soughtAt
            cache[tenant] = Entry(keys: keys, checkedAt: now, soughtAt: sought, published: nil)
        }
        return keys
    }

    private static func isDue(_ last: UnixTime?, at now: UnixTime) -> Bool {
        guard let last else { return true }
        let passed = now.milliseconds(since: last)
        return passed >= freshness || passed < 0
    }
}
