import CacheRedis
import Glibc
import Identity
import StoreContract
import Testing

@Suite("Redis goes away and comes back", .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.missing)"))
struct OutageTests {
    @Test("Killed, it is unavailable at once; started again, it serves by itself, and nothing taken comes back")
    func killed() async throws {
        let redis = try await RedisProcess.start()
        let server = try RedisServer.patient(redis.url())
        let cache = RedisChallengeCache.fresh(server)
        let race = ChallengeRace(cache, count: 50)
        try await race.fill()
        #expect(try await race.take().count == 50)
        redis.kill()
        for _ in 0..<20 {
            guard case .unavailable? = await refusal(race) else {
                Issue.record("a dead server surely did nothing")
                return
            }
        }
        #expect(server.isGivenUp)
        try redis.start()
        #expect(try await eventually { !server.isGivenUp })
        #expect(try await race.take() == [])
        try await race.fill()
        #expect(try await race.take().count == 50)
        server.stop()
    }

    @Test("Stopped, its answers are unknown, then it is given up; going on, it serves, and no challenge is won twice")
    func stopped() async throws {
        let redis = try await RedisProcess.start()
        // Short, for each of the five that are lost waits as long.
        let server = try RedisServer(RedisLocation(redis.url()), deadline: .milliseconds(200), report: { _ in })
        let race = ChallengeRace(RedisChallengeCache.fresh(server), count: 40)
        #expect(try await eventually { await failure { () throws(StoreError) in try await server.check() } == nil })
        #expect(try await eventually { (try? await race.fill()) != nil })
        redis.send(SIGSTOP)
        var unknown = 0
        while !server.isGivenUp {
            guard let error = await refusal(race) else {
                Issue.record("a stopped server answers nothing")
                return
            }
            if case .unknownOutcome = error { unknown += 1 }
        }
        #expect(unknown > 0)
        // Given up, it costs nobody any time: what is refused by the breaker has asked nobody.
        let counter = RedisRateCounter(server, prefix: "latchkey:{test}:")
        for _ in 0..<1000 {
            let error = await failure { () throws(StoreError) in try await counter.count("a", window: 60) }
            guard case .unavailable? = error else {
                Issue.record("an open breaker refuses")
                return
            }
        }
        redis.send(SIGCONT)
        #expect(try await eventually { !server.isGivenUp })
        // What was taken by the calls whose answers were lost is gone; the rest is won once.
        var won: [Int] = []
        #expect(
            try await eventually {
                won += (try? await race.take()) ?? []
                return won.count == Set(won).count && !won.isEmpty
            }
        )
        #expect(Set(won).count == won.count)
        server.stop()
    }

    @Test("A server that is not there at the start is found when it comes")
    func late() async throws {
        let redis = try await RedisProcess.start()
        redis.kill()
        let server = try RedisServer.patient(redis.url())
        #expect(await failure { () throws(StoreError) in try await server.check() } != nil)
        try redis.start()
        let race = ChallengeRace(RedisChallengeCache.fresh(server), count: 3)
        #expect(try await eventually { (try? await race.fill()) != nil })
        #expect(try await race.take().count == 3)
        server.stop()
    }

    @Test("The time of a request that is spent already is not spent again")
    func budget() async throws {
        let redis = try await RedisProcess.start()
        let server = try RedisServer.patient(redis.url())
        try await server.check()
        let race = ChallengeRace(RedisChallengeCache.fresh(server), count: 1)
        let budget = StoreBudget(.seconds(30))
        try await StoreBudget.$current.withValue(budget) { try await race.fill() }
        #expect(budget.remaining < .seconds(30))
        await StoreBudget.$current.withValue(StoreBudget(.zero)) {
            guard case .unavailable? = await refusal(race) else {
                Issue.record("no time is left")
                return
            }
        }
        #expect(!server.isGivenUp)
        server.stop()
    }

    private func refusal(_ race: ChallengeRace) async -> StoreError? {
        do {
            _ = try await race.take()
            return nil
        } catch {
            return error as? StoreError
        }
    }
}

@Suite("Rate limits in Redis", .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.missing)"))
struct RateCounterTests {
    @Test("Servers count together, and a window ends")
    func counts() async throws {
        let redis = try await RedisProcess.start()
        let servers = try (0..<2).map { _ in try RedisServer.patient(redis.url()) }
        let counters = servers.map { RedisRateCounter($0, prefix: "latchkey:{test}:") }
        for tries in 1...6 {
            let count = try await counters[tries % 2].count("token:1:192.0.2.1", window: 3600)
            #expect(count.tries == tries)
            #expect((1...3_600_000).contains(count.millisecondsLeft))
        }
        #expect(try await counters[0].count("token:1:192.0.2.2", window: 3600).tries == 1)
        #expect(
            try await RedisRateCounter(servers[0], prefix: "other:").count("token:1:192.0.2.1", window: 9).tries == 1
        )
        #expect(try await counters[0].count("short", window: 1).tries == 1)
        #expect(try await eventually { try await counters[1].count("short", window: 1).tries == 1 })
        for server in servers { server.stop() }
    }
}
