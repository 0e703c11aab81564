import Encodings
import HTTPServer
import Identity
import Testing

@testable import HTTPAPI

@Suite("1.3: headers of every response")
struct HeaderTests {
    private static let common = ["x-content-type-options", "referrer-policy", "x-request-id"]

    private func expectCommon(_ answer: Answer, at location: SourceLocation = #_sourceLocation) {
        #expect(answer.values("x-content-type-options") == ["nosniff"], "\(answer)", sourceLocation: location)
        #expect(answer.values("referrer-policy") == ["no-referrer"], "\(answer)", sourceLocation: location)
        #expect(answer.values("x-request-id").count == 1, "\(answer)", sourceLocation: location)
    }

    @Test("nosniff, no-referrer and a request id, each once, whatever the answer is")
    func common() async throws {
        try await House.with { (house) async throws in
            for ask in [
                Ask.get("/x"), .get("/%zz"), .get("/healthz"), .get("/readyz"), .get("/userinfo"), .get("/oauth/token"),
                .get("/.well-known/jwks.json"), Ask.get("/x").set(\.host, "other.example"),
                .json("/oauth/token", [:]), .json("/login/options", ["client_id": .string(house.app.id.text)]),
                Ask.get("/oauth/token").set(\.method, "OPTIONS"), Ask.get("*").set(\.method, "OPTIONS"),
                Ask.get("/x").set(\.isTLS, false), .json("/api/logout", [:]),
            ] {
                let answer = try await house.send(ask)
                expectCommon(answer)
                for name in ["cache-control", "pragma", "content-type"] {
                    #expect(answer.values(name).count <= 1, "\(ask.target) \(answer)")
                }
            }
        }
    }

    @Test("What is about a user or a request is stored nowhere, however its path is written")
    func noStore() async throws {
        try await House.with { (house) async throws in
            for target in [
                "/oauth/token", "/oauth/x", "/passkey/register", "/userinfo", "/api/me", "/api/x", "/register/options",
                "/login/verify", "/logout", "/me/v1/x", "/u/login", "/recovery/x", "/v2/logout", "/oidc/logout",
                "/dbconnections/signup", "/authorize", "/attestation/options", "/assertion/result",
                "/%6Fauth/token", "/x/../oauth/token", "/userinf%6F", "//../oauth/token", "/login/./options",
            ] {
                for ask in [Ask.get(target), .json(target, [:]), Ask.get(target).set(\.method, "OPTIONS")] {
                    let answer = try await house.send(ask)
                    #expect(answer.header("cache-control") == "no-store", "\(ask.method) \(target) \(answer)")
                    #expect(answer.header("pragma") == "no-cache", "\(ask.method) \(target)")
                }
            }
            #expect(try await house.send(.get("/.well-known/jwks.json")).header("pragma") == nil)
        }
    }

    @Test("HSTS over https, and never on a loopback name, known or not")
    func transportSecurity() async throws {
        try await House.with({ $0.otherHosts = ["localhost:8080"] }) { (house) async throws in
            let name = "strict-transport-security"
            #expect(try await house.send(.get("/x")).header(name) == "max-age=31536000")
            let plain = Ask.get("/x").set(\.isTLS, false).set(\.peer, Ask.here)
            #expect(try await house.send(plain).header(name) == nil)
            for host in ["localhost:8080", "localhost", "app.localhost:1", "127.0.0.1:8080"] {
                for peer in [Ask.here, Ask.somewhere] {
                    let answer = try await house.send(Ask.get("/x").set(\.host, host).set(\.peer, peer))
                    #expect(answer.header(name) == nil, "\(host) \(answer)")
                }
            }
        }
    }

    @Test("A request id of 1 to 64 plain characters is sent back, any other is replaced")
    func requestIDs() async throws {
        try await House.with { (house) async throws in
            func id(_ sent: String?) async throws -> String {
                try await house.send(Ask.get("/x").with("X-Request-Id", sent)).header("x-request-id") ?? ""
            }
            for good in ["a", "A-Z_0.9", String(repeating: "x", count: 64)] { #expect(try await id(good) == good) }
            for bad in ["", "a b", "a/b", "\u{e4}", String(repeating: "x", count: 65), "a,b", "<script>"] {
                let made = try await id(bad)
                #expect(made != bad && made.utf8.count == 16, "\(bad)")
            }
            let (one, two) = (try await id(nil), try await id(nil))
            #expect(one != two)
            let both = try await house.send(Ask.get("/x").with("X-Request-Id", "a").with("X-Request-Id", "b"))
            #expect(["a", "b"].contains(both.header("x-request-id")) || both.header("x-request-id")?.utf8.count == 16)
        }
    }

    static let faultRows: [(HTTPFault, Int, String)] = [
        (.badRequest(.host), 400, "invalid_http"), (.notFound, 404, "not_found"),
        (.methodNotAllowed(allowed: [.get]), 405, "method_not_allowed"), (.timeout, 408, "request_timeout"),
        (.bodyTooLarge, 413, "body_too_large"), (.targetTooLong, 414, "target_too_long"),
        (.expectationFailed, 417, "expectation_failed"), (.headTooLarge, 431, "head_too_large"),
        (.notImplemented, 501, "not_implemented"), (.overloaded, 503, "overloaded"),
        (.deadlineExceeded, 503, "overloaded"), (.versionNotSupported, 505, "version_not_supported"),
    ]

    @Test("What breaks HTTP or a limit is answered in the same shape, with the same headers", arguments: faultRows)
    func faults(_ fault: HTTPFault, _ status: Int, _ reason: String) throws {
        let head = try Ask.raw("/oauth/token", [1], type: nil).with("X-Request-Id", "mine").request().head
        for given in [head, nil] {
            let answer = Answer(response: API.faultResponse(fault, given))
            #expect(answer.status == status)
            #expect(answer.reason == reason)
            #expect(answer.header("content-type") == "application/json; charset=utf-8")
            expectCommon(answer)
            #expect(answer.header("cache-control") == "no-store")
            #expect(answer.header("pragma") == "no-cache")
            if given != nil { #expect(answer.header("x-request-id") == "mine") }
            #expect((answer.header("retry-after") != nil) == (status == 503))
        }
    }

    @Test("Another method of a known path is 405 with Allow, OPTIONS 204, an unknown path 404, a broken one 400")
    func methods() async throws {
        try await House.with { (house) async throws in
            for (target, allowed) in [
                ("/oauth/token", "POST, OPTIONS"), ("/userinfo", "GET, POST, HEAD, OPTIONS"),
                ("/api/me", "GET, HEAD, OPTIONS"), ("/logout", "POST, OPTIONS"),
                ("/.well-known/jwks.json", "GET, HEAD, OPTIONS"),
            ] {
                let wrong = try await house.send(Ask.get(target).set(\.method, "DELETE"))
                expect(wrong, 405, "invalid_request", "Method not allowed", "method_not_allowed")
                #expect(wrong.header("allow") == allowed)
                let options = try await house.send(Ask.get(target).set(\.method, "OPTIONS"))
                #expect(options.status == 204)
                #expect(options.header("allow") == allowed)
                #expect(options.body.isEmpty)
            }
            for method in ["GET", "POST", "OPTIONS", "PURGE"] {
                expect(
                    try await house.send(Ask.get("/nothing").set(\.method, method)),
                    404,
                    "not_found",
                    "Not found",
                    "not_found"
                )
            }
            #expect(try await house.send(Ask.get("*").set(\.method, "OPTIONS")).status == 204)
            #expect(try await house.send(.get("/%zz")).status == 400)
            #expect(try await house.send(Ask.get("/.well-known/jwks.json").set(\.method, "HEAD")).status == 200)
            #expect(try await house.send(.get("/oauth/token/")).status == 404)
            #expect(try await house.send(.get("/oauth%2Ftoken")).status == 404)
        }
    }

    @Test("The log hears of each request once, with its reason, and of no secret")
    func log() async throws {
        try await House.with { (house) async throws in
            let secret = "s3cr3t-of-nobody"
            _ = try await house.send(
                .json("/oauth/token", ["client_id": .string(secret), "client_secret": .string(secret)])
            )
            _ = try await house.send(Ask.get("/api/me?token=\(secret)").with("Authorization", "Bearer \(secret)"))
            _ = try await house.send(Ask.get("/x").set(\.host, "other.example"))
            _ = try await house.send(Ask.get("/oauth/token").with("Auth0-Client", "eyJuYW1lIjoieCJ9"))
            let log = house.log
            #expect(log.map(\.reason) == ["unknown_client", "no_session", "unknown_host", "method_not_allowed"])
            #expect(log.map(\.tenant) == ["acme", "acme", nil, "acme"])
            #expect(log.map(\.status) == [401, 401, 404, 405])
            #expect(log.allSatisfy { $0.address == "198.51.100.7" })
            for summary in log { #expect(!"\(summary)".contains(secret)) }
            #expect(log.last?.sdk == "eyJuYW1lIjoieCJ9")
        }
    }

    @Test("Auth0-Client is never judged, and is written down cut to 1 KiB of printable text")
    func sdk() async throws {
        try await House.with { (house) async throws in
            let long = String(repeating: "a", count: 5000)
            for sent in [long, "\u{1F600}", "not base64 {}"] {
                let answer = try await house.send(Ask.get("/x").with("Auth0-Client", sent))
                #expect(answer.status == 404)
            }
            let log = house.log.map(\.sdk)
            #expect(log[0]?.utf8.count == 1024)
            #expect(log[1] == "????")
            #expect(log[2] == "not base64 {}")
        }
    }
}
