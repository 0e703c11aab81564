import CacheRedis
import Identity
import StoreContract
import Testing

@Suite(
    "Redis keeps the contract of the challenge cache",
    .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.missing)")
)
struct ContractTests {
    @Test("Every promise, each in a deployment of its own on one server")
    func keeps() async throws {
        let redis = try await RedisProcess.start()
        let server = try RedisServer.patient(redis.url())
        let limits = ChallengeLimits(total: 600, perClient: 300, perAddress: 40)
        for promise in ChallengeCacheContract.promises + ChallengeCacheContract.weighing {
            let cache = LimitedChallengeCache(
                RedisChallengeCache.fresh(server, limits: limits),
                total: limits.total,
                perClient: limits.perClient,
                perAddress: limits.perAddress
            )
            do {
                try await promise.verify(cache)
            } catch {
                Issue.record("\(error)")
            }
        }
        server.stop()
    }

    @Test("Of 10,000 uses of one challenge by three processes, one gets it")
    func oneChallenge() async throws {
        let redis = try await RedisProcess.start()
        let server = try RedisServer.patient(redis.url())
        try await ChallengeRace(RedisChallengeCache(server, prefix: Self.prefix), count: 1).fill()
        #expect(try await Self.run(3, "one-challenge", test: "takesOneOfRedis", redis) == [0])
        server.stop()
    }

    @Test("Of 2,000 challenges that four processes race for, each is won once")
    func manyChallenges() async throws {
        let redis = try await RedisProcess.start()
        let server = try RedisServer.patient(redis.url())
        try await ChallengeRace(RedisChallengeCache(server, prefix: Self.prefix), count: 2000).fill()
        #expect(try await Self.run(4, "many-challenges", test: "takesManyOfRedis", redis).sorted() == Array(0..<2000))
        server.stop()
    }

    @Test("Takes one", .enabled(if: ChildProcess.path(for: "one-challenge") != nil, "a child's part"))
    func takesOneOfRedis() async throws {
        try await Self.take("one-challenge", count: 1, tries: 3334)
    }

    @Test("Takes many", .enabled(if: ChildProcess.path(for: "many-challenges") != nil, "a child's part"))
    func takesManyOfRedis() async throws {
        try await Self.take("many-challenges", count: 2000, tries: 1)
    }

    private static let prefix = "latchkey:{race}:"

    /// Starts the children, and gathers what they won.
    private static func run(_ count: Int, _ role: String, test: String, _ redis: RedisProcess) async throws -> [Int] {
        let path = redis.folder + "/socket"
        let won = Lines(path: redis.folder + "/log")
        let children = try (0..<count).map { _ in try ChildProcess(role, test: test, path: path) }
        for child in children { #expect(try await child.wait() == 0) }
        return won.all.compactMap { Int($0) }
    }

    private static func take(_ role: String, count: Int, tries: Int) async throws {
        let path = try #require(ChildProcess.path(for: role))
        let server = try RedisServer.patient("redis+unix://\(path)")
        let cache = RedisChallengeCache(server, prefix: prefix)
        let won = Lines(path: path.replacing("/socket", with: "/log"))
        for number in try await ChallengeRace(cache, count: count).take(tries: tries) { won.append("\(number)") }
        server.stop()
    }
}
