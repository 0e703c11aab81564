import Cryptography
public import Identity

/// Chains and signs what was recorded. Any number of servers may run one: the first to append a link wins.
public struct AuditSealer: Sendable {
    private let store: any AuditChainStore
    private let secret: [UInt8]

    /// - Parameters:
    ///   - store: where events and seals are.
    ///   - secret: what the keys of the tenants are derived from, 32 bytes.
    public init(store: any AuditChainStore, secret: [UInt8]) {
        self.store = store
        self.secret = secret
    }

    /// How old events are when they are sealed: an event's id tells when its request came, and it may be stored as much
    /// later as a request may take, or by a server whose clock is behind.
    public static let delay: Int64 = 10
    /// Events of one seal at most.
    static let batch = 1000

    /// Seals what is old enough, of every tenant.
    ///
    /// - Returns: how many events were sealed.
    /// - Throws: what the store throws; what was sealed before stays.
    public func seal(now: UnixTime) async throws(StoreError) -> Int {
        let bound = TimeOrderedID(now: now.adding(seconds: -Self.delay), random: [])
        var count = 0
        for tenant in try await store.tenantsToSeal(through: bound) {
            count += try await seal(tenant, through: bound, now: now)
        }
        return count
    }

    private func seal(_ tenant: TenantID, through bound: TimeOrderedID, now: UnixTime) async throws(StoreError) -> Int {
        let key: AuditKey
        do throws(CryptographyError) {
            key = try AuditKey(from: secret, of: tenant)
        } catch {
            throw .io(reason: "the audit log cannot be sealed: \(error)")
        }
        var newest = try await store.newestSeal(of: tenant)
        var count = 0
        while true {
            let events = try await store.events(of: tenant, after: newest?.through, through: bound, limit: Self.batch)
            guard let last = events.last else { return count }
            let seal = try link(events, last.id, to: newest, of: tenant, key: key, now: now)
            // Another server was faster: what is left is its, or this one's next time.
            guard try await store.append(seal) else { return count }
            count += events.count
            newest = seal
            if events.count < Self.batch { return count }
        }
    }

    private func link(
        _ events: [StoredAuditEvent],
        _ last: TimeOrderedID,
        to newest: AuditSeal?,
        of tenant: TenantID,
        key: AuditKey,
        now: UnixTime
    ) throws(StoreError) -> AuditSeal {
        let previous = newest?.hash ?? [UInt8](repeating: 0, count: 32)
        let hash = AuditLine.hash(after: previous, events.map { AuditLine.hash(AuditLine.text(of: $0)) })
        let number = (newest?.number ?? 0) + 1
        let text = AuditLine.signedText(
            tenant: tenant.number,
            number: number,
            count: Int64(events.count),
            through: last.base62,
            previous: previous,
            hash: hash,
            sealedAt: now.rfc3339
        )
        do throws(CryptographyError) {
            return AuditSeal(
                tenant: tenant,
                number: number,
                through: last,
                count: Int64(events.count),
                previous: previous,
                hash: hash,
                publicKey: key.publicKey,
                signature: try key.sign(text),
                sealedAt: now
            )
        } catch {
            throw .io(reason: "the audit log cannot be sealed: \(error)")
        }
    }
}
