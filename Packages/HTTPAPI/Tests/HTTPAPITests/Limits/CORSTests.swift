import Encodings
import Identity
import Testing

@testable import HTTPAPI

@Suite("1.5: CORS")
struct CORSTests {
    @Test(
        "An origin is its own text, or fills the one label of a wildcard",
        arguments: [
            ("https://app.example.com", "https://app.example.com", true),
            ("https://APP.example.com", "https://app.example.com", false),
            ("https://app.example.com:443", "https://app.example.com", false),
            ("http://app.example.com", "https://app.example.com", false),
            ("https://app.example.com.", "https://app.example.com", false),
            ("https://a.example.com", "https://*.example.com", true),
            ("https://example.com", "https://*.example.com", false),
            ("https://.example.com", "https://*.example.com", false),
            ("https://a.b.example.com", "https://*.example.com", false),
            ("https://a.example.com.evil.com", "https://*.example.com", false),
            ("https://evil.com/.example.com", "https://*.example.com", false),
            ("https://evil.com:1.example.com", "https://*.example.com", false),
            ("https://evil.com#.example.com", "https://*.example.com", false),
            ("https://u@b.example.com", "https://*.example.com", false),
            ("https://a.example.com:8443", "https://*.example.com", false),
            ("https://a.example.com:8443", "https://*.example.com:8443", true),
            ("http://a.example.com", "https://*.example.com", false), ("null", "https://*.example.com", false),
            ("", "https://*.example.com", false), ("https://e\u{301}.example.com", "https://*.example.com", false),
        ]
    )
    func matching(_ origin: String, _ pattern: String, _ isMatch: Bool) {
        #expect(OriginPattern.matches(origin, pattern) == isMatch)
    }

    private static func client(_ change: (inout Client) -> Void) -> Client {
        var client = Client(
            id: ClientID("c"),
            tenant: TenantID(number: 1),
            name: "C",
            appType: "spa",
            grantTypes: [],
            authenticationMethod: .none,
            refreshToken: .publicDefault,
            createdAt: UnixTime(seconds: 0)
        )
        change(&client)
        return client
    }

    @Test(
        "A client's origins are its web and allowed origins and those of its callbacks; cookies need a written-out web origin"
    )
    func sources() {
        let allowed = AllowedOrigins([
            Self.client {
                $0.webOrigins = ["https://web.example.com", "https://*.wild.example.com"]
                $0.allowedOrigins = ["https://allowed.example.com"]
                $0.callbacks = [
                    "https://Back.example.com/cb?x=1", "https://ported.example.com:8443/cb", "com.example.app:/cb",
                    "https://plain.example.com", "http://localhost:3000/cb", "https://default.example.com:443/cb",
                    "https://query.example.com?x=/y",
                ]
            }
        ])
        for origin in [
            "https://web.example.com", "https://a.wild.example.com", "https://allowed.example.com",
            "https://back.example.com", "https://ported.example.com:8443", "https://plain.example.com",
            "http://localhost:3000", "https://default.example.com", "https://query.example.com",
        ] {
            #expect(allowed.allows(origin), "\(origin)")
        }
        for origin in ["null", "com.example.app:", "https://ported.example.com", "https://back.example.com/cb", ""] {
            #expect(!allowed.allows(origin), "\(origin)")
        }
        #expect(allowed.allowsCookies("https://web.example.com"))
        for origin in ["https://a.wild.example.com", "https://*.wild.example.com", "https://allowed.example.com"] {
            #expect(!allowed.allowsCookies(origin), "\(origin)")
        }
    }

    private func preflight(_ target: String, _ origin: String) -> Ask {
        Ask.get(target).set(\.method, "OPTIONS").with("Origin", origin)
            .with("Access-Control-Request-Method", "POST").with("Access-Control-Request-Headers", "content-type")
    }

    static let sensitive = [
        "/oauth/token", "/oauth/revoke", "/userinfo", "/passkey/register", "/passkey/challenge",
    ]
    static let browser = [
        "/register/options", "/register/verify", "/login/options", "/login/verify", "/api/me", "/api/logout", "/logout",
    ]

    @Test(
        "A preflight of any origin of the tenant is answered whole, and credentials are for section 12",
        arguments: sensitive + browser
    )
    func preflights(_ path: String) async throws {
        try await House.with({ $0.client = { $0.webOrigins += ["https://*.wild.example.com"] } }) {
            (house) async throws in
            let answer = try await house.send(preflight(path, House.webOrigin))
            #expect(answer.status == 204)
            #expect(answer.header("access-control-allow-origin") == House.webOrigin)
            #expect(answer.header("vary") == "Origin")
            #expect(answer.header("access-control-allow-methods") == "GET, POST, PATCH, DELETE, OPTIONS")
            #expect(
                answer.header("access-control-allow-headers")
                    == "authorization, content-type, auth0-client, dpop, x-csrf-token, x-auth-session"
            )
            #expect(answer.header("access-control-max-age") == "600")
            let credentials = "access-control-allow-credentials"
            #expect(answer.header(credentials) == (Self.browser.contains(path) ? "true" : nil))
            let wild = try await house.send(preflight(path, "https://a.wild.example.com"))
            #expect(wild.header("access-control-allow-origin") == "https://a.wild.example.com")
            #expect(wild.header(credentials) == nil)
            for origin in ["https://evil.example", "null", "https://app.example.com.evil.example"] {
                let refused = try await house.send(preflight(path, origin))
                #expect(refused.status == 204)
                #expect(!refused.fields.contains { $0.lowercased().hasPrefix("access-control") })
            }
        }
    }

    @Test("Well-known files are for everybody, without credentials")
    func wellKnown() async throws {
        try await House.with({ $0.relatedOrigins = ["https://shop.example"] }) { (house) async throws in
            for path in ["jwks.json", "openid-configuration", "oauth-authorization-server", "webauthn"] {
                let answer = try await house.send(Ask.get("/.well-known/" + path).with("Origin", "https://any.example"))
                #expect(answer.header("access-control-allow-origin") == "*")
                #expect(answer.header("access-control-allow-credentials") == nil)
                let asked = try await house.send(preflight("/.well-known/" + path, "null"))
                #expect(asked.header("access-control-allow-origin") == "*")
            }
        }
    }

    @Test("A known client's answers are read by its own origins; before it is known by those of the tenant; errors too")
    func ownOrigins() async throws {
        try await House.with { (house) async throws in
            let ask = Ask.json("/passkey/challenge", ["client_id": .string(house.app.id.text)])
            let read = try await house.send(ask.with("Origin", House.webOrigin))
            #expect(read.header("access-control-allow-origin") == House.webOrigin)
            #expect(
                read.header("access-control-expose-headers")?.hasPrefix(
                    "Location, WWW-Authenticate, Retry-After, X-Auth-Session, X-Request-Id"
                ) == true
            )
            let backend: JSONObject = ["client_id": .string(house.backend.id.text)]
            let other = try await house.send(.json("/oauth/token", backend).with("Origin", House.webOrigin))
            #expect(other.status == 401)
            let union = try await house.send(.json("/oauth/token", [:]).with("Origin", House.webOrigin))
            #expect(union.header("access-control-allow-origin") == House.webOrigin)
            let known = backend.with("client_secret", .string(house.secret)).with("grant_type", "x")
            let foreign = try await house.send(.json("/oauth/token", known).with("Origin", House.webOrigin))
            #expect(foreign.reason == "unsupported_grant_type")
            #expect(foreign.header("access-control-allow-origin") == nil)
            #expect(try await house.send(.get("/x").with("Origin", House.webOrigin)).header("vary") == nil)
        }
    }

    @Test("What userinfo says is read by the origins of the client that the token was given to")
    func userInfo() async throws {
        try await House.with { (house) async throws in
            let other = Self.client { $0.webOrigins = ["https://other.example.com"] }
            house.change { $0.clients = [other] }
            var person = Person(house)
            let token = try await person.signUp("ana@example.com").string("access_token") ?? ""
            func allowed(_ origin: String) async throws -> String? {
                let ask = Ask.get("/userinfo").with("Authorization", "Bearer \(token)").with("Origin", origin)
                let answer = try await house.send(ask)
                #expect(answer.status == 200)
                return answer.header("access-control-allow-origin")
            }
            #expect(try await allowed(House.webOrigin) == House.webOrigin)
            #expect(try await allowed("https://other.example.com") == nil)
        }
    }
}
