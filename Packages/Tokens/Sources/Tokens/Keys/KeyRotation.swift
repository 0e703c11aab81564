internal import Cryptography
public import Identity
public import Threads

/// Moves a tenant's signing keys on: published → active → retiring → retired.
///
/// Verifiers keep the key set for 300 s and may use it for 60 s more (HTTP contract 6.7), and a server may serve one that
/// is 5 s old. So a key signs not before it has been published for 370 s; a rotation may be asked for 10 s earlier, and
/// then names the moment at which all servers change together. A key that signs no more stays published until its last
/// token is over, and 5 minutes longer.
public struct KeyRotation: Sendable {
    private let store: any SigningKeyStore & KeyRotationStore
    private let sealingKey: [UInt8]
    private let pool: BlockingPool
    private let random: RandomSource

    /// Seconds that a verifier may go without asking again.
    private static let verifierMemory: Int64 = 360
    /// Seconds more until no server gives out an older set, with as much again for the way.
    private static let serverMemory: Int64 = 10

    /// - Parameters:
    ///   - store: where the keys are kept.
    ///   - deployment: seals the new ones.
    ///   - pool: where RSA keys are made.
    ///   - random: gives key ids and nonces.
    public init(
        store: any SigningKeyStore & KeyRotationStore,
        deployment: DeploymentKeys,
        pool: BlockingPool,
        random: @escaping RandomSource
    ) {
        self.store = store
        sealingKey = deployment.key(for: .signingKeys)
        self.pool = pool
        self.random = random
    }

    /// What a rotation would do.
    public struct Plan: Hashable, Sendable {
        public let algorithm: TokenAlgorithm
        public let current: SigningKeyRecord?
        public let next: SigningKeyRecord
        /// From when on a rotation is allowed.
        public let allowedAt: UnixTime
        /// From when on the next key signs, if it is asked for now.
        public let changesAt: UnixTime
        /// When the current key leaves the key set.
        public let currentEndsAt: UnixTime
        /// Until when there may be verifiers that do not know the next key.
        public let knownAt: UnixTime
    }

    /// The algorithms that the tenant has keys of, as the key set shows them.
    public func algorithms(of tenant: TenantID) async throws(KeyRotationError) -> [TokenAlgorithm] {
        let keys = try await keys(of: tenant)
        return TokenAlgorithm.allCases.filter { algorithm in
            keys.contains { $0.algorithm == algorithm && ($0.state == .active || $0.state == .published) }
        }
    }

    /// Looks ahead; nothing is changed.
    ///
    /// - Parameters:
    ///   - algorithm: whose keys.
    ///   - configuration: the tenant.
    ///   - isUrgent: whether the change is to be made at once, known or not.
    ///   - now: the moment.
    /// - Returns: the plan.
    /// - Throws: `.noNextKey`, `.store`.
    public func plan(
        _ algorithm: TokenAlgorithm,
        of configuration: TenantConfiguration,
        isUrgent: Bool = false,
        now: UnixTime
    ) async throws(KeyRotationError) -> Plan {
        let keys = try await keys(of: configuration.tenant.id).filter { $0.algorithm == algorithm }
        let current = keys.first { $0.state == .active }
        guard let next = keys.first(where: { $0.state == .published }) else { throw .noNextKey(algorithm) }
        // Who knows the first current key knows the first next one: they were published together.
        let isFirst =
            (current.map { $0.createdAt == next.createdAt && $0.activatedAt == $0.createdAt } ?? false)
            && !keys.contains { $0.state == .retiring }
        let knownAt = isFirst ? next.createdAt : next.createdAt.adding(seconds: Self.verifierMemory + Self.serverMemory)
        let changesAt = isUrgent ? now : max(now, knownAt)
        let lifetime = max(configuration.longestTokenLifetime, current?.tokenLifetime ?? 0)
        return Plan(
            algorithm: algorithm,
            current: current,
            next: next,
            allowedAt: isFirst ? next.createdAt : next.createdAt.adding(seconds: Self.verifierMemory),
            changesAt: changesAt,
            currentEndsAt: changesAt.adding(seconds: lifetime).adding(seconds: 300),
            knownAt: knownAt
        )
    }

    /// Makes the next key the current one, and publishes a new next.
    ///
    /// - Parameters:
    ///   - algorithm: whose keys.
    ///   - configuration: the tenant.
    ///   - isUrgent: whether it is done although verifiers may not know the next key yet.
    ///   - now: the moment.
    ///   - audit: written with it.
    /// - Returns: what was done.
    /// - Throws: `.tooYoung`, `.noNextKey`, `.changedMeanwhile`, `.store`, `.keys`, `.busy`.
    public func rotate(
        _ algorithm: TokenAlgorithm,
        of configuration: TenantConfiguration,
        isUrgent: Bool = false,
        now: UnixTime,
        audit: AuditEvent
    ) async throws(KeyRotationError) -> Plan {
        let plan: Plan
        do throws(KeyRotationError) {
            plan = try await self.plan(algorithm, of: configuration, isUrgent: isUrgent, now: now)
        } catch .noNextKey {
            // A revocation that broke off has left none: it begins its life now.
            let new = try await newKey(algorithm, of: configuration, now: now)
            try await stored { () async throws(StoreError) in try await store.add([new]) }
            plan = try await self.plan(algorithm, of: configuration, isUrgent: isUrgent, now: now)
        }
        guard isUrgent || now >= plan.allowedAt else { throw .tooYoung(plan.next.id, allowedAt: plan.allowedAt) }
        let change = SigningKeyChange(
            tenant: configuration.tenant.id,
            current: plan.current?.id,
            next: plan.next.id,
            new: try await newKey(algorithm, of: configuration, now: now),
            at: plan.changesAt
        )
        let isDone = try await stored { () async throws(StoreError) in
            try await store.rotate(change, audit: audit)
        }
        guard isDone else { throw .changedMeanwhile }
        return plan
    }

    /// Takes a key out of the key set at once, with every token that it signed. An active one is first replaced by the
    /// published one, a published one by a new one.
    ///
    /// - Parameters:
    ///   - id: the key.
    ///   - configuration: the tenant.
    ///   - now: the moment.
    ///   - audit: written with it.
    /// - Throws: `.unknownKey`, and what ``rotate(_:of:isUrgent:now:audit:)`` throws.
    public func revoke(
        _ id: KeyID,
        of configuration: TenantConfiguration,
        now: UnixTime,
        audit: AuditEvent
    ) async throws(KeyRotationError) {
        let key = try await key(id, of: configuration.tenant.id)
        if key.state == .active {
            _ = try await rotate(key.algorithm, of: configuration, isUrgent: true, now: now, audit: audit)
        }
        let isDone = try await stored { () async throws(StoreError) in
            try await store.revoke(id, of: configuration.tenant.id, at: now, audit: audit)
        }
        guard isDone else { throw .changedMeanwhile }
        guard key.state == .published else { return }
        let new = try await newKey(key.algorithm, of: configuration, now: now)
        try await stored { () async throws(StoreError) in try await store.add([new]) }
    }

    /// A key that is not retired.
    ///
    /// - Throws: `.unknownKey`, `.store`.
    public func key(_ id: KeyID, of tenant: TenantID) async throws(KeyRotationError) -> SigningKeyRecord {
        let keys = try await keys(of: tenant)
        guard let key = keys.first(where: { $0.id.text.utf8.elementsEqual(id.text.utf8) }) else {
            throw .unknownKey(id)
        }
        return key
    }

    /// Retires the keys whose last token is over, of all tenants.
    ///
    /// - Parameters:
    ///   - configuration: gives a tenant's configuration.
    ///   - now: the moment.
    /// - Returns: which.
    /// - Throws: `.store`.
    @discardableResult
    public func retireThoseOver(
        _ configuration: (TenantID) async throws(StoreError) -> TenantConfiguration?,
        now: UnixTime
    ) async throws(KeyRotationError) -> [SigningKeyPlace] {
        var over: [SigningKeyPlace] = []
        var last: SigningKeyPlace?
        while true {
            let after = last
            let page = try await stored { () async throws(StoreError) in
                try await store.signingKeys(after: after, limit: 500)
            }
            for key in page {
                // The configuration is asked for only when the key's own knowledge says that it may go.
                guard let early = PublishedKeySet.end(of: key, tokenLifetime: 0), early <= now else { continue }
                let settings = try await stored { () async throws(StoreError) in try await configuration(key.tenant) }
                let lifetime = settings?.longestTokenLifetime ?? 0
                guard let end = PublishedKeySet.end(of: key, tokenLifetime: lifetime), end <= now else { continue }
                over.append(SigningKeyPlace(tenant: key.tenant, key: key.id))
            }
            guard let end = page.last else { break }
            last = SigningKeyPlace(tenant: end.tenant, key: end.id)
        }
        let all = over
        try await stored { () async throws(StoreError) in try await store.retire(all) }
        return over
    }

    private func keys(of tenant: TenantID) async throws(KeyRotationError) -> [SigningKeyRecord] {
        try await stored { () async throws(StoreError) in try await store.signingKeys(of: tenant) }
    }

    private func newKey(
        _ algorithm: TokenAlgorithm,
        of configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(KeyRotationError) -> SigningKeyRecord {
        let new = NewSigningKey(
            tenant: configuration.tenant.id,
            name: configuration.tenant.name,
            sealingKey: sealingKey,
            now: now,
            random: random,
            tokenLifetime: configuration.longestTokenLifetime
        )
        return try await pool.run(refused: { _ in KeyRotationError.busy }) { () throws(KeyRotationError) in
            do throws(CryptographyError) {
                return try new.make(algorithm, .published)
            } catch {
                throw .keys(reason: "a key cannot be made: \(error)")
            }
        }
    }

    private func stored<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(KeyRotationError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw .store(error)
        }
    }
}

/// Why signing keys were not moved on; nothing was changed then.
public enum KeyRotationError: Error, Hashable, Sendable {
    case unknownKey(KeyID)
    /// There is no published key of the algorithm to go on with.
    case noNextKey(TokenAlgorithm)
    /// The next key was published so lately that verifiers may not know it.
    case tooYoung(KeyID, allowedAt: UnixTime)
    /// Somebody else moved the keys meanwhile.
    case changedMeanwhile
    case store(StoreError)
    case keys(reason: String)
    /// Too many keys are being made.
    case busy
}

extension KeyRotationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownKey(let id): "There is no signing key \(id.text) that is in use."
        case .noNextKey(let algorithm): "There is no published \(algorithm.rawValue) key to go on with."
        case .tooYoung(let id, let allowedAt):
            "The next key \(id.text) was published so lately that clients may not know it. "
                + "It can sign from \(allowedAt.rfc3339) on; after a compromise use --now."
        case .changedMeanwhile: "Somebody else changed the keys meanwhile. Look at them, then try again."
        case .store(let error): "The store does not answer: \(error)"
        case .keys(let reason): reason
        case .busy: "Too many keys are being made; try again."
        }
    }
}
