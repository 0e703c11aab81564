import CacheRedis
import Identity
import Threads

extension RedisServer {
    /// With time enough for a loaded machine, unless a test is about the time.
    static func patient(
        _ url: String,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> RedisServer {
        try RedisServer(RedisLocation(url), deadline: .seconds(30), report: report)
    }
}

extension RedisChallengeCache {
    /// A cache that shares nothing with others on the server.
    static func fresh(_ server: RedisServer, limits: ChallengeLimits = ChallengeLimits()) -> RedisChallengeCache {
        RedisChallengeCache(server, prefix: "latchkey:{\(UInt64.random(in: 0 ... .max))}:", limits: limits)
    }
}

/// What was reported, for a test to look at.
final class Reports: Sendable {
    private let lines = Lock<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Waits until it is so, for a minute at most.
func eventually(_ isSo: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<3000 {
        if try await isSo() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return false
}

func failure<Value>(_ body: () async throws(StoreError) -> Value) async -> StoreError? {
    do throws(StoreError) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
