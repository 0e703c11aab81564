public import Identity

/// The rate limits' counters of several servers, in Redis.
public struct RedisRateCounter: RateCounter {
    private let server: RedisServer
    private let prefix: [UInt8]

    /// - Parameters:
    ///   - server: where.
    ///   - prefix: what every key begins with.
    public init(_ server: RedisServer, prefix: String) {
        self.server = server
        self.prefix = Array((prefix + "rate:").utf8)
    }

    public func count(_ key: String, window: Int64) async throws(StoreError) -> RateCount {
        try await count(key, window: window, lockingAt: 0)
    }

    public func takeBack(_ key: String, all: Bool) async throws(StoreError) {
        _ = try await server.run(.takeBack, keys: [prefix + Array(key.utf8)], [Array((all ? "1" : "0").utf8)])
    }

    public func count(_ key: String, window: Int64, lockingAt limit: Int) async throws(StoreError) -> RateCount {
        let (milliseconds, isTooLong) = window.multipliedReportingOverflow(by: 1000)
        let reply = try await server.run(
            .count,
            keys: [prefix + Array(key.utf8)],
            [Array("\(isTooLong ? .max / 2 : milliseconds)".utf8), Array("\(limit)".utf8)]
        )
        guard case .list(let parts) = reply, parts.count == 2, let count = parts[0].integer, let left = parts[1].integer
        else { throw .constraint(reason: "Redis: an answer that was not asked for") }
        return RateCount(tries: Int(clamping: count), millisecondsLeft: max(0, left))
    }
}
