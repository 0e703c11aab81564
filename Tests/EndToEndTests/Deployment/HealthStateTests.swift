import COSE
import Encodings
import Foundation
import Glibc
import Programs
import SoftwareAuthenticator
import Testing

/// Contract 15 and design §8: what health and metrics say in each state.
@Suite("Health and metrics while something is away", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct HealthStateTests {
    private struct State: Equatable {
        let health: Int
        let ready: Int
        let checks: JSONObject?
    }

    /// What both listeners say.
    private func state(_ server: LatchkeyServer) async throws -> State {
        let ready = try await server.sendToAdmin(.get("/readyz"))
        let outside = try await server.send(.get("/readyz"))
        #expect(outside.status == ready.status && outside.body == ready.body)
        #expect(ready.string("status") == (ready.status == 200 ? "ok" : "unavailable"))
        #expect(ready.header("cache-control") == "no-store")
        let health = try await server.send(.get("/healthz"))
        #expect(health.json == ["status": "ok"])
        return State(health: health.status, ready: ready.status, checks: ready["checks"]?.object)
    }

    private let serving = State(health: 200, ready: 200, checks: nil)

    @Test(
        "Redis away, then PostgreSQL: readiness names which, liveness depends on none, the breaker shows, and both close again",
        .enabled(if: Redis.isInstalled, "\(Redis.missing)")
    )
    func away() async throws {
        let redis = try await Redis.start()
        let database = PostgreSQL(named: "health", [])
        let server = try await LatchkeyServer.start([
            "LATCHKEY_STORE": try await database.freshURL(), "LATCHKEY_CHALLENGES": redis.url,
        ])
        let app = try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
        var ana = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        try await app.signUp(with: &ana)
        #expect(try await state(server) == serving)
        for store in ["store", "cache"] {
            let label = "store=\"\(store)\""
            #expect(try await server.count("latchkey_store_breaker_open", label) == 0)
            #expect(try await server.count("latchkey_store_call_seconds_count", label) > 0)
            #expect(try await server.count("latchkey_store_unanswered_total", label) == 0)
        }
        #expect(try await server.count("latchkey_store_connections", "store=\"store\"") >= 1)
        #expect(try await server.count("latchkey_store_connection_wait_seconds_count", "store=\"store\"") > 0)

        redis.stop()
        #expect(
            try await becomes(server, "cache", open: 1, asking: { .json("/passkey/challenge", app.credentials) }, app)
        )
        #expect(try await state(server) == State(health: 200, ready: 503, checks: ["store": "ok", "cache": "failed"]))
        #expect(try await server.count("latchkey_store_breaker_open", "store=\"store\"") == 0)
        #expect(try await server.count("latchkey_store_unanswered_total", "store=\"cache\"") >= 5)
        redis.go()
        #expect(try await becomes(server, "cache", open: 0, asking: { .get("/healthz") }, app))
        #expect(try await eventually(seconds: 90) { try await state(server) == serving })
        #expect(try await server.count("latchkey_store_breaker_openings_total", "store=\"cache\"") >= 1)

        try await database.stop()
        #expect(
            try await becomes(
                server,
                "store",
                open: 1,
                asking: { app.refreshRequest("v1." + String(repeating: "A", count: 64)) },
                app
            )
        )
        #expect(try await state(server) == State(health: 200, ready: 503, checks: ["store": "failed", "cache": "ok"]))
        #expect(try await app.site.send(.get("/.well-known/jwks.json")).status == 200, "keys are served")
        try await database.resume()
        #expect(try await becomes(server, "store", open: 0, asking: { .get("/healthz") }, app))
        #expect(try await eventually(seconds: 90) { try await state(server) == serving })
        try await app.signIn(with: &ana)
        try await server.stop()
    }

    /// Asks until the breaker of `store` says so.
    private func becomes(
        _ server: LatchkeyServer,
        _ store: String,
        open value: Int,
        asking request: () -> Request,
        _ app: App
    ) async throws -> Bool {
        try await eventually(seconds: 90) {
            let answer = try await app.site.send(request())
            if answer.status == 503 {
                #expect(["1", "2", "3"].contains(answer.header("Retry-After")), "\(answer)")
                #expect(answer.string("error") == "temporarily_unavailable")
            }
            return try await server.count("latchkey_store_breaker_open", "store=\"\(store)\"") == value
        }
    }

    @Test("Draining: not ready, alive, and what is in hand is answered")
    func draining() async throws {
        let server = try await LatchkeyServer.start()
        _ = try await Site.make("acme", on: server, domain: "login.acme.example")
        let folder = try TemporaryFolder()
        // A request whose body is half there when the signal comes.
        let client = try ChildProcess(
            "/bin/bash",
            [
                "-c",
                """
                exec 3<>/dev/tcp/127.0.0.1/\(server.port)
                printf 'POST /passkey/challenge HTTP/1.1\\r\\nHost: login.acme.example\\r\\n' >&3
                printf 'Content-Type: application/json\\r\\nContent-Length: 2\\r\\n\\r\\n{' >&3
                while [ ! -e \(folder.file("go")) ]; do sleep 0.05; done
                printf '}' >&3
                cat <&3
                """,
            ],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        #expect(try await eventually(seconds: 90) { try await server.count("latchkey_connections ") >= 1 })
        kill(server.processID, SIGTERM)
        var ready: Response?
        let isDraining = try await eventually(seconds: 90) {
            ready = try? await server.sendToAdmin(.get("/readyz"))
            return ready?.status == 503 || !server.isRunning
        }
        // Half a request is waited for five seconds. A machine that was too slow to ask meanwhile shows the clean end alone.
        guard server.isRunning else {
            #expect(server.log.contains("draining: what is in flight is answered"))
            return try await server.stop()
        }
        #expect(isDraining)
        #expect(ready?["checks"]?.object == ["server": "failed"], "\(String(describing: ready))")
        #expect(try await server.sendToAdmin(.get("/healthz")).status == 200)
        try folder.write("", to: "go")
        #expect(try await client.wait(seconds: 120) == 0)
        #expect(client.output.hasPrefix("HTTP/1.1 4"), "\(client.output)")
        #expect(client.output.lowercased().contains("connection: close"))
        #expect(try await eventually(seconds: 90) { !server.isRunning })
    }
}
