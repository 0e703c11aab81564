import Identity
import StoreContract
import Testing

@Suite("The contract finds what breaks it")
struct PromiseTests {
    @Test(
        "A cache that gives a ceremony twice, keeps nothing, or forgets the client is found out",
        arguments: Fault.allCases
    )
    func findsFaults(fault: Fault) async throws {
        var broken = 0
        for promise in ChallengeCacheContract.promises {
            let cache = LimitedChallengeCache(FaultyCache(fault), total: 40, perClient: 20, perAddress: 10)
            do {
                try await promise.verify(cache)
            } catch let violation as Violation {
                #expect(violation.description.hasPrefix(promise.description))
                broken += 1
            }
        }
        #expect(broken > 0)
    }

    @Test("Every promise has a sentence of its own")
    func sentences() {
        let sentences =
            CredentialDatabaseContract.promises.map(\.description)
            + CredentialDatabaseContract.lonelyPromises.map(\.description)
            + ChallengeCacheContract.promises.map(\.description)
        #expect(Set(sentences).count >= sentences.count - 1)  // "It answers" is promised by both.
        #expect(sentences.allSatisfy { !$0.isEmpty && !$0.hasSuffix(".") })
    }
}

enum Fault: CaseIterable {
    case givesTwice, keepsNothing, forgetsClient, forgetsExpiry, hasNoLimits
}

/// A cache with exactly one fault.
actor FaultyCache: ChallengeCache {
    private let fault: Fault
    private var entries: [(key: ChallengeKey, pending: PendingCeremony, expiry: UnixTime, address: String)] = []

    init(_ fault: Fault) {
        self.fault = fault
    }

    func put(
        _ pending: PendingCeremony,
        as key: ChallengeKey,
        until expiry: UnixTime,
        from address: String,
        now: UnixTime
    ) throws(StoreError) {
        entries.removeAll { $0.expiry <= now }
        if fault != .hasNoLimits {
            guard entries.count < 40 else { throw .full(reason: "") }
            let ofClient = entries.filter { $0.key.tenant == key.tenant && $0.key.client == key.client }.count
            let ofAddress = entries.filter { $0.address == address }.count
            guard ofClient < 20, ofAddress < 10 else { throw .overQuota(reason: "") }
        }
        if fault != .keepsNothing { entries.append((key, pending, expiry, address)) }
    }

    func take(_ key: ChallengeKey, now: UnixTime) throws(StoreError) -> PendingCeremony? {
        let found = entries.firstIndex { entry in
            fault == .forgetsClient ? entry.key.sessionHash == key.sessionHash : entry.key == key
        }
        guard let found else { return nil }
        let entry = entries[found]
        if fault != .givesTwice { entries.remove(at: found) }
        return fault == .forgetsExpiry || now < entry.expiry ? entry.pending : nil
    }

    func check() {}
}
