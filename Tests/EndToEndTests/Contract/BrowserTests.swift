import COSE
import Cryptography
import Encodings
import Foundation
import SoftwareAuthenticator
import Testing

/// A browser or an app at the API of section 12: it keeps cookies, and sends an origin.
struct Visitor {
    let app: App
    var origin: String?
    var cookies: [String: String] = [:]
    var bearer: String?
    var authenticator = Authenticator()
    /// Whether the ceremony's session goes in the header, or is left to the cookie.
    var sendsSession = true

    init(_ app: App, origin: String? = nil) {
        self.app = app
        self.origin = origin
    }

    mutating func send(_ request: Request) async throws -> Response {
        var request = request
        if let origin { request = request.with("Origin", origin) }
        if let bearer { request = request.with("Authorization", "Bearer \(bearer)") }
        if !cookies.isEmpty {
            let line = cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
            request = request.with("Cookie", line)
        }
        let response = try await app.site.send(request)
        for name in ["pk_session", "__Host-pk_session", "pk_ceremony"] {
            guard let value = response.cookie(name) else { continue }
            cookies[name] = value.isEmpty ? nil : value
        }
        return response
    }

    mutating func post(_ path: String, _ body: JSONObject, session: String? = nil) async throws -> Response {
        var request = Request.json(path, body)
        if let session, sendsSession { request = request.with("X-Auth-Session", session) }
        return try await send(request)
    }

    var client: JSONObject { ["client_id": .string(app.id)] }

    mutating func register(_ username: String?, _ more: JSONObject = [:], fault: Fault? = nil) async throws -> Response
    {
        var body = client.merging(more)
        if let username { body["username"] = .string(username) }
        let options = try await post("/register/options", body)
        guard options.status == 200 else { return options }
        let answer = try authenticator.create(options.json, origin: origin ?? app.site.origin, fault: fault)
        return try await post("/register/verify", answer.merging(client), session: options.header("x-auth-session"))
    }

    mutating func signIn(_ body: JSONObject = [:], scope: String? = nil, fault: Fault? = nil) async throws -> Response {
        let options = try await post("/login/options", client.merging(body))
        guard options.status == 200 else { return options }
        let answer = try authenticator.get(options.json, origin: origin ?? app.site.origin, fault: fault)
        var verify = answer.merging(client)
        if let scope { verify["scope"] = .string(scope) }
        return try await post("/login/verify", verify, session: options.header("x-auth-session"))
    }

    mutating func me() async throws -> Response { try await send(.get("/api/me")) }
}

extension ContractTests {
    @Suite("12: the browser and React Native API")
    struct Browser {
        let world: ContractWorld
        private let webOrigin = "https://app.acme.example"

        init() throws { world = try .current }

        private func browser() -> Visitor { Visitor(world.web, origin: webOrigin) }

        @Test("With a cookie: sign up, who am I, sign out, sign in")
        func cookies() async throws {
            var browser = browser()
            let email = uniqueEmail()
            let made = try await browser.register(email, ["displayName": "Ana"])
            #expect(made.status == 200, "\(made)")
            #expect(made["verified"] == true)
            #expect(made["user"]?.object?["username"] == .string(email))
            #expect(made["user"]?.object?["displayName"] == "Ana")
            let credential = try #require(made["credential"]?.object)
            #expect(credential.names == ["id", "deviceType", "backedUp", "transports", "aaguid"])
            #expect(credential["deviceType"] == "multiDevice")
            #expect(credential["backedUp"] == true)
            #expect(made["refresh_token"] == nil)
            let line = try #require(made.values(of: "set-cookie").first { $0.hasPrefix("__Host-pk_session=") })
            for attribute in ["Path=/", "HttpOnly", "SameSite=Lax", "Secure"] { #expect(line.contains(attribute)) }
            #expect(!line.contains("Max-Age") && !line.contains("Domain"))

            let me = try await browser.me()
            #expect(me.status == 200, "\(me)")
            #expect(me["user"]?.object?["email"] == .string(email))
            #expect(me["session"]?.object?["amr"]?.array?.contains("phr") == true)
            #expect(me["passkeys"]?.array?.count == 1)
            #expect(me.header("access-control-allow-credentials") == "true")

            let old = browser.cookies
            let again = try await browser.signIn()
            #expect(again.status == 200)
            #expect(browser.cookies["__Host-pk_session"] != old["__Host-pk_session"])
            var stale = browser
            stale.cookies = old
            #expect(try await stale.me().status == 401, "the old value is dead at once")

            let out = try await browser.post("/api/logout", [:])
            #expect(out.status == 204)
            #expect(browser.cookies["__Host-pk_session"] == nil)
            let nobody = try await browser.me()
            #expect(nobody.status == 401)
            expect(nobody, is: Refusal(401, "invalid_token", "Not signed in", "no_session"))
            #expect(nobody.header("www-authenticate") != nil)
            #expect(try await browser.post("/logout", [:]).status == 204, "without a session too")
        }

        @Test("Without a web origin: a token, and the session ends at once with it")
        func bearer() async throws {
            var app = Visitor(world.app)
            let made = try await app.register(uniqueEmail())
            #expect(made.status == 200)
            #expect(made.values(of: "set-cookie").allSatisfy { !$0.hasPrefix("__Host-pk_session=") })
            app.cookies = [:]
            app.bearer = try made.token("token")
            #expect(try await app.me().status == 200)
            app.bearer = nil
            let offline = try await app.signIn(scope: "openid offline_access")
            #expect(try await world.app.refresh(try offline.token("refresh_token")).status == 200)
            app.cookies = [:]
            app.bearer = try offline.token("token")
            #expect(try await app.post("/api/logout", [:]).status == 204)
            #expect(try await app.me().status == 401)
            app.bearer = try made.token("token")
            #expect(try await app.me().status == 200, "another session goes on")
        }

        @Test("The options have all members of Level 3")
        func options() async throws {
            var browser = browser()
            let creation = try await browser.post(
                "/register/options",
                browser.client.merging(["username": .string(uniqueEmail())])
            )
            #expect(
                creation.json.names
                    == [
                        "rp", "user", "challenge", "pubKeyCredParams", "timeout", "excludeCredentials",
                        "authenticatorSelection", "hints", "attestation", "extensions",
                    ]
            )
            #expect(creation["timeout"] == 300000)
            #expect(creation["attestation"] == "none")
            #expect(creation["extensions"] == ["credProps": true])
            #expect(creation["excludeCredentials"] == [])
            #expect(
                creation["authenticatorSelection"]
                    == ["residentKey": "required", "requireResidentKey": true, "userVerification": "required"]
            )
            #expect(creation.header("x-auth-session") == creation.string("challenge"))
            let cookie = try #require(creation.values(of: "set-cookie").first { $0.hasPrefix("pk_ceremony=") })
            for attribute in ["HttpOnly", "SameSite=Strict", "Max-Age="] { #expect(cookie.contains(attribute)) }
            let request = try await browser.post("/login/options", browser.client)
            #expect(
                request.json.names
                    == ["challenge", "timeout", "rpId", "allowCredentials", "userVerification", "hints", "extensions"]
                    || request.json.names == [
                        "challenge", "timeout", "rpId", "allowCredentials", "userVerification", "hints",
                    ]
            )
            #expect(request["allowCredentials"] == [])
        }

        @Test("The ceremony is found by body, header, cookie, or the challenge that was signed")
        func findingTheCeremony() async throws {
            for way in ["body", "wrapped", "credential", "header", "cookie", "challenge"] {
                var browser = browser()
                let options = try await browser.post(
                    "/register/options",
                    browser.client.merging(["username": .string(uniqueEmail())])
                )
                let answer = try browser.authenticator.create(options.json, origin: webOrigin)
                let session = JSONValue.string(try #require(options.header("x-auth-session")))
                if way != "cookie" { browser.cookies = [:] }
                var body = answer
                switch way {
                case "body": body["auth_session"] = session
                case "wrapped": body = ["response": .object(answer), "auth_session": session]
                case "credential": body = ["credential": .object(answer), "auth_session": session]
                default: break
                }
                let response = try await browser.post(
                    "/register/verify",
                    body.merging(browser.client),
                    session: way == "header" ? session.string : nil
                )
                #expect(response.status == 200, "\(way): \(response)")
            }
        }

        @Test("A cookie from another site, or with another content type, is refused")
        func crossSite() async throws {
            var browser = browser()
            try #require(try await browser.register(uniqueEmail()).status == 200)
            for origin in [nil, "https://evil.example", "https://a.wild.acme.example", "null"] {
                var elsewhere = browser
                elsewhere.origin = origin
                for path in ["/register/options", "/login/options", "/api/logout"] {
                    expect(try await elsewhere.post(path, browser.client), is: .crossSite)
                }
                #expect(try await elsewhere.me().status == 200, "reading is CORS's business")
            }
            var form = browser
            let plain = Request.raw("/api/logout", Array("x=1".utf8), type: "text/plain")
            expect(try await form.send(plain), is: .crossSite)
            var sameOrigin = browser
            sameOrigin.origin = nil
            let request = Request.json("/login/options", browser.client).with("Sec-Fetch-Site", "same-origin")
            #expect(try await sameOrigin.send(request).status == 200)
            #expect(try await browser.me().status == 200, "nobody was signed out")
        }

        @Test("An app whose HTTP client keeps cookies has no origin, and names its ceremony itself")
        func appWithCookies() async throws {
            var app = Visitor(world.app)
            let made = try await app.register(uniqueEmail())
            #expect(made.status == 200, "\(made)")
            let options = try await app.post("/login/options", app.client)
            #expect(app.cookies["pk_ceremony"] != nil)
            let answer = try app.authenticator.get(options.json, origin: world.acme.origin).merging(app.client)
            expect(try await app.post("/login/verify", answer), is: .crossSite, extra: ["verified"])
            let session = options.header("x-auth-session")
            #expect(try await app.post("/login/verify", answer, session: session).status == 200)
        }

        @Test("Refusals: 400 with verified false, policy 403, what exists 409")
        func refusals() async throws {
            var browser = browser()
            let email = uniqueEmail()
            try #require(try await browser.register(email).status == 200)
            var other = Visitor(world.web, origin: webOrigin)
            expect(
                try await other.register(email),
                is: Refusal(409, "invalid_request", "The user already exists", "user_exists")
            )
            let extra: Set = ["verified", "trace_id"]
            func refused(_ reason: String) -> Refusal {
                Refusal(400, "invalid_grant", "Passkey verification failed", reason)
            }
            for (fault, refusal) in [
                (Fault.challengeWrong, refused("challenge_mismatch")), (.originWrong, refused("origin_mismatch")),
                (.rpIDWrong, refused("rp_id_mismatch")),
                (.userVerificationMissing, refused("user_verification_missing")),
                (.signatureWrong, refused("signature_invalid")),
                (.idsDiffer, Refusal(400, "invalid_request", "Invalid authn_response", "invalid_authn_response")),
                (.credentialUnknown, Refusal(401, "invalid_grant", "Unknown passkey", "unknown_credential")),
            ] {
                var copy = browser
                let response = try await copy.signIn(fault: fault)
                expect(response, is: refusal, extra: extra)
                #expect(response["verified"] == false)
            }
            let session = try await other.post(
                "/login/verify",
                other.client.merging(["auth_session": "x", "response": ["a": 1]])
            )
            expect(
                session,
                is: Refusal(400, "invalid_grant", "Invalid or expired auth_session", "auth_session_invalid"),
                extra: ["verified"]
            )
            var thief = other
            thief.authenticator = browser.authenticator
            let options = try await thief.post(
                "/register/options",
                thief.client.merging(["username": .string(uniqueEmail())])
            )
            let answer = try thief.authenticator.create(options.json, origin: webOrigin, fault: .credentialExists)
            expect(
                try await thief.post(
                    "/register/verify",
                    answer.merging(thief.client),
                    session: options.header("x-auth-session")
                ),
                is: Refusal(409, "invalid_grant", "The passkey is already registered", "credential_exists"),
                extra: extra
            )
            let conditional = try await other.post(
                "/register/options",
                other.client.merging(["username": .string(uniqueEmail()), "mediation": "conditional"])
            )
            expect(
                conditional,
                is: Refusal(403, "access_denied", "No passkey upgrade is offered", "upgrade_not_offered")
            )
        }

        @Test("Autofill: a conditional login needs no name")
        func autofill() async throws {
            var browser = browser()
            try #require(try await browser.register(uniqueEmail()).status == 200)
            let response = try await browser.signIn(["mediation": "conditional"])
            #expect(response.status == 200)
        }

        @Test("Names cannot be probed: an unknown one has a stable list of the same look")
        func decoys() async throws {
            let email = uniqueEmail()
            var browser = browser()
            try #require(try await browser.register(email).status == 200)
            func list(_ name: String) async throws -> [JSONObject] {
                var visitor = self.browser()
                let response = try await visitor.post(
                    "/login/options",
                    visitor.client.merging(["username": .string(name)])
                )
                #expect(response.status == 200)
                return response["allowCredentials"]?.array?.compactMap(\.object) ?? []
            }
            let real = try await list(email)
            #expect(real.count == 1)
            let unknown = uniqueEmail()
            let made = try await list(unknown)
            #expect(!made.isEmpty)
            #expect(try await list(unknown) == made)
            #expect(try await list(unknown.uppercased()) == made)
            #expect(try await list(uniqueEmail()) != made)
            for descriptor in made {
                #expect(descriptor.names == real[0].names)
                #expect(descriptor["type"] == "public-key")
                let id = try #require(descriptor["id"]?.string)
                #expect(try Base64URL.decode(id).count >= 16)
            }
        }

        @Test("A made-up id answers like a real one with a wrong signature, at every endpoint")
        func madeUpIDs() async throws {
            let email = uniqueEmail()
            var owner = browser()
            try #require(try await owner.register(email).status == 200)
            let realID = try #require(owner.authenticator.credentials.first)
            var anonymous = browser()
            let decoys = try await anonymous.post(
                "/login/options",
                anonymous.client.merging(["username": .string(uniqueEmail())])
            )
            let decoyText = try #require(decoys["allowCredentials"]?.array?.first?.object?["id"]?.string)
            let decoyID = try Base64URL.decode(decoyText)

            func forged(_ id: [UInt8]) throws -> Authenticator {
                Authenticator(
                    credentials: [
                        SoftwareCredential(
                            id: id,
                            rpID: "acme.example",
                            userHandle: realID.userHandle,
                            algorithm: .es256,
                            key: try .generate(.p256)
                        )
                    ]
                )
            }
            for id in [decoyID, realID.id] {
                // The token endpoint, where nothing was listed.
                var native = try forged(id)
                let begun = try await world.app.challenge()
                let answer = try native.get(begun.options, origin: world.acme.origin)
                expect(try await world.app.redeem(begun, answer), isCeremony: .verification("signature_invalid"))
                // Section 12 without a name.
                var visitor = browser()
                visitor.authenticator = try forged(id)
                expect(
                    try await visitor.signIn(),
                    is: Refusal(400, "invalid_grant", "Passkey verification failed", "signature_invalid"),
                    extra: ["verified", "trace_id"]
                )
            }
            // Section 12 with a name: the real user's list and the made-up one.
            for (name, id) in [(email, realID.id), (String?.none, decoyID)] {
                var visitor = browser()
                visitor.authenticator = try forged(id)
                let options =
                    name == nil
                    ? decoys
                    : try await visitor.post("/login/options", visitor.client.merging(["username": .string(email)]))
                let answer = try visitor.authenticator.get(options.json, origin: webOrigin)
                expect(
                    try await visitor.post(
                        "/login/verify",
                        answer.merging(visitor.client),
                        session: options.header("x-auth-session")
                    ),
                    is: Refusal(400, "invalid_grant", "Passkey verification failed", "signature_invalid"),
                    extra: ["verified", "trace_id"]
                )
            }
        }

        @Test("A ceremony begun with a name signs in that user or nobody")
        func namedUser() async throws {
            let email = uniqueEmail()
            var one = browser()
            try #require(try await one.register(email).status == 200)
            var two = browser()
            try #require(try await two.register(uniqueEmail()).status == 200)
            two.cookies = [:]
            let options = try await two.post("/login/options", two.client.merging(["username": .string(email)]))
            let bare = options.json.merging(["allowCredentials": []])
            let answer = try two.authenticator.get(bare, origin: webOrigin)
            expect(
                try await two.post(
                    "/login/verify",
                    answer.merging(two.client),
                    session: options.header("x-auth-session")
                ),
                is: Refusal(400, "invalid_grant", "Passkey verification failed", "signature_invalid"),
                extra: ["verified", "trace_id"]
            )
            #expect(try await one.signIn(["username": .string(email)]).status == 200)
        }

        @Test("Signed in: another passkey for the same user, with a fresh proof")
        func enrolment() async throws {
            var browser = browser()
            let email = uniqueEmail()
            try #require(try await browser.register(email).status == 200)
            let firstID = try #require(browser.authenticator.credentials.first?.id)
            let handle = try #require(browser.authenticator.credentials.first?.userHandle)
            let options = try await browser.post("/register/options", browser.client)
            #expect(options.status == 200, "\(options)")
            let excluded = options["excludeCredentials"]?.array?.compactMap { $0.object?["id"]?.string }
            #expect(excluded == [Base64URL.encode(firstID)])
            #expect(options["user"]?.object?["id"] == .string(Base64URL.encode(handle)), "one handle for life")
            var second = browser
            second.authenticator = Authenticator(.securityKey)
            let added = try await second.register(nil)
            #expect(added.status == 200, "\(added)")
            #expect(added["credential"]?.object?["deviceType"] == "singleDevice")
            #expect(try await browser.me()["passkeys"]?.array?.count == 2)
            second.cookies = [:]
            #expect(try await second.signIn().status == 200)
            let foreign = try await browser.post(
                "/register/options",
                browser.client.merging(["username": .string(uniqueEmail())])
            )
            #expect(foreign.status >= 400, "a name has to be the user's own")
        }

        @Test("An enrolment without a fresh proof is refused, and so is one too many")
        func staleProof() async throws {
            var stale = Visitor(world.short, origin: world.short.site.origin)
            try #require(try await stale.register(uniqueEmail()).status == 200)
            try await Task.sleep(for: .milliseconds(1300))
            var response = try await stale.post("/register/options", stale.client)
            // On a busy machine the short session may be over too: once more then.
            for _ in 0..<5 where response.status != 401 {
                stale = Visitor(world.short, origin: world.short.site.origin)
                try #require(try await stale.register(uniqueEmail()).status == 200)
                try await Task.sleep(for: .milliseconds(1300))
                response = try await stale.post("/register/options", stale.client)
            }
            #expect(response.status == 401, "\(response)")
            #expect(response.string("error") == "insufficient_user_authentication")
            #expect(response.string("reason") == "insufficient_user_authentication")
            #expect(
                response.header("www-authenticate")?.contains("error=\"insufficient_user_authentication\", max_age=1")
                    == true
            )
            var full = Visitor(world.oneKey, origin: world.oneKey.site.origin)
            try #require(try await full.register(uniqueEmail()).status == 200)
            expect(
                try await full.post("/register/options", full.client),
                is: Refusal(400, "invalid_request", "Too many passkeys", "too_many_passkeys")
            )
        }

        @Test("An expired session is nobody's")
        func expiredSession() async throws {
            var visitor = Visitor(world.short, origin: world.short.site.origin)
            let made = try await visitor.register(uniqueEmail())
            try #require(made.status == 200)
            #expect(try await visitor.me().status == 200)
            try await Task.sleep(for: .milliseconds(5400))
            expect(try await visitor.me(), is: Refusal(401, "invalid_token", "Not signed in", "no_session"))
            visitor.cookies = [:]
            visitor.bearer = try made.token("token")
            expect(try await visitor.me(), is: Refusal(401, "invalid_token", "Not signed in", "no_session"))
        }

        @Test("Sign-up and sign-in by e-mail address, phone number and user name")
        func identifiers() async throws {
            let digits = String(UInt32.random(in: 10_000_000...99_999_999))
            for name in [uniqueEmail(), "+4670\(digits)", unique("n")] {
                var visitor = Visitor(world.names, origin: world.names.site.origin)
                let made = try await visitor.register(name)
                #expect(made.status == 200, "\(name): \(made)")
                #expect(made["user"]?.object?["username"] == .string(name))
                visitor.cookies = [:]
                let used = try await visitor.signIn(["username": .string(name)])
                #expect(used.status == 200, "\(name): \(used)")
                var upper = visitor
                upper.cookies = [:]
                #expect(try await upper.signIn(["username": .string(name.uppercased())]).status == 200)
            }
            for wrong in ["", "a b", "+12345678901234567", "@", "a@", String(repeating: "x", count: 16)] {
                var visitor = Visitor(world.names, origin: world.names.site.origin)
                let response = try await visitor.register(wrong)
                #expect(response.status == 400, "\(wrong)")
                #expect(
                    ["invalid_identifier", "missing_identifier"].contains(response.string("reason") ?? ""),
                    "\(wrong): \(response)"
                )
            }
        }

        @Test("On plain loopback the cookie has its plain name, with no Secure")
        func loopbackCookie() async throws {
            var visitor = Visitor(world.local, origin: world.local.site.origin)
            let made = try await visitor.register(uniqueEmail())
            #expect(made.status == 200, "\(made)")
            let line = try #require(made.values(of: "set-cookie").first { $0.hasPrefix("pk_session=") })
            #expect(!line.contains("Secure") && line.contains("HttpOnly") && line.contains("SameSite=Lax"))
            #expect(try await visitor.me().status == 200)
        }

        @Test("Two spellings of one name are one account")
        func spellings() async throws {
            let stem = unique()
            var visitor = Visitor(world.names, origin: world.names.site.origin)
            try #require(try await visitor.register("\(stem)\u{FC}k@example.com").status == 200)
            for spelling in [
                "\(stem)u\u{308}k@example.com", "  \(stem.uppercased())\u{DC}\u{212A}@EXAMPLE.com ",
                "\(stem)\u{FC}\u{FF4B}@example.com",
            ] {
                var other = Visitor(world.names, origin: world.names.site.origin)
                let second = try await other.register(spelling)
                #expect(second.string("reason") == "user_exists", "\(spelling): \(second)")
                var same = visitor
                same.cookies = [:]
                #expect(try await same.signIn(["username": .string(spelling)]).status == 200)
            }
        }
    }
}
