import COSE
import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

/// Design §8: the challenge store is away, and everything that needs no challenge goes on.
@Suite(
    "Redis as the challenge store",
    .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"),
    .enabled(if: Redis.isInstalled, "\(Redis.missing)")
)
struct RedisTests {
    @Test("Stopped or killed: sign-ins are 503 in half a second, the rest is served, and no challenge is good twice")
    func outage() async throws {
        var redis = try await Redis.start()
        let server = try await LatchkeyServer.start(["LATCHKEY_CHALLENGES": redis.url])
        let app = try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
        var authenticator = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        let signedUp = try await app.signUp(with: &authenticator)
        var refreshToken = try signedUp.token("refresh_token")
        let accessToken = try signedUp.token("access_token")

        for isKilled in [false, true] {
            let begun = try await app.challenge()
            let answer = try authenticator.get(begun.options, origin: app.site.origin)
            let spent = try await app.challenge()
            let spentAnswer = try authenticator.get(spent.options, origin: app.site.origin)
            #expect(try await app.redeem(spent, spentAnswer).status == 200)

            if isKilled { try await redis.kill() } else { redis.stop() }
            for round in 0..<12 {
                let requests: [Request] = [
                    .json("/passkey/challenge", app.credentials),
                    app.registerRequest(["email": .string(uniqueEmail())]),
                    app.tokenRequest(begun.session, answer),
                ]
                for request in requests {
                    let (refused, time) = try await timed { try await app.site.send(request) }
                    #expect(refused.status == 503, "round \(round): \(refused)")
                    #expect(refused.string("error") == "temporarily_unavailable")
                    #expect(["1", "2", "3"].contains(refused.header("Retry-After")))
                    #expect(refused.header("Cache-Control") == "no-store")
                    expectSoon(time, .milliseconds(500), "a sign-in while Redis is away")
                }
                let (refreshed, time) = try await timed { try await app.refresh(refreshToken) }
                #expect(refreshed.status == 200, "\(refreshed)")
                expectSoon(time, .milliseconds(500), "an exchange while Redis is away")
                refreshToken = try refreshed.token("refresh_token")
                let info = Request.get("/userinfo").with("Authorization", "Bearer \(accessToken)")
                #expect(try await app.site.send(info).status == 200)
                #expect(try await app.site.send(.get("/.well-known/jwks.json")).status == 200)
                #expect(try await app.site.send(.get("/.well-known/openid-configuration")).status == 200)
                #expect(try await app.site.send(.get("/healthz")).status == 200)
            }
            for send in [server.sendToAdmin, { try await server.send($0) }] {
                let ready = try await send(.get("/readyz"))
                #expect(ready.status == 503)
                #expect(ready["checks"]?.object == ["store": "ok", "cache": "failed"], "\(ready)")
                #expect(try await send(.get("/healthz")).status == 200)
            }

            if isKilled { redis = try await redis.restarted() } else { redis.go() }
            let isBack = try await eventually(seconds: 90) {
                try await app.site.send(.json("/passkey/challenge", app.credentials)).status == 200
            }
            #expect(isBack, "it serves again by itself")
            #expect(try await eventually(seconds: 90) { try await server.send(.get("/readyz")).status == 200 })
            // What was sent while nobody answered may have been taken: then it is gone, and never good twice.
            var accepted = 0
            for _ in 0..<4 where try await app.redeem(begun, answer).status == 200 { accepted += 1 }
            #expect(accepted <= 1)
            #expect(try await app.redeem(spent, spentAnswer).status != 200, "a challenge that was used before")
            try await app.signIn(with: &authenticator)
        }
        try await server.stop()
    }

    @Test("Two servers share challenges and the counters of the rate limits")
    func shared() async throws {
        let redis = try await Redis.start()
        let settings = [
            "LATCHKEY_CHALLENGES": redis.url, "LATCHKEY_RATE_LIMITS": "",
            "LATCHKEY_RATE_LIMITS_PASSKEY_CHALLENGES": "7/hour", "LATCHKEY_RATE_LIMITS_TOKEN": "off",
            "LATCHKEY_RATE_LIMITS_SIGNUP": "off",
        ]
        let first = try await LatchkeyServer.start(settings)
        let second = try await first.joined(settings)
        let app = try await Site.make("acme", on: first, domain: "login.acme.example").client("App")
        let there = app.at(app.site.on(second))
        var authenticator = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        // Begun at one, ended at the other.
        let begun = try await app.register(email: uniqueEmail())
        let created = try authenticator.create(begun.options, origin: app.site.origin)
        #expect(try await there.redeem(begun, created).status == 200)
        let login = try await there.challenge()
        let answer = try authenticator.get(login.options, origin: app.site.origin)
        let both = try await withThrowingTaskGroup(of: Int.self) { group in
            for one in [app, there] { group.addTask { try await one.redeem(login, answer).status } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(both.filter { $0 == 200 }.count == 1, "\(both)")
        var statuses: [Int] = []
        for index in 0..<6 {
            let one = index % 2 == 0 ? app : there
            statuses.append(try await one.site.send(.json("/passkey/challenge", one.credentials)).status)
        }
        #expect(statuses == [200, 200, 200, 200, 200, 429], "five of seven are left")
        try await first.stop()
        try await second.stop()
    }

    @Test("A server that keeps snapshots is warned about")
    func warning() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.file("redis.sock")
        let redis = try ChildProcess(
            Redis.program,
            ["--port", "0", "--unixsocket", socket, "--dir", folder.path, "--save", "900 1"],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        let server = try await LatchkeyServer.start(["LATCHKEY_CHALLENGES": "redis+unix://\(socket)"])
        #expect(
            try await eventually(seconds: 90) {
                server.log.contains("writes snapshots") && server.log.contains("challenges that were used already")
            },
            "\(server.log)"
        )
        try await server.stop()
        redis.send(SIGKILL)
        try await redis.wait()
    }

    private func timed(_ body: () async throws -> Response) async throws -> (Response, Duration) {
        let start = ContinuousClock.now
        return (try await body(), ContinuousClock.now - start)
    }
}

/// Expects `time` to be within `limit` when `LATCHKEY_JUDGES_TIME` asks for it; a machine that runs all tests at once
/// says nothing about time, which the scripts of `Tests/Reliability` judge.
func expectSoon(_ time: Duration, _ limit: Duration, _ what: String) {
    guard Backends.judgesTime else { return }
    #expect(time <= limit, "\(what) took \(time)")
}
