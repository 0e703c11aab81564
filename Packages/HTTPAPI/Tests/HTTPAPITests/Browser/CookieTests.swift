import Encodings
import Identity
import SoftwareAuthenticator
import Testing

@testable import HTTPAPI

@Suite("8.4, 12: cookies, and who may send them")
struct CookieTests {
    private let session = "__Host-pk_session"

    /// Somebody who has just signed up with a cookie.
    private func signedUp(_ house: House, _ email: String = "ana@example.com") async throws -> (Person, Answer) {
        var person = Person(house)
        let answer = try await person.register(email)
        try #require(answer.status == 200, "\(answer)")
        person.cookie = "\(session)=" + (answer.cookieValue(session) ?? "")
        return (person, answer)
    }

    @Test("The session's cookie is bound to this host and to https, and its old value is dead at once")
    func sessionCookie() async throws {
        try await House.with { (house) async throws in
            var (person, answer) = try await signedUp(house)
            let value = try #require(answer.cookieValue(session))
            #expect(value.utf8.count == 43)
            #expect(answer.cookie(session) == "\(session)=\(value); Path=/; HttpOnly; SameSite=Lax; Secure")
            #expect(answer.cookie("pk_ceremony")?.contains("Max-Age=0") == true)
            let old = person.cookie
            let again = try await person.signIn()
            #expect(again.status == 200)
            #expect(again.cookieValue(session) != value)
            person.cookie = old
            #expect(try await person.send(.get("/api/me")).status == 401)
            person.cookie = "\(session)=" + (again.cookieValue(session) ?? "")
            #expect(try await person.send(.get("/api/me")).status == 200)
        }
    }

    @Test("Where sessions outlive the browser, the cookie ends with the session")
    func persistent() async throws {
        try await House.with({
            $0.settings.sessionCookieIsPersistent = true
            $0.settings.sessionLifetime = 2
        }) { (house) async throws in
            let (_, answer) = try await signedUp(house)
            #expect(answer.cookie(session)?.hasSuffix("; Secure; Max-Age=7200") == true)
        }
    }

    @Test("On plain loopback the cookies have their plain names and no Secure")
    func loopback() async throws {
        try await House.with({ $0.otherHosts = ["localhost:8080"] }) { (house) async throws in
            let base = "http://localhost:8080"
            func local(_ ask: Ask) -> Ask {
                ask.set(\.host, "localhost:8080").set(\.isTLS, false).set(\.peer, Ask.here).with("Origin", base)
            }
            var authenticator = Authenticator()
            let client: JSONObject = ["client_id": .string(house.app.id.text)]
            let options = try await house.send(
                local(.json("/register/options", client.with("username", "ana@example.com")))
            )
            let ceremony = try #require(options.cookie("pk_ceremony"))
            #expect(ceremony.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Max-Age=330"))
            let answer = try authenticator.create(options.json, origin: base)
            let made = try await house.send(
                local(.json("/register/verify", answer.with("client_id", .string(house.app.id.text))))
                    .with("X-Auth-Session", options.header("x-auth-session"))
            )
            let value = try #require(made.cookieValue("pk_session"), "\(made)")
            #expect(made.cookie("pk_session") == "pk_session=\(value); Path=/; HttpOnly; SameSite=Lax")
            #expect(made.cookie(session) == nil)
            // The name for https is nothing here, and neither is this one there.
            let cookie = "pk_session=\(value)"
            #expect(try await house.send(local(.get("/api/me")).with("Cookie", cookie)).status == 200)
            let secure = local(.get("/api/me")).set(\.isTLS, true).with("Cookie", cookie)
            #expect(try await house.send(secure).status == 401)
        }
    }

    @Test("The ceremony's cookie lives as long as the ceremony, and is never sent across sites")
    func ceremonyCookie() async throws {
        try await House.with { (house) async throws in
            let person = Person(house)
            let options = try await person.post("/login/options", [:])
            let challenge = try #require(options.string("challenge"))
            #expect(
                options.cookie("pk_ceremony")
                    == "pk_ceremony=\(challenge); Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=330"
            )
            let waiting = try await person.post("/login/options", ["mediation": "conditional"])
            #expect(waiting.cookie("pk_ceremony")?.hasSuffix("Max-Age=900") == true)
        }
    }

    @Test("A cookie is set for the client's own web origins and our own, and for nobody else")
    func whoGetsOne() async throws {
        try await House.with({
            $0.client = {
                $0.webOrigins += ["https://*.wild.example.com"]
                $0.allowedOrigins = ["https://allowed.example.com"]
            }
        }) { (house) async throws in
            var person = Person(house)
            _ = try await person.register("ana@example.com")
            for (origin, isSet) in [
                (House.webOrigin, true), (House.base, true), (nil, false), ("null", false),
                ("https://a.wild.example.com", false), ("https://allowed.example.com", false),
                ("https://evil.example", false), ("http://login.example.com", false),
                ("https://login.example.com:443", false),
            ] {
                person.origin = origin
                let answer = try await person.signIn()
                #expect(answer.status == 200, "\(origin ?? "none") \(answer)")
                #expect((answer.cookie(session) != nil) == isSet, "\(origin ?? "none")")
            }
        }
    }

    @Test("A request with a session's cookie needs an origin that may, or the browser's word that it is our own page")
    func crossSite() async throws {
        try await House.with { (house) async throws in
            let other = Client(
                id: ClientID("other"),
                tenant: house.app.tenant,
                name: "Other",
                appType: "spa",
                grantTypes: [],
                authenticationMethod: .none,
                refreshToken: .publicDefault,
                createdAt: house.now
            )
            house.change {
                $0.clients = [other]
                $0.client = { if $0.id == other.id { $0.webOrigins = ["https://other.example.com"] } }
            }
            var (person, _) = try await signedUp(house)
            for origin in [nil, "null", "https://evil.example", "https://other.example.com", "http://app.example.com"] {
                person.origin = origin
                for path in ["/register/options", "/login/options", "/register/verify", "/login/verify"] {
                    let answer = try await person.post(path, ["response": [:]])
                    expect(answer, 403, "forbidden", "Origin not allowed", "csrf")
                }
            }
            person.origin = "https://evil.example"
            expect(try await person.post("/api/logout", [:]), 403, "forbidden", "Origin not allowed", "csrf")
            person.origin = nil
            for (value, status) in [("same-origin", 204), ("same-site", 403), ("none", 403), ("cross-site", 403)] {
                let ask = Ask.raw("/logout", [], type: nil).with("Sec-Fetch-Site", value)
                // Sent before the session ends, but for the last one.
                if status == 204 { continue }
                #expect(try await person.send(ask).status == status, "\(value)")
            }
            #expect(try await person.send(.get("/api/me")).status == 200, "nobody was signed out")
            let own = Ask.raw("/logout", [], type: nil).with("Sec-Fetch-Site", "same-origin")
            #expect(try await person.send(own).status == 204)
            #expect(try await person.send(.get("/api/me")).status == 401)
        }
    }

    @Test("A cookie with a body of another type is refused as another site's; without a cookie it is the wrong type")
    func contentType() async throws {
        try await House.with { (house) async throws in
            let (person, _) = try await signedUp(house)
            var stranger = person
            stranger.cookie = nil
            for path in ["/register/options", "/login/options", "/register/verify", "/login/verify", "/api/logout"] {
                for type in ["text/plain", "application/x-www-form-urlencoded", "text/plain; application/json", nil] {
                    let ask = Ask.raw(path, Array("{}".utf8), type: type)
                    #expect(try await person.send(ask).reason == "csrf", "\(path) \(type ?? "none")")
                    let other = try await stranger.send(ask)
                    #expect(other.reason == "unsupported_media_type", "\(path) \(type ?? "none") \(other)")
                }
            }
        }
    }

    @Test("A bearer token goes before a cookie: a bad one is refused, and the cookie does not stand in for it")
    func precedence() async throws {
        try await House.with { (house) async throws in
            var (person, made) = try await signedUp(house)
            person.bearer = "x"
            #expect(try await person.send(.get("/api/me")).status == 401)
            #expect(try await person.post("/register/options", [:]).status == 401)
            person.bearer = made.string("token")
            person.origin = nil
            #expect(try await person.post("/register/options", [:]).status == 200, "no cookie is used")
            // Signing the token's session out leaves a cookie of another session alone.
            var second = Person(house)
            second.authenticator = person.authenticator
            let again = try await second.signIn()
            person.cookie = "\(session)=" + (again.cookieValue(session) ?? "")
            #expect(try await person.post("/api/logout", [:]).status == 204)
            person.bearer = nil
            #expect(try await person.send(.get("/api/me")).status == 200)
        }
    }

    @Test("Cookies are read from every field, and another cookie of that name elsewhere does not hide ours")
    func reading() async throws {
        try await House.with { (house) async throws in
            let (person, _) = try await signedUp(house)
            let cookie = try #require(person.cookie)
            func status(_ lines: [String]) async throws -> Int {
                try await house.send(lines.reduce(Ask.get("/api/me")) { $0.with("Cookie", $1) }).status
            }
            #expect(try await status(["a=1; \(cookie); b=2"]) == 200)
            #expect(try await status(["a=1;\(cookie)"]) == 200)
            #expect(try await status(["a=1", cookie]) == 200)
            #expect(try await status(["x\(cookie)"]) == 401)
            #expect(try await status([cookie + "x"]) == 401)
            #expect(try await status(["\(session)="]) == 401)
            #expect(try await status([session]) == 401)
            #expect(try await status([";;;=;"]) == 401)
        }
    }

    @Test("Signing out takes any proof or none, ends the session with its tokens, and clears the cookie")
    func signingOut() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.register("ana@example.com")
            let made = try await person.signIn(scope: "offline_access")
            let refresh: JSONObject = [
                "grant_type": "refresh_token", "client_id": person.clientID,
                "refresh_token": made["refresh_token"] ?? nil,
            ]
            person.cookie = "\(session)=" + (made.cookieValue(session) ?? "")
            let out = try await person.send(.raw("/api/logout", [], type: nil))
            #expect(out.status == 204)
            #expect(out.cookie(session) == "\(session)=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0")
            #expect(out.header("cache-control") == "no-store")
            #expect(try await person.send(.get("/api/me")).status == 401)
            person.cookie = nil
            person.bearer = made.string("token")
            #expect(try await person.send(.get("/api/me")).status == 401, "the token's session is over")
            #expect(try await house.send(.json("/oauth/token", refresh)).reason == "refresh_token_invalid")
            person.bearer = nil
            #expect(try await person.send(.raw("/logout", [], type: nil)).status == 204)
        }
    }
}
