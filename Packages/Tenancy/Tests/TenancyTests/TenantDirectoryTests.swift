import Cryptography
import Encodings
import Identity
import Testing

@testable import Tenancy

@Suite("Finding the tenant of a host (HTTP contract 1.1)")
struct TenantDirectoryTests {
    private let store = MemoryStore()
    private let directory: TenantDirectory
    private let other: TenantAdministration
    private let own: TenantAdministration
    private let start = UnixTime(seconds: 1_800_000_000)

    init() {
        directory = TenantDirectory(store: store, maximumTenants: 4, maximumUnknownHosts: 8)
        other = TenantAdministration(store: store) { Random.bytes($0) }
        own = TenantAdministration(store: store, directory: directory) { Random.bytes($0) }
    }

    private func make(_ name: String) async throws {
        _ = try await other.createTenant(TenantRequest(name: name, domain: "\(name).example.com"), now: start)
    }

    private func after(_ milliseconds: Int64) -> UnixTime { start.adding(milliseconds: milliseconds) }

    private func cachedName(_ host: String, _ now: UnixTime) -> String? {
        guard case .tenant(let configuration) = directory.cached(host: host, now: now) else { return nil }
        return configuration.tenant.name
    }

    @Test("A host that was asked for once is answered without the store")
    func hit() async throws {
        try await make("acme")
        #expect(directory.cached(host: "acme.example.com", now: start) == nil)
        #expect(try await directory.configuration(host: "acme.example.com", now: start)?.tenant.name == "acme")
        let reads = store.reads
        #expect(cachedName("acme.example.com", after(1999)) == "acme")
        #expect(try await directory.configuration(host: "acme.example.com", now: after(1999))?.tenant.name == "acme")
        #expect(store.reads == reads)
    }

    @Test("Every domain of a tenant that was read is known")
    func allDomains() async throws {
        try await make("acme")
        let acme = try #require(store.only())
        _ = try await other.addDomain("login.acme.test", in: acme, now: start)
        _ = try await directory.lookup(host: "acme.example.com", now: start)
        #expect(cachedName("login.acme.test", start) == "acme")
    }

    @Test("When the check is due one caller makes it, and the others go on")
    func oneChecks() async throws {
        try await make("acme")
        _ = try await directory.lookup(host: "acme.example.com", now: start)
        #expect(directory.cached(host: "acme.example.com", now: after(2100)) == nil)
        #expect(cachedName("acme.example.com", after(2100)) == "acme")
        #expect(cachedName("acme.example.com", after(3000)) == "acme")
        // The one who looked finds the version unchanged: no second read of the configuration.
        let reads = store.reads
        _ = try await directory.lookup(host: "acme.example.com", now: after(3200))
        #expect(store.reads == reads)
        #expect(cachedName("acme.example.com", after(5100)) == "acme")
    }

    @Test("A change by another process is seen within 5 seconds", arguments: [false, true])
    func otherProcess(busy: Bool) async throws {
        try await make("acme")
        _ = try await directory.lookup(host: "acme.example.com", now: start)
        let acme = try #require(store.only())
        var patch = DocumentPatch()
        patch.set(["friendly_name"], "New")
        _ = try await other.setSettings(patch, in: acme, now: start)
        if busy {
            for step in stride(from: Int64(0), to: 4400, by: 20) {
                _ = directory.cached(host: "acme.example.com", now: after(step))
            }
        }
        let seen = try await directory.configuration(host: "acme.example.com", now: after(4600))
        #expect(seen?.tenant.settings.friendlyName == "New")
        // Nobody is served from the cache alone that late.
        #expect(try await directory.configuration(host: "acme.example.com", now: after(9500)) != nil)
    }

    @Test("A change by this process is seen at once")
    func sameProcess() async throws {
        try await make("acme")
        _ = try await directory.lookup(host: "acme.example.com", now: start)
        let acme = try #require(store.only())
        var patch = DocumentPatch()
        patch.set(["friendly_name"], "New")
        _ = try await own.setSettings(patch, in: acme, now: start)
        let seen = try await directory.configuration(host: "acme.example.com", now: start)
        #expect(seen?.tenant.settings.friendlyName == "New")
    }

    @Test("A read that began before a change of this process is not kept after it")
    func overtakenRead() async throws {
        try await make("acme")
        let cache = DirectoryCache(maximumTenants: 4, maximumUnknownHosts: 4)
        let old = try #require(store.only())
        let begun = cache.begin("acme.example.com")
        cache.invalidate()
        cache.note(version: old.version, at: start, epoch: begun.epoch)
        cache.insert(old, asked: "acme.example.com", now: start, epoch: begun.epoch)
        #expect(cache.hit("acme.example.com", now: start) == nil)
    }

    @Test("After a change each tenant is read again by one caller, and old ones are served to the rest")
    func oneReloads() async throws {
        try await make("acme")
        try await make("beta")
        _ = try await directory.lookup(host: "acme.example.com", now: start)
        _ = try await directory.lookup(host: "beta.example.com", now: start)
        try await make("gamma")
        // The look-up of one host notes the new version; the other host's entry is old from then on.
        _ = try await directory.lookup(host: "gamma.example.com", now: after(1000))
        #expect(directory.cached(host: "beta.example.com", now: after(1001)) == nil)
        #expect(cachedName("beta.example.com", after(1002)) == "beta")
        #expect(directory.cached(host: "beta.example.com", now: after(4501)) == nil)
    }

    @Test("Unknown hosts are remembered, a bounded number of them, until something changes")
    func unknownHosts() async throws {
        #expect(try await directory.configuration(host: "x.example.com", now: start) == nil)
        let reads = store.reads
        #expect(try await directory.configuration(host: "x.example.com", now: after(10)) == nil)
        #expect(store.reads == reads)
        for number in 0..<100 {
            #expect(try await directory.configuration(host: "h\(number).example.com", now: start) == nil)
        }
        _ = try await own.createTenant(TenantRequest(name: "x", domain: "x.example.com"), now: start)
        #expect(try await directory.configuration(host: "x.example.com", now: after(20))?.tenant.name == "x")
    }

    @Test(
        "What no domain can be spelled like is unknown without the store",
        arguments: ["", "A.example", "a b", "ä.se"]
    )
    func impossibleHosts(_ host: String) async throws {
        #expect(try await directory.configuration(host: host, now: start) == nil)
        #expect(store.versionReads == 0)
    }

    @Test("While the store is away what is known stays in use, and what is not known is an error")
    func storeAway() async throws {
        try await make("acme")
        _ = try await directory.lookup(host: "acme.example.com", now: start)
        store.fail(with: .unavailable(reason: "gone"))
        #expect(try await directory.configuration(host: "acme.example.com", now: after(60_000))?.tenant.name == "acme")
        await #expect(throws: StoreError.unavailable(reason: "gone")) {
            try await directory.configuration(host: "beta.example.com", now: after(60_000))
        }
    }

    @Test("The longest unused tenants go first")
    func bounded() async throws {
        for name in ["a", "b", "c", "d", "e"] { try await make(name) }
        for name in ["a", "b", "c", "d"] { _ = try await directory.lookup(host: "\(name).example.com", now: start) }
        #expect(cachedName("a.example.com", start) == "a")
        _ = try await directory.lookup(host: "e.example.com", now: start)
        #expect(cachedName("b.example.com", start) == nil)
        #expect(cachedName("a.example.com", start) == "a")
        #expect(cachedName("e.example.com", start) == "e")
    }

    @Test("Many threads at once get answers")
    func concurrent() async throws {
        try await make("acme")
        let found = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var found = 0
                    for step in 0..<500 {
                        let now = after(Int64(step * 20))
                        if task == 0, step % 100 == 0 { directory.changed() }
                        if try await directory.configuration(host: "acme.example.com", now: now) != nil { found += 1 }
                    }
                    return found
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(found == 4000)
    }
}
