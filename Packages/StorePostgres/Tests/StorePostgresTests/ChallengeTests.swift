import Glibc
import Identity
import StoreContract
import StorePostgres
import Testing

@Suite("PostgreSQL keeps the contract of the challenge cache", .enabled(if: TestServer.isThere, TestServer.isMissing))
struct ChallengeTests {
    private static let limits = ChallengeLimits(total: 600, perClient: 300, perAddress: 40)

    @Test(arguments: ChallengeCacheContract.promises)
    func keeps(_ promise: Promise<LimitedChallengeCache>) async throws {
        try await Self.withCache(try TestServer.freshURL(), limits: Self.limits) { cache in
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

    @Test("Of 10,000 uses of one challenge by three processes, one gets it")
    func oneChallenge() async throws {
        let won = try await Self.race(of: 3, "one-postgres-challenge", test: "takesOneOfPostgres", count: 1)
        #expect(won == [0])
    }

    @Test("Of 2,000 challenges that four processes race for, each is won once")
    func manyChallenges() async throws {
        let won = try await Self.race(of: 4, "many-postgres-challenges", test: "takesManyOfPostgres", count: 2000)
        #expect(won.sorted() == Array(0..<2000))
    }

    @Test("Takes one", .enabled(if: ChildProcess.path(for: "one-postgres-challenge") != nil, "a child's part"))
    func takesOneOfPostgres() async throws {
        try await Self.take("one-postgres-challenge", count: 1, tries: 3334)
    }

    @Test("Takes many", .enabled(if: ChildProcess.path(for: "many-postgres-challenges") != nil, "a child's part"))
    func takesManyOfPostgres() async throws {
        try await Self.take("many-postgres-challenges", count: 2000, tries: 1)
    }

    private static func withCache(
        _ url: String,
        limits: ChallengeLimits = ChallengeLimits(),
        _ body: (any ChallengeCache) async throws -> Void
    ) async throws {
        let store = try await PostgresStore.open(url, options: .patient())
        do {
            try await body(try #require(store as? any ChallengeKeeping).challengeCache(limits: limits))
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// Fills a database, starts the children, and gathers what they won.
    private static func race(of processes: Int, _ role: String, test: String, count: Int) async throws -> [Int] {
        let url = try TestServer.freshURL()
        try await withCache(url) { try await ChallengeRace($0, count: count).fill() }
        let children = try (0..<processes).map { _ in try ChildProcess(role, test: test, path: url) }
        for child in children { #expect(try await child.wait() == 0) }
        let lines = Lines(path: wonFile(url))
        defer { unsafe unlink(lines.path) }
        return lines.all.compactMap { Int($0) }
    }

    private static func take(_ role: String, count: Int, tries: Int) async throws {
        let url = try #require(ChildProcess.path(for: role))
        try await withCache(url) { cache in
            for number in try await ChallengeRace(cache, count: count).take(tries: tries) {
                Lines(path: wonFile(url)).append("\(number)")
            }
        }
    }

    /// Where the children write what they won: beside the others', named for the database.
    private static func wonFile(_ url: String) -> String {
        "/tmp/latchkey-postgres-won-\(TestServer.database(url))"
    }
}
