import CacheInMemory
import CacheRedis
public import Identity

/// Where challenges wait, open, with what comes with it.
public struct OpenedChallenges: Sendable {
    public let cache: any ChallengeCache
    /// Rate limits' counters that all servers share; `nil`: each server counts for itself.
    public let rateCounter: (any RateCounter)?
    private let stop: @Sendable () -> Void

    init(
        _ cache: any ChallengeCache,
        rateCounter: (any RateCounter)? = nil,
        stop: @escaping @Sendable () -> Void = {}
    ) {
        self.cache = cache
        self.rateCounter = rateCounter
        self.stop = stop
    }

    /// Ends its connections. Blocks the caller for as long as an answer may take.
    public func close() { stop() }
}

/// Opens the challenge cache that `url` names: `memory`, `store`, `redis:`, `rediss:` or `redis+unix:`.
///
/// A Redis server that does not answer yet stops nobody: it is connected to when it does.
///
/// - Parameters:
///   - url: the setting `challenges`.
///   - store: the credential store, which keeps them for `store`.
///   - prefix: what every key begins with in a server that several deployments may share.
///   - capacity: how many ceremonies may be pending in it.
///   - deadline: what a caller waits for a server outside the process.
///   - report: told what the operator should know of such a server.
/// - Returns: the cache. Close it before the process ends, and before the store.
/// - Throws: what is wrong with the URL.
public func openChallenges(
    _ url: String,
    in store: any CredentialDatabase,
    prefix: String,
    capacity: Int = 100_000,
    deadline: Duration = .milliseconds(200),
    report: @escaping @Sendable (String) -> Void
) throws(StorageError) -> OpenedChallenges {
    let limits = ChallengeLimits(total: capacity)
    let scheme = Location(url).scheme
    switch CacheScheme(rawValue: scheme) {
    case .memory:
        return OpenedChallenges(InMemoryChallengeCache(limits: limits))
    case .store:
        guard let keeping = store as? any ChallengeKeeping else { throw .storeKeepsNoChallenges }
        return OpenedChallenges(keeping.challengeCache(limits: limits))
    case .redis, .rediss, .redisSocket:
        let server = try redisServer(url, scheme: scheme, deadline: deadline, report: report)
        return OpenedChallenges(
            RedisChallengeCache(server, prefix: prefix, limits: limits),
            rateCounter: RedisRateCounter(server, prefix: prefix),
            stop: { server.stop() }
        )
    case nil:
        throw .unknownScheme(setting: "challenges", scheme: scheme, known: CacheScheme.usages)
    }
}

private func redisServer(
    _ url: String,
    scheme: String,
    deadline: Duration,
    report: @escaping @Sendable (String) -> Void
) throws(StorageError) -> RedisServer {
    let location: RedisLocation
    do throws(RedisLocationError) {
        location = try RedisLocation(url)
    } catch {
        throw .redisLocation(scheme: scheme, error)
    }
    do throws(RedisOpenError) {
        return try RedisServer(location, deadline: deadline, report: report)
    } catch {
        throw .redis(error)
    }
}

/// The challenge caches of this build.
private enum CacheScheme: String {
    case memory, store, redis, rediss
    case redisSocket = "redis+unix"

    /// How they are written, and for whom they are.
    static let usages = [
        "memory for one server", "redis://HOST:PORT, rediss://HOST:PORT or redis+unix:///PATH for several", "store",
    ]
}
