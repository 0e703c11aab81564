import Identity
import StoreContract
import StoreSQLite
import Testing

@Suite("SQLite keeps the contract of the challenge cache")
struct ChallengeTests {
    private static let limits = ChallengeLimits(total: 600, perClient: 300, perAddress: 40)

    @Test(arguments: ChallengeCacheContract.promises)
    func keeps(_ promise: Promise<LimitedChallengeCache>) async throws {
        try await Self.withCache(limits: Self.limits) { cache, _, _ in
            try await promise.verify(
                LimitedChallengeCache(
                    cache,
                    total: Self.limits.total,
                    perClient: Self.limits.perClient,
                    perAddress: Self.limits.perAddress
                )
            )
        }
    }

    @Test("What is over is removed with everything else that is")
    func sweep() async throws {
        try await Self.withCache { cache, store, _ in
            let race = ChallengeRace(cache, count: 1200)
            try await race.fill()
            var calls = 1
            let later = UnixTime(milliseconds: 1_800_000_000_123).adding(seconds: 301)
            while try await store.removeExpired(now: later) { calls += 1 }
            #expect(calls == 2)
            #expect(try await race.take() == [])
        }
    }

    @Test("Of 10,000 uses of one challenge by three processes, one gets it")
    func oneChallenge() async throws {
        try await Self.withCache { cache, _, path in
            try await ChallengeRace(cache, count: 1).fill()
            #expect(try await Self.run(3, "one-challenge", test: "takesOneOfSQLite", path) == [0])
        }
    }

    @Test("Of 2,000 challenges that four processes race for, each is won once")
    func manyChallenges() async throws {
        try await Self.withCache { cache, _, path in
            try await ChallengeRace(cache, count: 2000).fill()
            #expect(
                try await Self.run(4, "many-challenges", test: "takesManyOfSQLite", path).sorted() == Array(0..<2000)
            )
        }
    }

    @Test("Takes one", .enabled(if: ChildProcess.path(for: "one-challenge") != nil, "a child's part"))
    func takesOneOfSQLite() async throws {
        try await Self.take("one-challenge", count: 1, tries: 3334)
    }

    @Test("Takes many", .enabled(if: ChildProcess.path(for: "many-challenges") != nil, "a child's part"))
    func takesManyOfSQLite() async throws {
        try await Self.take("many-challenges", count: 2000, tries: 1)
    }

    private static func withCache(
        limits: ChallengeLimits = ChallengeLimits(),
        _ body: (any ChallengeCache, any CredentialDatabase, String) async throws -> Void
    ) async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/latchkey.db"
            let store = try await SQLiteStore.open(path: path)
            let keeping = try #require(store as? any ChallengeKeeping)
            do {
                try await body(keeping.challengeCache(limits: limits), store, path)
            } catch {
                await store.close()
                throw error
            }
            await store.close()
        }
    }

    /// Starts the children, and gathers what they won.
    private static func run(_ count: Int, _ role: String, test: String, _ path: String) async throws -> [Int] {
        let children = try (0..<count).map { _ in try ChildProcess(role, test: test, path: path) }
        for child in children { #expect(try await child.wait() == 0) }
        return Lines(path: path + ".won").all.compactMap { Int($0) }
    }

    private static func take(_ role: String, count: Int, tries: Int) async throws {
        let path = try #require(ChildProcess.path(for: role))
        let store = try await SQLiteStore.open(path: path)
        let keeping = try #require(store as? any ChallengeKeeping)
        let race = ChallengeRace(keeping.challengeCache(limits: ChallengeLimits()), count: count)
        for number in try await race.take(tries: tries) { Lines(path: path + ".won").append("\(number)") }
        await store.close()
    }
}
