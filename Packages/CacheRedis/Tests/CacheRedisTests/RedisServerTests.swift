import CacheRedis
import Identity
import StoreContract
import Testing

@Suite(
    "A Redis server: who we are to it, and what it tells",
    .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.missing)")
)
struct RedisServerTests {
    /// Puts and takes a ceremony.
    private func works(_ url: String) async throws -> StoreError? {
        let server = try RedisServer.patient(url)
        let race = ChallengeRace(RedisChallengeCache.fresh(server), count: 3)
        do {
            try await race.fill()
            #expect(try await race.take().sorted() == [0, 1, 2])
            server.stop()
            return nil
        } catch let error as StoreError {
            server.stop()
            return error
        }
    }

    @Test("It works over a port, in another database, and for a user of an access list")
    func ways() async throws {
        let redis = try await RedisProcess.start(
            [
                ["user", "latchkey", "on", ">s3cret:x", "~latchkey:*", "&*", "-@all"]
                    + [
                        "+@scripting", "+ping", "+select", "+config|get", "+set", "+getdel", "+incr", "+pttl",
                        "+pexpire",
                    ]
                    + ["+zadd", "+zrem", "+zcount", "+zremrangebyscore"]
            ],
            listens: true
        )
        let port = try #require(redis.port)
        #expect(try await works("redis://127.0.0.1:\(port)") == nil)
        #expect(try await works("redis://localhost:\(port)/3") == nil)
        #expect(try await works("redis://latchkey:s3cret%3Ax@127.0.0.1:\(port)/1") == nil)
        #expect(try await works(redis.url("latchkey:s3cret%3Ax@", "?db=2")) == nil)
    }

    @Test("A wrong password, a database that is not there and a command that is not allowed are said")
    func refused() async throws {
        let redis = try await RedisProcess.start([["user", "small", "on", ">s", "~*", "+ping"]])
        for (url, word) in [
            (redis.url("nobody:x@"), "WRONGPASS"), (redis.url("", "?db=99"), "out of range"),
            (redis.url("small:s@"), "NOPERM"), ("redis+unix:///nowhere/socket", "No such file"),
            ("redis://127.0.0.1:1", "Connection refused"), ("redis://no-such-host.invalid", "looked up"),
        ] {
            let server = try RedisServer(RedisLocation(url), deadline: .seconds(30), report: { _ in })
            var said: StoreError?
            let isSaid = try await eventually {
                said = await failure { () throws(StoreError) in try await server.check() }
                if case .unavailable(let reason)? = said { return reason.contains(word) }
                return false
            }
            #expect(isSaid, "\(url) → \(String(describing: said))")
            server.stop()
        }
    }

    @Test("TLS is verified: the name and the roots have to fit")
    func tls() async throws {
        let redis = try await RedisProcess.start(listens: true, tls: "DNS:localhost,IP:127.0.0.1")
        let port = try #require(redis.port)
        let authorities = redis.folder + "/ca.pem"
        #expect(try await works("rediss://127.0.0.1:\(port)/0?ca=\(authorities)") == nil)
        #expect(try await works("rediss://localhost:\(port)/0?ca=\(authorities)") == nil)
        let other = try await RedisProcess.start(listens: true, tls: "DNS:other.example,IP:127.0.0.2")
        let otherPort = try #require(other.port)
        for (url, word) in [
            ("rediss://localhost:\(port)/0?ca=\(redis.folder)/other.pem", "certificate"),
            ("rediss://localhost:\(port)", "certificate"),
            ("rediss://localhost:\(otherPort)/0?ca=\(other.folder)/ca.pem", "hostname mismatch"),
            ("rediss://127.0.0.1:\(otherPort)/0?ca=\(other.folder)/ca.pem", "IP address mismatch"),
        ] {
            guard case .unavailable(let reason)? = try await works(url) else {
                Issue.record("\(url) is taken")
                continue
            }
            #expect(reason.contains(word), "\(url)")
        }
        #expect(throws: RedisOpenError.noAuthorities(path: "/nowhere.pem")) {
            try RedisServer.patient("rediss://localhost/0?ca=/nowhere.pem")
        }
    }

    @Test("A server that keeps snapshots or a log, or evicts, is reported once with the remedy; another is not")
    func keeping() async throws {
        let good = try await RedisProcess.start()
        let (reports, none) = (Reports(), Reports())
        let quiet = try RedisServer.patient(good.url(), report: none.add)
        try await quiet.check()
        #expect(none.all == [])
        quiet.stop()
        let bad = try await RedisProcess.start(
            [["save", "900", "1"], ["maxmemory-policy", "allkeys-lru"], ["maxmemory", "100mb"]]
        )
        let server = try RedisServer.patient(bad.url(), report: reports.add)
        try await server.check()
        #expect(reports.all.count == 2)
        #expect(reports.all.first?.contains("save is \"900 1\"") == true)
        #expect(reports.all.first?.contains("Set: save \"\"") == true)
        #expect(reports.all.last?.contains("allkeys-lru") == true)
        // The same again on a new connection is not told again.
        bad.kill()
        try bad.start()
        #expect(try await bad.isReady())
        #expect(
            try await eventually { await failure { () throws(StoreError) in try await server.check() } == nil }
        )
        #expect(reports.all.count == 2)
        server.stop()
        let mute = try await RedisProcess.start([["rename-command", "CONFIG", ""]])
        let asking = Reports()
        let blind = try RedisServer.patient(mute.url(), report: asking.add)
        try await blind.check()
        #expect(asking.all.count == 1 && asking.all.first?.contains("does not say") == true)
        blind.stop()
    }

    @Test("What Redis refuses with is one of the stores' errors")
    func mapping() async throws {
        let redis = try await RedisProcess.start()
        let server = try RedisServer.patient(redis.url())
        let cache = RedisChallengeCache.fresh(server)
        let race = ChallengeRace(cache, count: 1)
        try await race.fill()

        _ = try await redis.command(["CONFIG", "SET", "maxmemory", "1"])
        var error = await #expect(throws: StoreError.self) { try await race.fill() }
        guard case .full = error else {
            Issue.record("OOM is \(String(describing: error))")
            return
        }
        // What was there can still be taken.
        #expect(try await race.take() == [0])
        _ = try await redis.command(["CONFIG", "SET", "maxmemory", "0"])

        _ = try await redis.command(["REPLICAOF", "127.0.0.1", "1"])
        error = await #expect(throws: StoreError.self) { try await race.fill() }
        guard case .readOnly = error else {
            Issue.record("READONLY is \(String(describing: error))")
            return
        }
        _ = try await redis.command(["CONFIG", "SET", "replica-serve-stale-data", "no"])
        error = await #expect(throws: StoreError.self) { try await race.fill() }
        guard case .unavailable(let reason) = error else {
            Issue.record("MASTERDOWN is \(String(describing: error))")
            return
        }
        #expect(reason.contains("MASTERDOWN"))
        _ = try await redis.command(["REPLICAOF", "NO", "ONE"])
        try await race.fill()

        server.stop()
    }

    @Test("Scripts that the server has forgotten come again by themselves, and nobody is refused for it")
    func forgottenScripts() async throws {
        let redis = try await RedisProcess.start()
        let server = try RedisServer.patient(redis.url())
        let race = ChallengeRace(RedisChallengeCache.fresh(server), count: 50)
        for _ in 0..<3 {
            _ = try await redis.command(["SCRIPT", "FLUSH"])
            try await race.fill()
            _ = try await redis.command(["SCRIPT", "FLUSH"])
            #expect(try await race.take(tries: 2).sorted() == Array(0..<50))
        }
        server.stop()
    }

    @Test("It is not ready while it takes no ceremony: without memory, or as the follower of another")
    func readiness() async throws {
        let redis = try await RedisProcess.start()
        let server = try RedisServer.patient(redis.url())
        let cache = RedisChallengeCache.fresh(server)
        try await cache.check()
        _ = try await redis.command(["CONFIG", "SET", "maxmemory", "1"])
        guard case .full? = await failure({ () throws(StoreError) in try await cache.check() }) else {
            Issue.record("a server without memory takes no ceremony")
            return
        }
        _ = try await redis.command(["CONFIG", "SET", "maxmemory", "0"])
        try await cache.check()
        _ = try await redis.command(["REPLICAOF", "127.0.0.1", "1"])
        guard case .readOnly? = await failure({ () throws(StoreError) in try await cache.check() }) else {
            Issue.record("a follower takes no ceremony")
            return
        }
        _ = try await redis.command(["REPLICAOF", "NO", "ONE"])
        try await cache.check()
        server.stop()
    }

    @Test("A server that refuses us, or is not there at the start, is reported with the reason, once")
    func unusable() async throws {
        let redis = try await RedisProcess.start()
        for (url, words) in [
            (redis.url("nobody:x@"), ["refuses us: WRONGPASS", "challenges"]),
            (redis.url("", "?db=99"), ["refuses us", "out of range"]),
            ("redis+unix:///nowhere/socket", ["cannot be used yet", "No such file"]),
        ] {
            let reports = Reports()
            let server = try RedisServer.patient(url, report: reports.add)
            #expect(try await eventually { !reports.all.isEmpty })
            for _ in 0..<3 { #expect(await failure { () throws(StoreError) in try await server.check() } != nil) }
            #expect(reports.all.count == 1)
            for word in words { #expect(reports.all.first?.contains(word) == true, "\(reports.all)") }
            server.stop()
        }
    }

    @Test("What many ask at once goes out together, in order")
    func pipelining() async throws {
        let redis = try await RedisProcess.start()
        let server = try RedisServer.patient(redis.url())
        let race = ChallengeRace(RedisChallengeCache.fresh(server), count: 1000)
        try await race.fill()
        #expect(try await race.take(tries: 2).sorted() == Array(0..<1000))
        server.stop()
        let error = await failure { () throws(StoreError) in try await server.check() }
        guard case .unavailable = error else {
            Issue.record("after its end it is \(String(describing: error))")
            return
        }
    }
}
