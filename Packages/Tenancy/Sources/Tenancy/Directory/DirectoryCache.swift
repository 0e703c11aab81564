import Identity
import Synchronization

/// The state of a ``TenantDirectory``: what was read, at which version, and when that was last confirmed.
final class DirectoryCache: Sendable {
    private let state: Mutex<State>

    init(maximumTenants: Int, maximumUnknownHosts: Int) {
        state = Mutex(State(maximumTenants: max(1, maximumTenants), maximumUnknown: max(1, maximumUnknownHosts)))
    }

    /// From here on one caller looks into the store.
    static let revalidationAge: Int64 = 2000
    /// From here on nobody is served before the store was asked: less than the 5 seconds that are promised, since the
    /// check itself takes time.
    static let maximumAge: Int64 = 4500
    /// How long the others wait for the one who looks.
    static let claimLength: Int64 = 1000

    /// Whether a domain could be written so: 1 to 261 bytes of lower-case ASCII.
    static func canBeHost(_ host: String) -> Bool {
        (1...261).contains(host.utf8.count)
            && host.utf8.allSatisfy {
                0x61...0x7A ~= $0 || 0x30...0x3A ~= $0 || $0 == 0x2D || $0 == 0x2E || $0 == 0x5B || $0 == 0x5D
            }
    }

    /// What may be used without asking; `nil` when this caller has to look.
    func hit(_ host: String, now: UnixTime) -> TenantLookup? {
        state.withLock { $0.hit(host, now: now) }
    }

    /// The last that is known of `host`, however old, and the epoch that a read belongs to which begins now.
    func begin(_ host: String) -> (last: TenantLookup?, epoch: UInt64) {
        state.withLock { ($0.hosts[host]?.lookup, $0.epoch) }
    }

    /// Records what the store's version was at `now`.
    func note(version: Int64, at now: UnixTime, epoch: UInt64) {
        state.withLock { $0.note(version: version, at: now, epoch: epoch) }
    }

    /// What is known of `host`, if nothing changed since `version`.
    func current(_ host: String, version: Int64) -> TenantLookup? {
        state.withLock {
            guard let entry = $0.hosts[host], entry.version >= version, entry.version >= $0.version else { return nil }
            return entry.lookup
        }
    }

    func insert(_ configuration: TenantConfiguration, asked host: String, now: UnixTime, epoch: UInt64) {
        state.withLock { $0.insert(configuration, asked: host, now: now, epoch: epoch) }
    }

    func insertUnknown(_ host: String, version: Int64, now: UnixTime, epoch: UInt64) {
        state.withLock { $0.insertUnknown(host, version: version, epoch: epoch) }
    }

    func invalidate() {
        state.withLock { $0.invalidate() }
    }
}

/// One tenant's configuration or one unknown host. Touched under the cache's lock alone.
private final class DirectoryEntry {
    let lookup: TenantLookup
    let version: Int64
    /// The hosts that lead here.
    let hosts: [String]
    /// When it was last known to be current, once it is not any more.
    var confirmedAt = UnixTime(milliseconds: .min)
    /// Until when somebody is reading it anew.
    var claimedUntil = UnixTime(milliseconds: .min)
    var lastUsed: UInt64 = 0

    init(_ lookup: TenantLookup, version: Int64, hosts: [String]) {
        self.lookup = lookup
        self.version = version
        self.hosts = hosts
    }
}

private struct State {
    let maximumTenants: Int
    let maximumUnknown: Int
    var hosts: [String: DirectoryEntry] = [:]
    var tenants: [TenantID: DirectoryEntry] = [:]
    var unknown: Set<String> = []
    /// The newest version that was seen, and when.
    var version: Int64 = .min
    var checkedAt = UnixTime(milliseconds: .min)
    var claimedUntil = UnixTime(milliseconds: .min)
    /// Counts invalidations: what was read before one is not kept after it.
    var epoch: UInt64 = 0
    private var uses: UInt64 = 0

    init(maximumTenants: Int, maximumUnknown: Int) {
        self.maximumTenants = maximumTenants
        self.maximumUnknown = maximumUnknown
    }

    mutating func hit(_ host: String, now: UnixTime) -> TenantLookup? {
        guard let entry = hosts[host] else { return nil }
        uses += 1
        entry.lastUsed = uses
        let isCurrent = entry.version >= version
        let age = now.milliseconds(since: isCurrent ? checkedAt : entry.confirmedAt)
        // A clock that was set back says nothing about the age.
        guard age < DirectoryCache.maximumAge, age > -DirectoryCache.maximumAge else { return nil }
        if isCurrent, age < DirectoryCache.revalidationAge { return entry.lookup }
        if now < (isCurrent ? claimedUntil : entry.claimedUntil) { return entry.lookup }
        let until = now.adding(milliseconds: DirectoryCache.claimLength)
        if isCurrent { claimedUntil = until } else { entry.claimedUntil = until }
        return nil
    }

    mutating func note(version seen: Int64, at now: UnixTime, epoch begun: UInt64) {
        guard begun == epoch else { return }
        if seen > version {
            for entry in hosts.values where entry.version >= version { entry.confirmedAt = checkedAt }
            version = seen
        }
        // A later answer about an older version changes nothing.
        if seen == version, now > checkedAt || now.milliseconds(since: checkedAt) < -DirectoryCache.maximumAge {
            checkedAt = now
        }
    }

    mutating func insert(_ configuration: TenantConfiguration, asked host: String, now: UnixTime, epoch begun: UInt64) {
        note(version: configuration.version, at: now, epoch: begun)
        guard begun == epoch, configuration.version >= version else { return }
        // An RP ID's host is asked for well-known files, though no domain of that name may be here.
        let ready = configuration.domains.filter { $0.status == .ready }
        let names = Array(Set(configuration.domains.map(\.host) + ready.flatMap(\.relyingPartyIDs)))
        let entry = DirectoryEntry(.tenant(configuration), version: configuration.version, hosts: names)
        remove(tenants[configuration.tenant.id])
        if tenants.count >= maximumTenants { removeLongestUnused() }
        tenants[configuration.tenant.id] = entry
        uses += 1
        entry.lastUsed = uses
        for name in names {
            unknown.remove(name)
            hosts[name] = entry
        }
        // The domain was taken away between the two reads: the next request asks again.
        if !names.contains(host) { hosts[host] = nil }
    }

    mutating func insertUnknown(_ host: String, version read: Int64, epoch begun: UInt64) {
        guard begun == epoch, read >= version else { return }
        if let entry = hosts[host], case .tenant(let old) = entry.lookup, tenants[old.tenant.id] === entry {
            remove(entry)
            tenants[old.tenant.id] = nil
        }
        if unknown.count >= maximumUnknown, !unknown.contains(host) {
            for name in unknown { hosts[name] = nil }
            unknown.removeAll(keepingCapacity: true)
        }
        unknown.insert(host)
        hosts[host] = DirectoryEntry(.unknownHost, version: read, hosts: [host])
    }

    /// The version that this process's change gave is at least one more than any that was seen.
    mutating func invalidate() {
        epoch += 1
        hosts.removeAll(keepingCapacity: true)
        tenants.removeAll(keepingCapacity: true)
        unknown.removeAll(keepingCapacity: true)
    }

    private mutating func remove(_ entry: DirectoryEntry?) {
        guard let entry else { return }
        for name in entry.hosts where hosts[name] === entry { hosts[name] = nil }
    }

    private mutating func removeLongestUnused() {
        let ordered = tenants.sorted { $0.value.lastUsed < $1.value.lastUsed }
        for (tenant, entry) in ordered.prefix(max(1, tenants.count / 4)) {
            remove(entry)
            tenants[tenant] = nil
        }
    }
}
