public import Identity
import Synchronization
import Threads

/// The challenge cache of a single server: a table in 64 shards, each behind a lock of its own.
///
/// What is in it is lost with the process, and the ceremonies under way begin again; nothing else is.
public final class InMemoryChallengeCache: ChallengeCache, StoreObservable {
    /// How many ceremonies may be pending.
    public typealias Limits = ChallengeLimits

    private let limits: Limits
    private let shards = (0..<64).map { _ in Lock(Shard()) }
    private let count = Atomic(0)
    /// When everything was looked at last, in milliseconds.
    private let lastSweep = Atomic(Int64.min)
    private let clients = Tally<Application>()
    private let addresses = Tally<String>()

    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    public func put(
        _ pending: PendingCeremony,
        as key: ChallengeKey,
        until expiry: UnixTime,
        from address: String,
        now: UnixTime
    ) async throws(StoreError) {
        let shard = shard(of: key)
        // A few old entries go with each new one, so that the table never has to stop for a sweep.
        release(shard.withLock { $0.sweep(atMost: 2, now: now) })
        let entry = Entry(key: key, pending: pending, expiry: expiry, address: address)
        do throws(StoreError) {
            try reserve(entry)
        } catch {
            // What is over counts no more, so it has to go before anyone is refused.
            sweepAll(now: now)
            try reserve(entry)
        }
        if let replaced = shard.withLock({ $0.insert(entry) }) { release(replaced) }
    }

    public func take(_ key: ChallengeKey, now: UnixTime) async throws(StoreError) -> PendingCeremony? {
        guard let entry = shard(of: key).withLock({ $0.remove(key) }) else { return nil }
        release(entry)
        return now < entry.expiry ? entry.pending : nil
    }

    public func check() async throws(StoreError) {}

    /// How many ceremonies are pending, a large one counted as several; some may be over and not yet swept.
    public var pendingCount: Int { count.load(ordering: .relaxed) }

    public var vitals: StoreVitals {
        var vitals = StoreVitals()
        vitals.pendingCeremonies = pendingCount
        return vitals
    }

    private func shard(of key: ChallengeKey) -> Lock<Shard> {
        // The bytes are a hash: they are spread already.
        shards[Int(key.sessionHash.first ?? 0) & 63]
    }

    /// Takes out everything that is over; once a second at most, so that a flood does not buy work with refusals.
    private func sweepAll(now: UnixTime) {
        let last = lastSweep.load(ordering: .relaxed)
        guard now.milliseconds(since: UnixTime(milliseconds: last)) >= 1000,
            lastSweep.compareExchange(expected: last, desired: now.milliseconds, ordering: .relaxed).exchanged
        else { return }
        for shard in shards { release(shard.withLock { $0.sweep(atMost: .max, now: now) }) }
    }

    /// Counts the entry in, or refuses it with nothing counted.
    private func reserve(_ entry: Entry) throws(StoreError) {
        let weight = entry.weight
        guard count.add(weight, ordering: .relaxed).newValue <= limits.total else {
            count.subtract(weight, ordering: .relaxed)
            throw .full(reason: "\(limits.total) ceremonies are pending, as many as may be")
        }
        guard clients.add(entry.application, weight, limit: limits.perClient) else {
            count.subtract(weight, ordering: .relaxed)
            throw .overQuota(reason: "\(limits.perClient) ceremonies of one client are pending")
        }
        guard addresses.add(entry.address, weight, limit: limits.perAddress) else {
            count.subtract(weight, ordering: .relaxed)
            clients.subtract(entry.application, weight)
            throw .overQuota(reason: "\(limits.perAddress) ceremonies from one address are pending")
        }
    }

    private func release(_ entries: [Entry]) {
        for entry in entries { release(entry) }
    }

    /// Counts the entry out.
    private func release(_ entry: Entry) {
        count.subtract(entry.weight, ordering: .relaxed)
        clients.subtract(entry.application, entry.weight)
        addresses.subtract(entry.address, entry.weight)
    }
}

/// A client of a tenant.
struct Application: Hashable, Sendable {
    let tenant: TenantID
    let client: ClientID
}

/// One pending ceremony with all that it counts against. A reference, for it has many parts and moves often.
final class Entry: Sendable {
    let key: ChallengeKey
    let pending: PendingCeremony
    let expiry: UnixTime
    let address: String
    /// How many it counts for.
    let weight: Int
    /// Whether it was taken or replaced; set behind the lock of its shard.
    let isGone = Atomic(false)

    init(key: ChallengeKey, pending: PendingCeremony, expiry: UnixTime, address: String) {
        self.key = key
        self.pending = pending
        self.expiry = expiry
        self.address = address
        weight = pending.weight
    }

    var application: Application { Application(tenant: key.tenant, client: key.client) }
}
