import CacheInMemory
import Encodings
import Identity
import Synchronization
import Testing

@testable import HTTPAPI

@Suite("1.4: rate limits")
struct RateLimiterTests {
    private let limit = RateLimit(limit: 3, seconds: 60)

    private func key(_ address: String, tenant: Int64 = 1, _ bucket: RateLimiter.Key.Bucket = .token) -> RateLimiter.Key
    {
        RateLimiter.Key(bucket: bucket, tenant: tenant, address: address)
    }

    @Test("A window takes so many, tells what remains and when it is over, and the next one is new")
    func window() {
        let limiter = RateLimiter()
        for remaining in [2, 1, 0] {
            let state = limiter.count(key("a"), limit, now: 1000)
            #expect(state == RateLimiter.State(limit: 3, remaining: remaining, reset: 1060, isRefused: false))
        }
        for now in [1000, 1059] as [Int64] {
            let state = limiter.count(key("a"), limit, now: now)
            #expect(state == RateLimiter.State(limit: 3, remaining: 0, reset: 1060, isRefused: true))
        }
        #expect(limiter.count(key("a"), limit, now: 1060).remaining == 2)
        #expect(limiter.count(key("a"), limit, now: 1060).reset == 1120)
    }

    @Test("Address, tenant and bucket count apart")
    func keys() {
        let limiter = RateLimiter()
        let one = RateLimit(limit: 1, seconds: 60)
        for key in [key("a"), key("b"), key("a", tenant: 2), key("a", .signup), key("a", .passkeyChallenges)] {
            #expect(!limiter.count(key, one, now: 0).isRefused)
            #expect(limiter.count(key, one, now: 0).isRefused)
        }
    }

    @Test("A clock that was set back begins a window, and a limit of no requests refuses")
    func oddities() {
        let limiter = RateLimiter()
        for _ in 0..<4 { _ = limiter.count(key("a"), limit, now: 1000) }
        #expect(!limiter.count(key("a"), limit, now: 10).isRefused)
        #expect(limiter.count(key("b"), RateLimit(limit: 0, seconds: 1), now: 0).isRefused)
        #expect(RateLimit(limit: 1, seconds: 0).seconds == 1)
        let endless = limiter.count(key("c"), RateLimit(limit: 1, seconds: .max), now: .max)
        #expect(endless.reset == .max)
    }

    @Test("Memory is bounded; who keeps asking is not forgotten for those who come once")
    func bounded() {
        let limiter = RateLimiter(capacity: 1024)
        for _ in 0..<3 { _ = limiter.count(key("busy"), limit, now: 0) }
        for number in 0..<20_000 {
            _ = limiter.count(key("passer-by \(number)"), limit, now: 0)
            if number.isMultiple(of: 16) { #expect(limiter.count(key("busy"), limit, now: 0).isRefused) }
        }
        #expect(limiter.count <= 1024)
    }

    @Test("A table that is full costs no more per request than an empty one")
    func cost() {
        let limiter = RateLimiter(capacity: 65_536)
        let clock = ContinuousClock()
        func fill(_ from: Int) -> Duration {
            clock.measure {
                for number in from..<(from + 60_000) { _ = limiter.count(key("\(number)"), limit, now: 0) }
            }
        }
        let empty = fill(0)
        _ = fill(60_000)
        let full = fill(120_000)
        // Looking through a shard for each newcomer would take hundreds of times as long.
        #expect(full < empty * 20, "\(full) against \(empty)")
    }

    @Test("Every limited answer carries the three headers; the one too many is 429 with Retry-After")
    func headers() async throws {
        try await House.with { (house) async throws in
            house.limit(RateLimits(passkeyChallenges: RateLimit(limit: 2, seconds: 60), token: nil, signup: nil))
            let ask = Ask.json("/passkey/challenge", ["client_id": .string(house.app.id.text)])
            for remaining in ["1", "0"] {
                let answer = try await house.send(ask)
                #expect(answer.status == 200, "\(answer)")
                #expect(answer.header("x-ratelimit-limit") == "2")
                #expect(answer.header("x-ratelimit-remaining") == remaining)
                #expect(answer.header("x-ratelimit-reset") == "1800000060")
            }
            house.pass(seconds: 10)
            let refused = try await house.send(ask)
            expect(
                refused,
                429,
                "too_many_requests",
                "Rate limit exceeded. Please retry after some time.",
                "rate_limited"
            )
            #expect(refused.header("retry-after") == "50")
            #expect(refused.header("x-ratelimit-remaining") == "0")
            #expect(refused.header("x-ratelimit-reset") == "1800000060")
            // The same addresses are counted together, others apart.
            #expect(try await house.send(ask.set(\.peer, Ask.peer("198.51.100.8"))).status == 200)
            let v6 = ["2001:db8::1", "2001:db8::2", "2001:db8::ffff:3", "2001:db8:0:1::1"].map { Ask.peer($0) }
            var statuses: [Int] = []
            for peer in v6 { statuses.append(try await house.send(ask.set(\.peer, peer)).status) }
            #expect(statuses == [200, 200, 429, 200])
            house.pass(seconds: 50)
            #expect(try await house.send(ask).status == 200)
        }
    }

    @Test("The share of one address of pending ceremonies is that of its /64, as for the rate limits")
    func pendingCeremonies() async throws {
        let limits = InMemoryChallengeCache.Limits(total: 100, perAddress: 2)
        try await House.with(challenges: limits) { (house) async throws in
            let ask = Ask.json("/passkey/challenge", ["client_id": .string(house.app.id.text)])
            var statuses: [Int] = []
            for address in ["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1", "198.51.100.7"] {
                statuses.append(try await house.send(ask.set(\.peer, Ask.peer(address))).status)
            }
            #expect(statuses == [200, 200, 429, 200, 200])
        }
    }

    @Test("Counters that servers share decide where there are any; while they cannot be reached a server counts alone")
    func sharedCounters() async throws {
        let counter = OtherCounter()
        try await House.with(rateCounter: counter) { (house) async throws in
            house.limit(RateLimits(passkeyChallenges: RateLimit(limit: 3, seconds: 60), token: nil, signup: nil))
            let ask = Ask.json("/passkey/challenge", ["client_id": .string(house.app.id.text)])
            counter.tries.withLock { $0 = 1 }  // Another server's.
            let first = try await house.send(ask)
            #expect(first.status == 200 && first.header("x-ratelimit-remaining") == "1")
            #expect(first.header("x-ratelimit-reset") == "1800000010")
            #expect(try await house.send(ask).status == 200)
            let refused = try await house.send(ask)
            #expect(refused.status == 429 && refused.header("retry-after") == "10")
            #expect(counter.key.withLock { $0 } == "passkey_challenges:1:198.51.100.7")
            counter.tries.withLock { $0 = nil }
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await house.send(ask).status) }
            #expect(statuses == [200, 200, 200, 429])
        }
    }

    @Test("Each endpoint has its bucket; a sign-up is counted for all tenants together")
    func buckets() async throws {
        try await House.with { (house) async throws in
            let client: JSONObject = ["client_id": .string(house.app.id.text)]
            let none = RateLimit(limit: 0, seconds: 60)
            func limited() async throws -> [String] {
                var paths: [String] = []
                for path in [
                    "/passkey/register", "/passkey/challenge", "/oauth/token", "/oauth/revoke", "/register/options",
                    "/register/verify", "/login/options", "/login/verify", "/api/logout",
                ] {
                    let ask = Ask.json(path, client.with("response", .object([:])).with("username", "x@example.com"))
                    if try await house.send(ask).status == 429 { paths.append(path) }
                }
                return paths
            }
            house.limit(RateLimits(passkeyChallenges: none, token: nil, signup: nil))
            #expect(
                try await limited()
                    == ["/passkey/register", "/passkey/challenge", "/register/options", "/login/options"]
            )
            house.limit(RateLimits(passkeyChallenges: nil, token: none, signup: nil))
            #expect(try await limited() == ["/oauth/token", "/oauth/revoke", "/register/verify", "/login/verify"])
            house.limit(RateLimits(passkeyChallenges: nil, token: nil, signup: none))
            #expect(try await limited() == ["/passkey/register", "/register/options"])
            house.limit(.off)
            #expect(try await limited().isEmpty)
            let open = try await house.send(.json("/passkey/challenge", client))
            #expect(open.header("x-ratelimit-limit") == nil)
        }
    }

    @Test("Of two buckets the answer tells the one with less left, and both stand in the order of checks")
    func twoBuckets() async throws {
        try await House.with { (house) async throws in
            house.limit(
                RateLimits(
                    passkeyChallenges: RateLimit(limit: 9, seconds: 60),
                    token: nil,
                    signup: RateLimit(limit: 2, seconds: 3600)
                )
            )
            let profile: JSONObject = ["user_profile": ["email": "a@example.com"]]
            let ask = Ask.json("/passkey/register", profile.with("client_id", .string(house.app.id.text)))
            #expect(try await house.send(ask).header("x-ratelimit-limit") == "2")
            // Wrong ones count too: they could ask who has an account.
            #expect(try await house.send(.json("/passkey/register", [:])).header("x-ratelimit-remaining") == "0")
            #expect(try await house.send(ask).status == 429)
            #expect(try await house.send(.raw("/passkey/register", [1], type: "application/json")).status == 400)
        }
    }
}

/// Counters outside the process, which can be taken away.
private final class OtherCounter: RateCounter {
    /// `nil`: they do not answer.
    let tries = Mutex<Int?>(0)
    let key = Mutex("")

    func count(_ key: String, window: Int64) async throws(StoreError) -> RateCount {
        self.key.withLock { $0 = key }
        let count = tries.withLock { tries in
            tries = tries.map { $0 + 1 }
            return tries
        }
        guard let count else { throw .unavailable(reason: "away") }
        return RateCount(tries: count, millisecondsLeft: 9001)
    }

    func count(_ key: String, window: Int64, lockingAt limit: Int) async throws(StoreError) -> RateCount {
        try await count(key, window: window)
    }

    func takeBack(_ key: String, all: Bool) async throws(StoreError) {
        tries.withLock { tries in tries = tries.map { all ? 0 : max(0, $0 - 1) } }
    }
}

extension JSONObject {
    func with(_ name: String, _ value: JSONValue) -> JSONObject {
        var copy = self
        copy[name] = value
        return copy
    }

    func without(_ name: String) -> JSONObject {
        var copy = self
        copy[name] = nil
        return copy
    }
}
