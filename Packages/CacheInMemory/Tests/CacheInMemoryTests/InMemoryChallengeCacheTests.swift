import CacheInMemory
import Identity
import StoreContract
import Testing

@Suite("The challenge cache in memory keeps the contract of its port")
struct InMemoryChallengeCacheTests {
    @Test(arguments: ChallengeCacheContract.promises + ChallengeCacheContract.weighing)
    func keeps(_ promise: Promise<LimitedChallengeCache>) async throws {
        let limits = InMemoryChallengeCache.Limits(total: 600, perClient: 300, perAddress: 40)
        try await promise.verify(
            LimitedChallengeCache(
                InMemoryChallengeCache(limits: limits),
                total: limits.total,
                perClient: limits.perClient,
                perAddress: limits.perAddress
            )
        )
    }

    @Test("Left to themselves, the shares are a half for a client and what the rate limits allow for an address")
    func defaultLimits() {
        let usual = InMemoryChallengeCache.Limits()
        #expect([usual.total, usual.perClient, usual.perAddress] == [100_000, 50_000, 2_000])
        let small = InMemoryChallengeCache.Limits(total: 100)
        #expect([small.total, small.perClient, small.perAddress] == [100, 50, 100])
    }
}
