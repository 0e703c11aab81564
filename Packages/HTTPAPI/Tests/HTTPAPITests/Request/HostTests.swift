import Encodings
import HTTPServer
import Identity
import Testing

@testable import HTTPAPI

@Suite("1.1: which tenant answers")
struct HostTests {
    private let discovery = Ask.get("/.well-known/openid-configuration")

    @Test("An unknown host is 404 before anything else is looked at")
    func unknown() async throws {
        try await House.with { (house) async throws in
            for host in [
                "nobody.example", "login.example.com.", "login.example.com:8443", "xlogin.example.com", "a_b", "[::1]",
                "login.example.com:0443",
            ] {
                for ask in [discovery, .get("/x"), .raw("/oauth/token", [1, 2], type: nil)] {
                    expect(
                        try await house.send(ask.set(\.host, host)),
                        404,
                        "not_found",
                        "Unknown host",
                        "unknown_host"
                    )
                }
            }
            #expect(try await house.send(discovery.set(\.host, nil)).status == 404)
            #expect(try await house.send(discovery.set(\.host, "LOGIN.EXAMPLE.COM:443")).status == 200)
        }
    }

    @Test("A domain that is not ready is no host")
    func notReady() async throws {
        try await House.with({ $0.status = .pendingVerification }) { (house) async throws in
            #expect(try await house.send(discovery).reason == "unknown_host")
        }
    }

    @Test("Plain HTTP from the network is refused at every path, the base says https all the same")
    func plainHTTP() async throws {
        try await House.with { (house) async throws in
            for target in ["/.well-known/jwks.json", "/oauth/token", "/x", "/api/me"] {
                let answer = try await house.send(Ask.get(target).set(\.isTLS, false))
                expect(answer, 400, "invalid_request", "HTTPS is required", "https_required")
            }
            let local = try await house.send(discovery.set(\.isTLS, false).set(\.peer, Ask.here))
            #expect(local.string("issuer") == "https://login.example.com/")
            #expect(try await house.send(Ask.get("/healthz").set(\.isTLS, false)).status == 200)
        }
    }

    @Test("A loopback name answers clients on this machine alone, with the scheme of the connection")
    func loopback() async throws {
        try await House.with({ $0.otherHosts = ["localhost:8080", "app.localhost"] }) { (house) async throws in
            let local = discovery.set(\.host, "localhost:8080").set(\.peer, Ask.here)
            #expect(try await house.send(local.set(\.isTLS, false)).string("issuer") == "http://localhost:8080/")
            #expect(try await house.send(local).string("issuer") == "https://localhost:8080/")
            #expect(try await house.send(local.set(\.host, "app.localhost")).status == 200)
            #expect(try await house.send(local.set(\.peer, Ask.somewhere)).reason == "unknown_host")
            #expect(try await house.send(local.set(\.peer, Ask.peer("127.9.9.9"))).status == 200)
            #expect(try await house.send(local.set(\.peer, Ask.peer("::1"))).status == 200)
        }
    }

    @Test("Through a trusted proxy it is the client behind it that must be here")
    func loopbackThroughProxy() async throws {
        let proxies = TrustedProxies(ranges: [AddressRange("127.0.0.0/8")].compactMap { $0 }, unixSockets: true)
        try await House.with(proxies: proxies, { $0.otherHosts = ["localhost"] }) { (house) async throws in
            let proxied = discovery.set(\.host, "localhost").set(\.peer, Ask.here).set(\.isTLS, false)
            for (entry, status) in [("203.0.113.9", 404), ("127.0.0.1", 200), ("unknown", 404)] {
                #expect(try await house.send(proxied.with("X-Forwarded-For", entry)).status == status, "\(entry)")
                let unix = proxied.set(\.peer, .unixSocket).with("X-Forwarded-For", entry)
                #expect(try await house.send(unix).status == status, "\(entry)")
            }
            let two = proxied.with("X-Forwarded-Host", "localhost").with("X-Forwarded-Host", "localhost")
            expect(
                try await house.send(two),
                400,
                "invalid_request",
                "A forwarding header has two values",
                "invalid_forwarding"
            )
        }
    }

    @Test(
        "A suspended tenant says so everywhere but at its well-known files, however the path is written",
        arguments: ["/oauth/token", "/x", "/passkey/register", "/login/options", "/api/me", "/userinfo"]
    )
    func suspended(_ path: String) async throws {
        try await House.with({ $0.isSuspended = true }) { (house) async throws in
            for target in [path, "/.well-known/.." + path, "/.well-known/%2e%2e" + path, "/.well-known/x/../.." + path]
            {
                for ask in [Ask.json(target, [:]), .get(target), Ask.get(target).set(\.method, "OPTIONS")] {
                    expect(
                        try await house.send(ask),
                        403,
                        "access_denied",
                        "The tenant is suspended",
                        "tenant_suspended"
                    )
                }
            }
            #expect(try await house.send(discovery).status == 200)
            #expect(try await house.send(.get("/.well-known/jwks.json")).status == 200)
            #expect(try await house.send(.get("/x/../.well-known/jwks.json")).status == 200)
            #expect(try await house.send(.get("/.well-known/x")).status == 404)
        }
    }

    @Test("While the store of tenants does not answer, a host that is known goes on, another is 503")
    func storeDown() async throws {
        try await House.with { (house) async throws in
            #expect(try await house.send(discovery).status == 200)
            house.lens.change { $0.failure = .unavailable(reason: "down") }
            house.pass(seconds: 60)
            #expect(try await house.send(discovery).status == 200)
            let other = try await house.send(discovery.set(\.host, "other.example"))
            #expect(other.status == 503)
            #expect((1...3).contains(Int(other.header("retry-after") ?? "") ?? 0))
            #expect(other.string("error") == "temporarily_unavailable")
            #expect(house.log.last?.detail?.contains("down") == true, "the operator is told why")
            #expect(!other.description.contains("down"), "the client is not")
        }
    }
}
