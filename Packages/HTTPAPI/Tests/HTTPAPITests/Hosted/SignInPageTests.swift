import Encodings
import Identity
import SoftwareAuthenticator
import Testing
import Tokens

@testable import HTTPAPI

@Suite("8.2: the hosted pages")
struct SignInPageTests {
    @Test("The sign-in page is what password managers read, under a strict policy")
    func login() async throws {
        try await House.with(Surfer.prepare) { house in
            var surfer = Surfer(house)
            let start = try await surfer.authorize(["login_hint": "ana@example.com\"><b>", "ui_locales": "sv"])
            let page = try await surfer.send(.get(try #require(start.header("location"))))
            #expect(page.status == 200 && page.header("content-language") == "sv")
            for part in [
                "<form method=\"post\" action=\"/u/login\"", "autocomplete=\"username webauthn\"",
                "autocomplete=\"current-password\"", "og:site_name", "value=\"ana@example.com&quot;&gt;&lt;b&gt;\"",
                "<html lang=\"sv\">",
            ] { #expect(page.text.contains(part), "\(part)") }
            #expect(page.text.components(separatedBy: "type=\"submit\"") == 2)
            #expect(
                page.header("content-security-policy")
                    == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                    + "connect-src 'self'; form-action 'self' https://app.example.com; frame-ancestors 'none'; "
                    + "base-uri 'none'"
            )
            #expect(page.header("x-frame-options") == "DENY" && page.header("cache-control") == "no-store")
            #expect(
                page.header("permissions-policy")
                    == "publickey-credentials-get=(self), publickey-credentials-create=(self)"
            )
            for (name, type) in [
                ("pages.js", "text/javascript; charset=utf-8"), ("pages.css", "text/css; charset=utf-8"),
                ("form-post.js", "text/javascript; charset=utf-8"), ("icon.svg", "image/svg+xml"),
            ] {
                let asset = try await surfer.send(.get("/u/assets/\(name)"))
                #expect(asset.status == 200 && asset.header("content-type") == type)
            }
            #expect(try await surfer.send(.get("/u/assets/other.js")).status == 404)
            let app = try await surfer.authorize(["redirect_uri": "com.example.app:/callback"])
            let native = try await surfer.send(.get(try #require(app.header("location"))))
            #expect(native.header("content-security-policy")?.contains("form-action 'self' com.example.app:;") == true)
        }
    }

    @Test("A wrong password shows the page again with an alert; the answer is the same for a name that nobody has")
    func wrongPassword() async throws {
        try await House.with(Surfer.prepare) { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            let start = try await surfer.authorize()
            let page = try await surfer.send(.get(try #require(start.header("location"))))
            for name in ["ana@example.com", "nobody@example.com"] {
                let again = try await surfer.submit(page, ["username": name, "password": "wrong"], to: "/u/login")
                #expect(again.status == 400 && again.header("set-cookie") == nil, "\(again)")
                #expect(again.text.contains("role=\"alert\">That name and password do not belong together."))
                #expect(again.text.contains("value=\"\(name)\""))
            }
            let empty = try await surfer.submit(page, ["username": "ana@example.com"], to: "/u/login")
            #expect(empty.status == 400 && empty.text.contains("Something is missing."), "\(empty)")
            let forged = try await surfer.send(
                .form("/u/login", "state=\(page.hiddenFields.first?.1 ?? "")&username=a&password=b")
            )
            #expect(forged.status == 400 && forged.text.contains("Start again"), "\(forged)")
            house.limit(RateLimits())
            var last = page
            for _ in 0..<11 {
                last = try await surfer.submit(page, ["username": "ana@example.com", "password": "no"], to: "/u/login")
            }
            #expect(last.status == 429 && last.header("retry-after") != nil, "\(last)")
        }
    }

    @Test("Each sign-in has a new cookie, and the one before is dead")
    func cookies() async throws {
        try await House.with(Surfer.prepare) { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            _ = try await surfer.signIn("ana@example.com")
            var old = surfer
            house.pass(seconds: 5)
            _ = try await surfer.signIn("ana@example.com", ["prompt": "login"])
            #expect(surfer.cookies["__Host-pk_session"] != old.cookies["__Host-pk_session"])
            #expect(surfer.cookies["__Host-pk_tx"] == old.cookies["__Host-pk_tx"])
            #expect(try await old.authorize(["prompt": "none"]).answered["error"] == "login_required")
            #expect(try await surfer.authorize(["prompt": "none"]).answered["code"] != nil)
        }
    }

    @Test("Somebody new makes an account with a password; a name that is taken tells strangers no more than the API")
    func signUp() async throws {
        try await House.with(Surfer.prepare) { house in
            var surfer = Surfer(house)
            let start = try await surfer.authorize(["screen_hint": "signup"])
            let location = try #require(start.header("location"))
            let page = try await surfer.send(.get(location))
            #expect(page.text.contains("autocomplete=\"new-password\""), "\(page)")
            #expect(page.text.contains("autocomplete=\"username email\""))
            let weak = try await surfer.submit(
                page,
                ["email": "eva@example.com", "password": "x"],
                to: "/u/signup"
            )
            #expect(weak.status == 400 && weak.text.contains("Choose a longer or less common password."), "\(weak)")
            let fields = ["email": "eva@example.com", "password": Person.password]
            let made = try await surfer.submit(page, fields, to: "/u/signup")
            #expect(made.status == 302 && made.header("location")?.hasPrefix("/authorize/resume?") == true, "\(made)")
            let back = try await surfer.send(.get(try #require(made.header("location"))))
            #expect(try await surfer.exchange(back.answered["code"]).status == 200)
            let taken = try await surfer.submit(page, fields, to: "/u/signup")
            #expect(taken.status == 400 && taken.text.contains("No account could be made of this."), "\(taken)")
            house.change { $0.options = { $0.signupDisabled = true } }
            let closed = try await surfer.send(.get(location))
            #expect(closed.status == 400 && closed.text.contains("No new accounts can be made here."), "\(closed)")
        }
    }

    @Test("A passkey is made and used by the calls of the page's script, and only by the page's script")
    func passkeys() async throws {
        try await House.with(Surfer.prepare) { house in
            var surfer = Surfer(house)
            var authenticator = Authenticator()
            let start = try await surfer.authorize(["prompt": "create", "acr_values": "phr"])
            let page = try await surfer.send(.get(try #require(start.header("location"))))
            let script = PageScript(page)
            let profile: JSONObject = ["user_profile": ["email": "eva@example.com"]]
            for (state, token) in [(script.state, "x"), (script.state, nil)] as [(String, String?)] {
                let refused = try await surfer.send(
                    .json("/u/passkey/register/options?state=\(state)", profile).with("X-CSRF-Token", token)
                )
                expect(refused, 403, "forbidden", "Origin not allowed", "csrf")
            }
            let stranger = try await surfer.send(script.call("/u/passkey/register/options", profile, state: "x"))
            expect(stranger, 400, "invalid_request", "Start again", "transaction_invalid")
            let options = try await surfer.send(script.call("/u/passkey/register/options", profile))
            #expect(options.status == 200, "\(options)")
            let made = try authenticator.create(options.json, origin: House.base, fault: nil)
            let session = options.header("x-auth-session")
            // A ceremony of the pages ends there.
            let elsewhere = try await Person(house).post("/register/verify", made, session: session)
            #expect(elsewhere.reason == "auth_session_invalid", "\(elsewhere)")
            let second = try await surfer.send(script.call("/u/passkey/register/options", profile))
            let answer = try authenticator.create(second.json, origin: House.base, fault: nil)
            let verified = try await surfer.send(
                script.call("/u/passkey/register/verify", answer, session: second.header("x-auth-session"))
            )
            #expect(verified.status == 200 && verified["verified"] == true, "\(verified)")
            let back = try await surfer.send(.get("/authorize/resume?state=\(script.state)"))
            let claims = try #require(
                AuthorizeTests.claims(try await surfer.exchange(back.answered["code"]).string("id_token")),
                "\(back)"
            )
            #expect(claims["acr"] == "phr", "\(claims)")
            let taken = try await surfer.send(script.call("/u/passkey/register/options", profile))
            expect(taken, 409, "invalid_request", "The user already exists", "user_exists")

            house.pass(seconds: 60)
            let next = try await surfer.authorize(["prompt": "login", "acr_values": "phr"])
            let again = PageScript(try await surfer.send(.get(try #require(next.header("location")))))
            let challenge = try await surfer.send(
                again.call("/u/passkey/login/options", ["mediation": "conditional"])
            )
            let proof = try authenticator.get(challenge.json, origin: House.base, fault: nil)
            let signedIn = try await surfer.send(
                again.call("/u/passkey/login/verify", proof, session: challenge.header("x-auth-session"))
            )
            #expect(signedIn.status == 200 && signedIn.cookieValue("__Host-pk_session") != nil, "\(signedIn)")
            #expect(try await surfer.send(.get("/authorize/resume?state=\(again.state)")).answered["code"] != nil)
        }
    }

    @Test("After a password a page that says it can is led to the upgrade, once; its answer may lack UP")
    func upgrade() async throws {
        try await House.with({ view in
            Surfer.prepare(&view)
            view.options = { $0.passkey.stored["upgrade_without_notice"] = true }
        }) { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            let start = try await surfer.authorize()
            let page = try await surfer.send(.get(try #require(start.header("location"))))
            let fields = ["username": "ana@example.com", "password": Person.password]
            let plain = try await surfer.submit(page, fields, to: "/u/login")
            #expect(plain.header("location")?.hasPrefix("/authorize/resume?") == true, "\(plain)")
            let able = try await surfer.submit(page, fields.merging(["upgrade": "1"]) { $1 }, to: "/u/login")
            let location = try #require(able.header("location"))
            #expect(location.hasPrefix("/u/upgrade?state="), "\(able)")
            let script = PageScript(try await surfer.send(.get(location)))
            let options = try await surfer.send(
                script.call("/u/passkey/register/options", ["mediation": "conditional"])
            )
            #expect(options.status == 200, "\(options)")
            var authenticator = Authenticator()
            let answer = try authenticator.create(options.json, origin: House.base, fault: .userPresenceMissing)
            let verified = try await surfer.send(
                script.call("/u/passkey/register/verify", answer, session: options.header("x-auth-session"))
            )
            #expect(verified.status == 200, "\(verified)")
            let second = try await surfer.send(
                script.call("/u/passkey/register/options", ["mediation": "conditional"])
            )
            expect(second, 403, "access_denied", "No passkey upgrade is offered", "upgrade_not_offered")
            #expect(try await surfer.send(.get("/authorize/resume?state=\(script.state)")).answered["code"] != nil)
            // Who has one is led to no upgrade.
            let done = try await surfer.submit(page, fields.merging(["upgrade": "1"]) { $1 }, to: "/u/login")
            #expect(done.header("location")?.hasPrefix("/authorize/resume?") == true, "\(done)")
        }
    }

    @Test("Where no passkey comes by itself the page asks for one, and not again for 30 days once somebody refused")
    func question() async throws {
        try await House.with(Surfer.prepare) { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            try await Person(house).signUpWithPassword("eva@example.com")
            var surfer = Surfer(house)
            func signIn(_ surfer: inout Surfer, _ email: String, _ more: [String: String] = ["ask": "1"]) async throws
                -> String
            {
                house.pass(seconds: 5)
                let start = try await surfer.authorize(["prompt": "login"])
                let page = try await surfer.send(.get(try #require(start.header("location"))))
                let fields = ["username": email, "password": Person.password].merging(more) { $1 }
                return try #require(try await surfer.submit(page, fields, to: "/u/login").header("location"))
            }
            #expect(try await signIn(&surfer, "ana@example.com", [:]).hasPrefix("/authorize/resume"))
            let location = try await signIn(&surfer, "ana@example.com")
            #expect(location.hasPrefix("/u/upgrade?state="), "\(location)")
            let page = try await surfer.send(.get(location))
            #expect(page.text.contains("data-kind=\"password\"") && page.text.contains("Not now"), "\(page)")
            let forged = try await surfer.send(.form("/u/upgrade", "state=\(PageScript(page).state)&csrf_token=x"))
            #expect(forged.status == 400 && forged.header("set-cookie") == nil, "\(forged)")
            let later = try await surfer.submit(page, [:], to: "/u/upgrade")
            #expect(later.header("location")?.hasPrefix("/authorize/resume?state=") == true, "\(later)")
            let cookie = try #require(later.values("set-cookie").first { $0.hasPrefix("pk_not_now=") })
            #expect(cookie.hasSuffix("; Path=/u/; HttpOnly; SameSite=Lax; Secure; Max-Age=2592000"), "\(cookie)")
            #expect(!cookie.contains("ana"))
            #expect(try await signIn(&surfer, "ana@example.com").hasPrefix("/authorize/resume"))
            // Somebody else in the same browser is asked, and answers.
            let hers = PageScript(try await surfer.send(.get(try await signIn(&surfer, "eva@example.com"))))
            let options = try await surfer.send(hers.call("/u/passkey/register/options", [:]))
            #expect(options.status == 200, "\(options)")
            var authenticator = Authenticator()
            let made = try authenticator.create(options.json, origin: House.base)
            let session = options.header("x-auth-session")
            let verified = try await surfer.send(hers.call("/u/passkey/register/verify", made, session: session))
            #expect(verified.status == 200, "\(verified)")
            #expect(try await signIn(&surfer, "eva@example.com").hasPrefix("/authorize/resume"))
            // Another browser knows nothing of the refusal; where the tenant does not want it, nobody is asked.
            var other = Surfer(house)
            #expect(try await signIn(&other, "ana@example.com").hasPrefix("/u/upgrade"))
            house.change { $0.options = { $0.passkey.progressiveEnrollment = false } }
            #expect(try await signIn(&other, "ana@example.com").hasPrefix("/authorize/resume"))
        }
    }

    @Test("After a passkey of a phone beside it a device may have one of its own")
    func ownPasskey() async throws {
        try await House.with(Surfer.prepare) { house in
            var person = Person(house)
            _ = try await person.signUp("ana@example.com")
            var surfer = Surfer(house)
            func signIn(_ attachment: JSONValue) async throws -> (Answer, PageScript) {
                house.pass(seconds: 5)
                let start = try await surfer.authorize(["prompt": "login"])
                let script = PageScript(try await surfer.send(.get(try #require(start.header("location")))))
                let options = try await surfer.send(script.call("/u/passkey/login/options", [:]))
                var proof = try person.authenticator.get(options.json, origin: House.base)
                proof["authenticatorAttachment"] = attachment
                let session = options.header("x-auth-session")
                return (try await surfer.send(script.call("/u/passkey/login/verify", proof, session: session)), script)
            }
            let (local, _) = try await signIn("platform")
            #expect(local.status == 200 && local["offers_passkey"] == nil, "\(local)")
            let (phone, script) = try await signIn("cross-platform")
            #expect(phone["offers_passkey"] == true, "\(phone)")
            let page = try await surfer.send(.get("/u/upgrade?state=\(script.state)"))
            #expect(page.text.contains("data-kind=\"device\"") && page.text.contains("You used your phone."), "\(page)")
            let options = try await surfer.send(script.call("/u/passkey/register/options", [:]))
            #expect(options["excludeCredentials"]?.array?.count == 1, "\(options)")
            _ = try await surfer.submit(page, [:], to: "/u/upgrade")
            let (again, _) = try await signIn("cross-platform")
            #expect(again["offers_passkey"] == nil, "\(again)")
            surfer.forget("pk_not_now")
            house.change { $0.options = { $0.passkey.localEnrollment = false } }
            let (off, _) = try await signIn("cross-platform")
            #expect(off["offers_passkey"] == nil, "\(off)")
        }
    }

    @Test("Where there are no passwords the page asks for none, and no form can give one")
    func passkeysOnly() async throws {
        try await House.with(Surfer.prepare) { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            house.change { $0.options = { $0.passwordsEnabled = false } }
            var surfer = Surfer(house)
            let start = try await surfer.authorize()
            let page = try await surfer.send(.get(try #require(start.header("location"))))
            #expect(!page.text.contains("type=\"password\"") && page.text.contains("<noscript>"), "\(page)")
            let fields = ["username": "ana@example.com", "password": Person.password]
            #expect(try await surfer.submit(page, fields, to: "/u/login").status == 400)
        }
    }
}

extension String {
    /// How many parts `separator` makes of it.
    fileprivate func components(separatedBy separator: String) -> Int {
        var count = 1
        var rest = self[...]
        while let found = rest.firstRange(of: separator) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }
}
