import COSE
import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

/// What teams grow into: servers on one PostgreSQL and one Redis, behind a proxy that ends TLS.
@Suite(
    "Two servers behind nginx, on PostgreSQL and Redis",
    .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"),
    .enabled(if: Redis.isInstalled, "\(Redis.missing)"),
    .enabled(if: Nginx.isInstalled, "\(Nginx.missing)")
)
struct ProxyTests {
    private let host = "login.acme.example"

    /// Two servers, nginx, and an application that goes through it.
    private struct Scene {
        let redis: Redis
        let servers: [LatchkeyServer]
        let nginx: Nginx
        let app: App

        func stop() async throws {
            try await nginx.stop()
            for server in servers where server.isRunning { try await server.stop() }
        }
    }

    private func scene(_ more: [String: String] = [:]) async throws -> Scene {
        let redis = try await Redis.start()
        let settings = [
            "LATCHKEY_STORE": try await PostgreSQL.shared.freshURL(), "LATCHKEY_CHALLENGES": redis.url,
            "LATCHKEY_TRUSTED_PROXIES": "127.0.0.1/32",
        ]
        .merging(more) { $1 }
        let first = try await LatchkeyServer.start(settings)
        let second = try await first.joined(settings)
        let nginx = try await Nginx.start(for: host, before: [first, second])
        let site = try await Site.make("acme", on: first, domain: host)
        let app = try await site.client("App")
        return Scene(redis: redis, servers: [first, second], nginx: nginx, app: app.at(site.behind(nginx.entrance)))
    }

    @Test("What begins at one server ends at the other, and when one is killed the other serves on")
    func both() async throws {
        let scene = try await scene()
        let app = scene.app
        var ana = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        // nginx goes round: options from one, the answer to the other.
        let begun = try await counts(scene, "/passkey/register")
        let ended = try await counts(scene, "/oauth/token")
        let signedUp = try await app.signUp(with: &ana)
        let beganAt = try await counts(scene, "/passkey/register")
        let endedAt = try await counts(scene, "/oauth/token")
        #expect(zip(begun, beganAt).map { $1 - $0 }.sorted() == [0, 1])
        #expect(zip(ended, endedAt).map { $1 - $0 } == zip(begun, beganAt).map { 1 - ($1 - $0) }, "the other one")
        let token = try signedUp.token("access_token")
        let info = Request.get("/userinfo").with("Authorization", "Bearer \(token)")
        for _ in 0..<4 { #expect(try await app.site.send(info).status == 200) }

        let people = try await withThrowingTaskGroup(of: Authenticator.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var one = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
                    try await app.signUp(with: &one)
                    try await app.signIn(with: &one)
                    return one
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for endpoint in ["/passkey/register", "/passkey/challenge", "/oauth/token"] {
            #expect(try await counts(scene, endpoint).allSatisfy { $0 > 0 }, "\(endpoint) is served by both")
        }

        let killing = scene.servers[1]
        let (done, failed) = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for person in people {
                group.addTask {
                    var (person, done, failed) = (person, 0, 0)
                    for _ in 0..<12 {
                        // What the dead one had in hand is lost: whoever meets that begins again.
                        if try await Self.signsIn(app, &person) { done += 1 } else { failed += 1 }
                    }
                    return (done, failed)
                }
            }
            try await Task.sleep(for: .milliseconds(100))
            try await killing.kill()
            return try await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
        }
        #expect(failed <= people.count, "one each at most")
        #expect(done >= people.count * 11)
        for _ in 0..<6 { try await app.signIn(with: &ana) }
        try await scene.stop()
    }

    /// Whether a login goes through from its beginning.
    private static func signsIn(_ app: App, _ person: inout Authenticator) async throws -> Bool {
        let begun = try await app.post("/passkey/challenge", [:])
        guard begun.status == 200, let session = begun.string("auth_session"),
            let options = begun["authn_params_public_key"]?.object
        else { return false }
        let answer = try person.get(options, origin: app.site.origin)
        return try await app.site.send(app.tokenRequest(session, answer)).status == 200
    }

    /// Requests to `endpoint` that each server has answered with 200.
    private func counts(_ scene: Scene, _ endpoint: String) async throws -> [Int] {
        var counts: [Int] = []
        for server in scene.servers {
            counts.append(
                try await server.count("latchkey_requests_total", "endpoint=\"\(endpoint)\",status=\"200\"")
            )
        }
        return counts
    }

    @Test("What a visitor says of host, scheme and address changes nothing")
    func forged() async throws {
        let scene = try await scene(["LATCHKEY_RATE_LIMITS": "", "LATCHKEY_RATE_LIMITS_PASSKEY_CHALLENGES": "20/hour"])
        let site = scene.app.site
        _ = try await Site.make("other", on: scene.servers[0], domain: "login.other.example")
        let discovery = Request.get("/.well-known/openid-configuration")
        let honest = try await site.send(discovery)
        #expect(honest.string("issuer") == "https://login.acme.example/", "\(honest)")
        #expect(honest.header("strict-transport-security") != nil, "the scheme is the proxy's")
        let lies: [(String, String)] = [
            ("X-Forwarded-Host", "login.other.example"), ("X-Forwarded-Host", "evil.example"),
            ("X-Forwarded-Host", "login.acme.example, login.other.example"), ("X-Forwarded-Proto", "http"),
            ("X-Forwarded-Proto", "https, http"), ("X-Forwarded-For", "127.0.0.1"),
            ("X-Forwarded-For", "203.0.113.9, 198.51.100.7"), ("X-Forwarded-Port", "81"), ("X-Real-IP", "203.0.113.9"),
            ("Forwarded", "for=203.0.113.9;host=login.other.example;proto=http"),
            ("X-Forwarded-Server", "evil.example"),
            ("X-Original-Host", "login.other.example"), ("X-Forwarded-Prefix", "/evil"),
        ]
        for (name, value) in lies {
            for _ in scene.servers {
                let answer = try await site.send(discovery.with(name, value).from("127.0.0.7"))
                #expect(told(answer) == told(honest), "\(name): \(value)")
            }
        }
        // The address that counts is the one that nginx saw.
        var statuses: [Int] = []
        for number in 0..<22 {
            let request = Request.json("/passkey/challenge", scene.app.credentials)
                .with("X-Forwarded-For", "203.0.113.\(number)").with("Forwarded", "for=203.0.113.\(number)")
            statuses.append(try await site.send(request.from("127.0.0.8")).status)
        }
        #expect(statuses == Array(repeating: 200, count: 20) + [429, 429])
        let another = Request.json("/passkey/challenge", scene.app.credentials).from("127.0.0.9")
        #expect(try await site.send(another).status == 200, "another address has a count of its own")
        for server in scene.servers {
            #expect(
                server.log.contains("\"address\":\"127.0.0.7\"") && server.log.contains("\"address\":\"127.0.0.8\"")
            )
            #expect(!server.log.contains("203.0.113.") && !server.log.contains("198.51.100."))
        }
        // What is for the operator is not behind the proxy.
        for path in ["/metrics", "/tls/allowed?domain=login.acme.example"] {
            #expect(try await site.send(.get(path)).status == 404)
        }
        try await scene.stop()
    }

    /// An answer without what differs each time.
    private func told(_ response: Response) -> [String] {
        let headers = response.headers.filter { !["date", "x-request-id"].contains($0.name.lowercased()) }
        return ["\(response.status)", response.text] + headers.map { "\($0.name): \($0.value)" }.sorted()
    }

    @Test("A proxy that gets certificates on demand asks which names are ready")
    func certificatesOnDemand() async throws {
        let server = try await LatchkeyServer.start()
        _ = try await Site.make("acme", on: server, domain: host)
        _ = try await server.adminJSON(["domain", "add", "--tenant", "acme", "login.customer.example"])
        for (query, status) in [
            ("?domain=login.acme.example", 200), ("?domain=LOGIN.ACME.EXAMPLE", 200),
            ("?domain=login.customer.example", 200), ("?domain=evil.example", 404), ("?domain=acme.example", 404),
            ("?domain=x.login.acme.example", 404), ("?domain=login.acme.example.", 404), ("?domain=127.0.0.1", 404),
            ("?domain=", 404), ("?domain=login.acme.example:443", 404), ("?domain=*.acme.example", 404),
            ("?domain=login.acme.example%2Fx", 404), ("?domain=\(String(repeating: "a", count: 3000))", 404),
            ("", 400), ("?domain=%00", 400), ("?domain=%FF", 400), ("?domain=a.example&domain=login.acme.example", 400),
        ] {
            let answer = try await server.sendToAdmin(.get("/tls/allowed" + query))
            #expect(answer.status == status, "\(query.prefix(60)): \(answer)")
        }
        let post = try await server.sendToAdmin(.json("/tls/allowed?domain=login.acme.example", [:]))
        #expect(post.status == 405)
        try await server.stop()
    }
}
