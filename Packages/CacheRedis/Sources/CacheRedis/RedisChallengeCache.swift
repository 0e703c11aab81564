public import Identity

/// The challenge cache of several servers, in Redis.
///
/// Each ceremony is one key with its end; sorted sets by client and by address count what is pending. Putting and taking
/// are a script each, so that nothing comes in between.
public struct RedisChallengeCache: ChallengeCache, StoreObservable {
    private let server: RedisServer
    private let limits: ChallengeLimits
    private let keys: Keys

    /// - Parameters:
    ///   - server: where.
    ///   - prefix: what every key begins with: one for each deployment that shares the server. As a hash tag in braces
    ///     it keeps all keys on one node of a cluster, which the scripts need.
    ///   - limits: how many ceremonies may be pending.
    public init(_ server: RedisServer, prefix: String, limits: ChallengeLimits = ChallengeLimits()) {
        self.server = server
        self.limits = limits
        keys = Keys(prefix: Array(prefix.utf8))
    }

    public var vitals: StoreVitals { server.vitals }

    public func put(
        _ pending: PendingCeremony,
        as key: ChallengeKey,
        until expiry: UnixTime,
        from address: String,
        now: UnixTime
    ) async throws(StoreError) {
        let left = expiry.milliseconds(since: now)
        guard left > 0 else { return }
        let line = Keys.line(address)
        let reply = try await server.run(
            .put,
            keys: [keys.ceremony(key), keys.all, keys.client(key), keys.addresses + line],
            [
                Array("\(now.milliseconds)".utf8), Array("\(expiry.milliseconds)".utf8), Array("\(left)".utf8),
                key.sessionHash, line + [Keys.lineEnd] + Keys.number(expiry.milliseconds) + pending.encoded,
                Array("\(limits.total)".utf8), Array("\(limits.perClient)".utf8), Array("\(limits.perAddress)".utf8),
            ]
        )
        switch reply.integer {
        case 0: return
        case 1: throw .full(reason: "\(limits.total) ceremonies are pending, as many as may be")
        case 2: throw .overQuota(reason: "\(limits.perClient) ceremonies of one client are pending")
        case 3: throw .overQuota(reason: "\(limits.perAddress) ceremonies from one address are pending")
        default: throw .constraint(reason: "Redis: an answer that was not asked for")
        }
    }

    public func take(_ key: ChallengeKey, now: UnixTime) async throws(StoreError) -> PendingCeremony? {
        let reply = try await server.run(
            .take,
            keys: [keys.ceremony(key), keys.all, keys.client(key)],
            [key.sessionHash, keys.addresses]
        )
        // What this version cannot read is as good as gone: the ceremony begins again.
        guard case .text(let value) = reply, let end = value.firstIndex(of: Keys.lineEnd),
            let expiry = Keys.number(value[(end + 1)...].prefix(8)), now.milliseconds < expiry
        else { return nil }
        return PendingCeremony(decoding: Array(value[(end + 9)...]))
    }

    /// Whether a ceremony could be put there now: a value is written that is gone soon after. A server that has no memory
    /// left, or follows another, answers and takes none.
    public func check() async throws(StoreError) {
        try await server.checkWriting(to: keys.probe)
    }

    /// How keys and values are made of bytes.
    private struct Keys: Sendable {
        let prefix: [UInt8]

        static let lineEnd = UInt8(ascii: "\n")

        var all: [UInt8] { prefix + Array("all".utf8) }
        var probe: [UInt8] { prefix + Array("probe".utf8) }
        var addresses: [UInt8] { prefix + Array("address:".utf8) }

        func client(_ key: ChallengeKey) -> [UInt8] {
            prefix + Array("client:\(key.tenant.number):\(key.client.text)".utf8)
        }

        /// The client comes last, for only it may hold any character.
        func ceremony(_ key: ChallengeKey) -> [UInt8] {
            prefix + Array("pending:\(key.tenant.number):".utf8) + key.sessionHash + Array(":\(key.client.text)".utf8)
        }

        /// An address without line ends.
        static func line(_ address: String) -> [UInt8] {
            address.utf8.filter { $0 != lineEnd }
        }

        /// 8 bytes, big-endian.
        static func number(_ value: Int64) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * Int64($0))) }
        }

        static func number(_ bytes: ArraySlice<UInt8>) -> Int64? {
            guard bytes.count == 8 else { return nil }
            return bytes.reduce(0) { $0 << 8 | Int64($1) }
        }
    }
}
