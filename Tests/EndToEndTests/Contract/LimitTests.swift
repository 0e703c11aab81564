import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

@Suite("1.4: rate limits", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct RateLimitTests {
    private static let tooMany = Refusal(
        429,
        "too_many_requests",
        "Rate limit exceeded. Please retry after some time.",
        "rate_limited"
    )

    private func server() async throws -> App {
        let server = try await LatchkeyServer.start([
            "LATCHKEY_RATE_LIMITS": "", "LATCHKEY_RATE_LIMITS_PASSKEY_CHALLENGES": "5/minute",
            "LATCHKEY_RATE_LIMITS_TOKEN": "4/minute", "LATCHKEY_RATE_LIMITS_SIGNUP": "3/hour",
            "LATCHKEY_TRUSTED_PROXIES": "127.0.0.2/32",
        ])
        return try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
    }

    private func expectHeaders(_ response: Response, limit: Int, remaining: Int) throws {
        #expect(response.header("x-ratelimit-limit") == String(limit), "\(response)")
        #expect(response.header("x-ratelimit-remaining") == String(remaining), "\(response)")
        let reset = try #require(response.header("x-ratelimit-reset").flatMap { Int($0) }, "\(response)")
        let now = Int(Date().timeIntervalSince1970)
        #expect((now - 1...now + 3601).contains(reset))
    }

    @Test("Every limited answer counts down, the next is 429 with Retry-After, and each client address counts alone")
    func countsDown() async throws {
        let app = try await server()
        func ask(_ address: String) async throws -> Response {
            let request = Request.json("/passkey/challenge", app.credentials).from("127.0.0.2")
            return try await app.site.send(request.with("X-Forwarded-Proto", "https").with("X-Forwarded-For", address))
        }
        for remaining in (0..<5).reversed() {
            let response = try await ask("203.0.113.1")
            #expect(response.status == 200)
            try expectHeaders(response, limit: 5, remaining: remaining)
        }
        let refused = try await ask("203.0.113.1")
        expect(refused, is: Self.tooMany)
        try expectHeaders(refused, limit: 5, remaining: 0)
        let wait = try #require(refused.header("retry-after").flatMap { Int($0) })
        #expect((1...60).contains(wait))
        #expect(try await ask("203.0.113.2").status == 200)
        // An IPv6 client is its /64.
        for index in 0..<5 { #expect(try await ask("2001:db8::\(index)").status == 200) }
        expect(try await ask("2001:db8::ffff"), is: Self.tooMany)
        #expect(try await ask("2001:db8:0:1::1").status == 200)
        try await app.site.server.stop()
    }

    @Test("The token endpoint and sign-up have buckets of their own, and wrong requests count too")
    func buckets() async throws {
        let app = try await server()
        for remaining in (0..<4).reversed() {
            let response = try await app.site.send(.json("/oauth/token", [:]))
            #expect(response.status == 400)
            try expectHeaders(response, limit: 4, remaining: remaining)
        }
        expect(try await app.site.send(.json("/oauth/token", [:])), is: Self.tooMany)
        for _ in 0..<3 { _ = try await app.register(email: uniqueEmail()) }
        let signUp = try await app.site.send(app.registerRequest(["email": .string(uniqueEmail())]))
        expect(signUp, is: Self.tooMany)
        try expectHeaders(signUp, limit: 3, remaining: 0)
        let unlimited = try await app.site.send(.get("/.well-known/jwks.json"))
        #expect(unlimited.header("x-ratelimit-limit") == nil)
        try await app.site.server.stop()
    }
}

@Suite("15: health, metrics, and the admin listener", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct HealthTests {
    @Test("Health needs no tenant; metrics and tls/allowed are on the admin listener alone")
    func listeners() async throws {
        let server = try await LatchkeyServer.start()
        let app = try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
        for host in ["localhost", "nobody.example", "login.acme.example"] {
            let health = try await server.send(.get("/healthz"), host: host)
            #expect(health.status == 200)
            #expect(health.json == ["status": "ok"])
            #expect(try await server.send(.get("/readyz"), host: host).status == 200)
            #expect(try await server.send(.get("/metrics"), host: host).status == 404)
            #expect(try await server.send(.get("/tls/allowed?domain=login.acme.example"), host: host).status == 404)
        }
        for path in ["/healthz", "/readyz"] { #expect(try await server.sendToAdmin(.get(path)).status == 200) }
        #expect(try await server.sendToAdmin(.get("/tls/allowed?domain=login.acme.example")).status == 200)
        for query in ["domain=nobody.example", "domain="] {
            #expect(try await server.sendToAdmin(.get("/tls/allowed?\(query)")).status == 404)
        }
        #expect(try await server.sendToAdmin(.get("/oauth/token")).status == 404)
        #expect(try await server.sendToAdmin(Request(method: "POST", target: "/metrics")).status == 405)

        var authenticator = Authenticator()
        try await app.signUp(with: &authenticator)
        let begun = try await app.challenge()
        var copy = authenticator
        let bad = try copy.get(begun.options, origin: app.site.origin, fault: .signatureWrong)
        #expect(try await app.redeem(begun, bad).status == 403)
        let metrics = try await server.sendToAdmin(.get("/metrics"))
        #expect(metrics.header("content-type")?.hasPrefix("text/plain; version=0.0.4") == true)
        #expect(metrics.text.contains("reason=\"signature_invalid\"} 1"), "\(metrics.text)")
        for line in metrics.text.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(
                line.wholeMatch(of: /[a-z_]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? [0-9.e+-]+/) != nil,
                "\(line)"
            )
        }
        let probe = try await run(
            Paths.server,
            ["health", "--admin-listen", "127.0.0.1:\(server.adminPort)"],
            environment: ["LATCHKEY_STORE": server.store]
        )
        #expect(probe.exit == 0, "\(probe)")
        try await server.stop()
        let dead = try await run(
            Paths.server,
            ["health", "--admin-listen", "127.0.0.1:\(server.adminPort)"],
            environment: ["LATCHKEY_STORE": server.store]
        )
        #expect(dead.exit == 6, "\(dead)")
    }

    @Test("On an empty store it starts, is ready, and says how to make the first tenant")
    func emptyStore() async throws {
        let server = try await LatchkeyServer.start()
        #expect(try await server.send(.get("/readyz")).status == 200)
        expect(try await server.send(.get("/"), host: "localhost"), is: .unknownHost)
        let hints = try await eventually(seconds: 90) { server.log.contains("latchkey-admin tenant create") }
        #expect(hints)
        try await server.stop()
    }

    @Test("What was made before a restart is there after it: keys, users, sessions, decoys")
    func restart() async throws {
        let server = try await LatchkeyServer.start()
        let app = try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
        var authenticator = Authenticator()
        let tokens = try await app.signUp(with: &authenticator)
        let unknown = uniqueEmail()
        func decoys(_ app: App) async throws -> JSONValue? {
            try await app.post("/login/options", ["username": .string(unknown)])["allowCredentials"]
        }
        let before = try await decoys(app)
        let keys = try await app.site.send(.get("/.well-known/jwks.json")).json
        try await server.stop()

        let again = try await server.restarted()
        let site = app.site.on(again)
        let same = app.at(site)
        #expect(try await site.send(.get("/.well-known/jwks.json")).json == keys)
        #expect(try await decoys(same) == before)
        #expect(before?.array?.isEmpty == false)
        let bearer = "Bearer \(try tokens.token("access_token"))"
        #expect(try await site.send(Request.get("/userinfo").with("Authorization", bearer)).status == 200)
        #expect(try await site.send(Request.get("/api/me").with("Authorization", bearer)).status == 200)
        #expect(try await same.refresh(try tokens.token("refresh_token")).status == 200)
        try await same.signIn(with: &authenticator)
        try await again.stop()
    }
}
