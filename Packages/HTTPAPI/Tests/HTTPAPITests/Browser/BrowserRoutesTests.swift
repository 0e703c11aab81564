import Encodings
import Identity
import SoftwareAuthenticator
import Testing

@testable import HTTPAPI

@Suite("12: the browser and React Native API")
struct BrowserRoutesTests {
    private let session = "__Host-pk_session"

    @Test("The client is the one that is named, or the tenant's default")
    func clients() async throws {
        try await House.with { (house) async throws in
            let missing = try await house.send(.json("/login/options", [:]))
            expect(missing, 400, "invalid_request", "Missing required parameter: client_id", "missing_parameter")
            let unknown = try await house.send(.json("/login/options", ["client_id": "x"]))
            expect(unknown, 401, "invalid_client", "Unknown client", "unknown_client")
            house.change { $0.settings.defaultBrowserClient = house.app.id }
            #expect(try await house.send(.json("/login/options", [:])).status == 200)
            #expect(try await house.send(.json("/login/options", ["client_id": nil])).status == 200)
            #expect(try await house.send(.json("/login/options", ["client_id": "x"])).status == 401)
            #expect(try await house.send(.json("/login/options", ["client_id": 1])).reason == "invalid_parameter")
        }
    }

    @Test("A third-party client has no way in, at the beginning or at the end")
    func thirdParty() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.register("ana@example.com")
            let options = try await person.post("/login/options", [:])
            let answer = try person.authenticator.get(options.json, origin: House.webOrigin)
            let (native, response) = try await person.begin()
            house.change { $0.client = { $0.isFirstParty = false } }
            for path in ["/register/options", "/login/options"] {
                let refused = try await person.post(path, ["username": "b@example.com"])
                #expect(refused.reason == "client_not_first_party", "\(refused)")
            }
            let verify = try await person.post("/login/verify", answer, session: options.string("challenge"))
            #expect(verify.status == 400 && verify.reason == "client_not_first_party", "\(verify)")
            let token = try await person.send(.json("/oauth/token", person.redemption(native, response)))
            #expect(token.status == 400 && token.reason == "client_not_first_party", "\(token)")
        }
    }

    @Test("A made-up list has the look of a real one, is stable, and its ids answer like a wrong signature")
    func decoys() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.register("ana@example.com")
            var shapes: [[String]] = []
            for name in ["ana@example.com", "nobody@example.com", "+46700000001", "nobody", "?", ""] {
                let one = try await person.post("/login/options", ["username": .string(name)])
                let two = try await person.post("/login/options", ["username": .string(name)])
                #expect(one.status == 200, "\(name) \(one)")
                #expect(one["allowCredentials"] == two["allowCredentials"], "\(name)")
                let list = try #require(one["allowCredentials"]?.array)
                #expect((1...2).contains(list.count))
                for entry in list {
                    #expect(entry.object?.members.map(\.name) == ["type", "id", "transports"], "\(entry)")
                }
                shapes.append(one.json.members.map(\.name) + one.fields)
            }
            #expect(Set(shapes).count == 1, "members and headers are the same for all")
            // A made-up id and a real one of somebody else, each signed by a key of one's own.
            let decoy = try await person.post("/login/options", ["username": "nobody@example.com"])
            let real = try await person.post("/login/options", ["username": "ana@example.com"])
            var answers: [Answer] = []
            for options in [decoy, real] {
                let id = try #require(options["allowCredentials"]?.array?.first?.object?["id"]?.string)
                var forger = Person(house)
                forger.authenticator = person.authenticator
                var response = try forger.authenticator.get(
                    options.json.with("allowCredentials", []),
                    origin: House.webOrigin,
                    fault: .signatureByOtherKey
                )
                response["id"] = .string(id)
                response["rawId"] = .string(id)
                answers.append(try await forger.post("/login/verify", response, session: options.string("challenge")))
            }
            #expect(answers[0].status == 400)
            #expect(answers[0].json.with("trace_id", "") == answers[1].json.with("trace_id", ""))
            #expect(answers[0].fields == answers[1].fields)
        }
    }

    @Test("Without lists the answer is the same for all names, and the name still binds")
    func unlisted() async throws {
        try await House.with({ $0.settings.listAllowCredentials = false }) { (house) async throws in
            var ana = Person(house)
            var bob = Person(house)
            _ = try await ana.register("ana@example.com")
            _ = try await bob.register("bob@example.com")
            let options = try await ana.post("/login/options", ["username": "ana@example.com"])
            #expect(options["allowCredentials"] == [])
            let wrong = try bob.authenticator.get(options.json, origin: House.webOrigin)
            let refused = try await bob.post("/login/verify", wrong, session: options.string("challenge"))
            #expect(refused.reason == "signature_invalid", "\(refused)")
            #expect(try await ana.signIn("ana@example.com").status == 200)
        }
    }

    @Test("Hidden reasons: which check failed is told to the log alone")
    func hiddenReasons() async throws {
        try await House.with({ $0.settings.hidePasskeyReasons = true }) { (house) async throws in
            var person = Person(house)
            _ = try await person.register("ana@example.com")
            let refused = try await person.signIn(fault: .originWrong)
            #expect(refused.status == 400)
            #expect(refused.reason == nil)
            #expect(refused.string("trace_id") != nil)
            #expect(house.log.last?.reason == "origin_mismatch")
            let (session, answer) = try await person.begin(fault: .challengeWrong)
            let token = try await person.send(.json("/oauth/token", person.redemption(session, answer)))
            #expect(token.status == 403 && token.reason == nil && token.string("trace_id") != nil)
            let other = try await person.send(.json("/oauth/token", person.redemption(session, answer)))
            #expect(other.reason == "auth_session_invalid", "what tells nothing of the check stays")
        }
    }

    @Test("Enrolment: for who is signed in, of the same session, and answered like every verify")
    func enrolment() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            let made = try await person.register("ana@example.com")
            person.cookie = "\(session)=" + (made.cookieValue(session) ?? "")
            let options = try await person.post("/register/options", [:])
            #expect(options.status == 200, "\(options)")
            #expect(options["excludeCredentials"]?.array?.count == 1)
            #expect(options["user"]?.object?["name"] == "ana@example.com")
            var second = Authenticator()
            let answer = try second.create(options.json, origin: House.webOrigin)
            let challenge = options.string("challenge")
            var stranger = Person(house)
            #expect(try await stranger.post("/register/verify", answer, session: nil).reason == "auth_session_invalid")
            let again = try await person.post("/register/options", ["username": "ANA@example.com"])
            let added = try await person.post(
                "/register/verify",
                try second.create(again.json, origin: House.webOrigin),
                session: again.string("challenge")
            )
            #expect(added.status == 200, "\(added)")
            #expect(
                added.json.members.map(\.name) == ["verified", "token", "expires_in", "user", "credential", "signals"],
                "\(added)"
            )
            #expect(added.cookie(session) == nil, "the session goes on as it was")
            #expect(challenge != nil)
            // The token is for the session that there was.
            let me = try await house.send(
                Ask.get("/api/me").with("Authorization", "Bearer " + (added.string("token") ?? ""))
            )
            let own = try await person.send(.get("/api/me"))
            #expect(me["session"] == own["session"])
            #expect(me["passkeys"]?.array?.count == 2)
            // A login's ceremony makes no passkey, and a stale proof begins nothing.
            stranger.authenticator = second
            let login = try await stranger.post("/login/options", [:])
            let assertion = try second.get(login.json, origin: House.webOrigin)
            let wrong = try await person.post("/register/verify", assertion, session: login.string("challenge"))
            #expect(wrong.reason == "auth_session_invalid")
            house.pass(seconds: 901)
            let stale = try await person.post("/register/options", [:])
            expect(
                stale,
                401,
                "insufficient_user_authentication",
                "A fresh sign-in is needed",
                "insufficient_user_authentication"
            )
            #expect(
                stale.header("www-authenticate")
                    == "Bearer error=\"insufficient_user_authentication\", max_age=900"
            )
        }
    }

    @Test("A token that another's client was given adds no passkey, whichever client the request names")
    func thirdPartyToken() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            let made = try await person.register("ana@example.com")
            person.bearer = made.string("token")
            person.client = house.backend
            let begun = try await person.post("/register/options", [:])
            #expect(begun.status == 200, "\(begun)")
            let id = house.app.id
            house.change { $0.client = { if $0.id == id { $0.isFirstParty = false } } }
            expect(
                try await person.post("/register/options", [:]),
                400,
                "unauthorized_client",
                "The client is not allowed to use passkeys",
                "client_not_first_party"
            )
            var second = Authenticator()
            let answer = try second.create(begun.json, origin: House.base)
            let late = try await person.post("/register/verify", answer, session: begun.string("challenge"))
            #expect(late.reason == "client_not_first_party", "\(late)")
        }
    }

    @Test("4.5: UV of a passkey counts once it was shown beside another proof in the same session")
    func userVerification() async throws {
        try await House.with { (house) async throws in
            func amr(_ answer: Answer) async throws -> [String] {
                let bearer = "Bearer " + (answer.string("token") ?? "")
                let me = try await house.send(Ask.get("/api/me").with("Authorization", bearer))
                return (me["session"]?.object?["amr"]?.array ?? []).compactMap(\.string)
            }
            // Made by an app that asks for no UV, so that none is proven.
            var old = Person(house)
            old.authenticator.profile.verifiesWhenPreferred = false
            let tokens = try await old.signUp("ana@example.com")
            #expect(try await !amr(try await old.signIn()).contains("mfa"), "alone it proves nothing, however often")
            #expect(try await !amr(try await old.signIn()).contains("mfa"))
            // Another one, whose UV is.
            var new = Person(house)
            new.bearer = tokens.string("access_token")
            #expect(try await new.register(nil).status == 200)
            new.bearer = nil
            let proof = try await new.signIn()
            #expect(try await amr(proof).contains("mfa"))
            house.pass(seconds: 301)
            old.cookie = "\(session)=" + (proof.cookieValue(session) ?? "")
            _ = try await old.signIn()
            old.cookie = nil
            #expect(try await !amr(try await old.signIn()).contains("mfa"), "the other proof was too old")
            let fresh = try await new.signIn()
            old.cookie = "\(session)=" + (fresh.cookieValue(session) ?? "")
            #expect(try await !amr(try await old.signIn()).contains("mfa"), "not in the login that sets it")
            old.cookie = nil
            #expect(try await amr(try await old.signIn()).contains("mfa"))
        }
    }

    @Test("9.4: a session that a password began makes the first passkey without asking, and no other does")
    func upgrade() async throws {
        try await House.with { (house) async throws in
            let conditional: JSONObject = ["mediation": "conditional"]
            house.change { $0.options = { $0.passkey.stored["upgrade_without_notice"] = true } }
            var person = Person(house)
            let made = try await person.register("bo@example.com")
            person.bearer = made.string("token")
            let refused = try await person.post("/register/options", conditional)
            expect(refused, 403, "access_denied", "No passkey upgrade is offered", "upgrade_not_offered")

            person.bearer = nil
            person.authenticator = Authenticator()
            try await person.signUpWithPassword("ana@example.com")
            let tokens = try await person.signInWithPassword("ana@example.com")
            let offer = try #require(tokens["passkey_upgrade"]?.object, "\(tokens)")
            #expect(
                offer.members.map(\.name)
                    == ["eligible", "has_passkey", "auth_session", "authn_params_public_key", "mediation"]
            )
            #expect(offer["eligible"] == true && offer["has_passkey"] == false && offer["mediation"] == "conditional")
            person.bearer = tokens.string("access_token")
            // What the user was asked for has to show that somebody was there.
            let asked = try await person.register(nil, fault: .userPresenceMissing)
            #expect(asked.status == 400 && asked.reason == "user_presence_missing", "\(asked)")
            let options = try #require(offer["authn_params_public_key"]?.object)
            let selection = options["authenticatorSelection"]?.object
            #expect(selection?["userVerification"] == "preferred" && options["excludeCredentials"] == [], "\(options)")
            let answer = try person.authenticator.create(options, origin: House.webOrigin, conditional: true)
            let upgraded = try await person.post("/register/verify", answer, session: offer["auth_session"]?.string)
            #expect(upgraded.status == 200, "\(upgraded)")
            let again = try await person.post("/register/options", conditional)
            #expect(again.reason == "upgrade_not_offered", "\(again)")
            person.bearer = nil
            #expect(try await person.signIn().status == 200)
            #expect(try await person.signInWithPassword("ana@example.com")["passkey_upgrade"] == nil)
        }
    }

    @Test("9.4: begun anew, an offer's ceremony voids the one before; after five minutes there is none")
    func upgradeAnew() async throws {
        try await House.with { (house) async throws in
            let conditional: JSONObject = ["mediation": "conditional"]
            house.change { $0.options = { $0.passkey.stored["upgrade_without_notice"] = true } }
            var person = Person(house)
            try await person.signUpWithPassword("cy@example.com")
            let tokens = try await person.signInWithPassword("cy@example.com")
            let offer = try #require(tokens["passkey_upgrade"]?.object, "\(tokens)")
            person.bearer = tokens.string("access_token")
            let anew = try await person.post("/register/options", conditional)
            #expect(anew.status == 200, "\(anew)")
            let options = try #require(offer["authn_params_public_key"]?.object)
            let late = try person.authenticator.create(options, origin: House.webOrigin, conditional: true)
            let void = try await person.post("/register/verify", late, session: offer["auth_session"]?.string)
            #expect(void.reason == "auth_session_invalid", "\(void)")
            house.pass(seconds: 301)
            #expect(try await person.post("/register/options", conditional).reason == "upgrade_not_offered")
        }
    }

    @Test("9.4: the answer to a password says nothing of an upgrade where the connection does not want it")
    func upgradeOff() async throws {
        try await House.with { (house) async throws in
            house.change { $0.options = { $0.passkey.progressiveEnrollment = false } }
            let person = Person(house)
            try await person.signUpWithPassword("dan@example.com")
            let answer = try await person.signInWithPassword("dan@example.com")
            #expect(answer.status == 200 && answer["passkey_upgrade"] == nil)
        }
    }

    @Test("Signed in, the name must be one's own; mediation is refused without an offer")
    func names() async throws {
        try await House.with { (house) async throws in
            var ana = Person(house)
            var bob = Person(house)
            let made = try await ana.register("ana@example.com")
            _ = try await bob.register("bob@example.com")
            ana.bearer = made.string("token")
            for name in ["bob@example.com", "new@example.com", "?"] {
                let refused = try await ana.post("/register/options", ["username": .string(name)])
                #expect(refused.reason == "invalid_identifier", "\(refused)")
            }
            for (person, name) in [(ana, "ana@example.com"), (Person(house), "x@example.com")] {
                let refused = try await person.post(
                    "/register/options",
                    ["username": .string(name), "mediation": "conditional"]
                )
                expect(refused, 403, "access_denied", "No passkey upgrade is offered", "upgrade_not_offered")
            }
            expect(
                try await Person(house).post("/register/options", [:]),
                400,
                "invalid_request",
                "Missing required user_profile attribute: username",
                "missing_identifier"
            )
        }
    }

    @Test("A 401 always says how to authenticate")
    func challenges() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.register("ana@example.com")
            let unknown = try await person.signIn(fault: .credentialUnknown)
            expect(unknown, 401, "invalid_grant", "Unknown passkey", "unknown_credential")
            #expect(unknown.header("www-authenticate") == "Bearer realm=\"https://login.example.com\"")
            let me = try await house.send(.get("/api/me"))
            expect(me, 401, "invalid_token", "Not signed in", "no_session")
            #expect(me.header("www-authenticate") == "Bearer realm=\"https://login.example.com\"")
        }
    }
}
