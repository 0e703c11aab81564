import Encodings
import SoftwareAuthenticator
import Testing

extension ContractTests {
    @Suite("1.1: tenants, domains, plain HTTP, proxies")
    struct Hosts {
        let world: ContractWorld
        private let discovery = Request.get("/.well-known/openid-configuration")

        init() throws { world = try .current }

        @Test("An unknown host gets 404 at every path", arguments: ["/", "/oauth/token", "/passkey/register", "/x"])
        func unknownHost(_ path: String) async throws {
            var request = Request.get(path)
            for host in ["nobody.example", "acme.example", "login.acme.example.evil.example", "127.0.0.1"] {
                expect(try await world.server.send(request, host: host), is: .unknownHost)
                request.method = "POST"
            }
        }

        @Test("Hosts are compared without regard to case, and the base is the configured name")
        func hostCase() async throws {
            let response = try await world.server.send(discovery, host: "LOGIN.Acme.Example")
            #expect(response.string("issuer") == "https://login.acme.example/")
        }

        @Test("The authority of an absolute target wins over Host")
        func absoluteForm() async throws {
            let request = Request.get("http://login.acme.example/.well-known/openid-configuration")
            #expect(
                try await world.server.send(request, host: "nobody.example").string("issuer")
                    == "https://login.acme.example/"
            )
            let unknown = Request.get("http://nobody.example/.well-known/openid-configuration")
            expect(try await world.acme.send(unknown), is: .unknownHost)
        }

        @Test("A trusted proxy names host and scheme; nobody else does")
        func forwardedHost() async throws {
            let forwarded = discovery.with("X-Forwarded-Host", "login.acme.example")
                .with("X-Forwarded-Proto", "https")
            expect(try await world.server.send(forwarded, host: "nobody.example"), is: .unknownHost)
            let proxied = try await world.server.send(forwarded.from("127.0.0.2"), host: "nobody.example")
            #expect(proxied.string("issuer") == "https://login.acme.example/")
            // What an untrusted peer says about another host changes nothing.
            let lie = discovery.with("X-Forwarded-Host", "other.example")
            #expect(try await world.acme.send(lie).string("issuer") == world.acme.issuer)
            let withPort = discovery.with("X-Forwarded-Host", "login.acme.example:443")
                .with("X-Forwarded-Proto", "https").from("127.0.0.2")
            #expect(try await world.server.send(withPort, host: "x").string("issuer") == world.acme.issuer)
        }

        @Test("A forwarding header with two values is 400", arguments: ["X-Forwarded-Host", "X-Forwarded-Proto"])
        func ambiguous(_ name: String) async throws {
            let proxied = discovery.from("127.0.0.2")
            let inOne = proxied.with(name, "login.acme.example, other.example")
            let inTwo = proxied.with(name, "login.acme.example").with(name, "other.example")
            for request in [inOne, inTwo] {
                let response = try await world.acme.send(request)
                #expect(response.status == 400)
                #expect(response.string("error") == "invalid_request")
            }
        }

        @Test("Over plain HTTP a name other than loopback is refused when the proxy says so, health excepted")
        func plainHTTP() async throws {
            let plain = discovery.with("X-Forwarded-Proto", "http").from("127.0.0.2")
            expect(try await world.acme.send(plain), is: .httpsRequired)
            let health = Request.get("/healthz").with("X-Forwarded-Proto", "http").from("127.0.0.2")
            #expect(try await world.acme.send(health).status == 200)
            #expect(try await world.acme.send(discovery).status == 200, "a loopback peer may")
        }

        @Test("A loopback name is answered to loopback clients alone, also through a trusted proxy")
        func loopbackName() async throws {
            let proxied = discovery.with("X-Forwarded-Proto", "https").from("127.0.0.2")
            let foreign = proxied.with("X-Forwarded-For", "203.0.113.9")
            expect(try await world.local.site.send(foreign), is: .unknownHost)
            let spoofed = proxied.with("X-Forwarded-For", "127.0.0.1, 203.0.113.9")
            expect(try await world.local.site.send(spoofed), is: .unknownHost)
            let throughBoth = proxied.with("X-Forwarded-For", "203.0.113.9, 127.0.0.2")
            expect(try await world.local.site.send(throughBoth), is: .unknownHost)
            let ours = proxied.with("X-Forwarded-For", "127.0.0.1")
            #expect(try await world.local.site.send(ours).status == 200)
        }

        @Test("A loopback name has the scheme of the connection, any other https")
        func scheme() async throws {
            let plain = try await world.local.site.send(discovery)
            #expect(plain.string("issuer") == "http://localhost:\(world.server.port)/")
            #expect(plain.header("strict-transport-security") == nil)
            let proxied = discovery.with("X-Forwarded-Proto", "https").from("127.0.0.2")
            let secure = try await world.local.site.send(proxied)
            #expect(secure.string("issuer") == "https://localhost:\(world.server.port)/")
            #expect(secure.header("strict-transport-security") == nil, "it would bind every port of localhost")
            let named = try await world.acme.send(proxied)
            #expect(named.header("strict-transport-security") == "max-age=31536000")
        }

        @Test("A token is accepted on every domain of its tenant, and on no other tenant")
        func tokensOfDomains() async throws {
            let app = world.customDomainOnly.at(world.customDomain)
            var authenticator = Authenticator()
            let token = try await app.signUp(with: &authenticator).token("access_token")
            let request = Request.get("/userinfo").with("Authorization", "Bearer \(token)")
            #expect(try await world.customDomain.send(request).status == 200)
            #expect(try await world.customDomainOnly.site.send(request).status == 200)
            #expect(try await world.acme.send(request).status == 401)
        }
    }
}
