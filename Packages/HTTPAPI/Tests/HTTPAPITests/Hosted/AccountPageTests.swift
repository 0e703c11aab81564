import Encodings
import Identity
import SoftwareAuthenticator
import Testing
import Tokens

@testable import HTTPAPI

@Suite("8.2, 10: the account page")
struct AccountPageTests {
    private let path = "/u/passkeys"

    @Test("Who is not signed in is led to the sign-in and back, though no application asked; strangers see nothing")
    func comesIn() async throws {
        try await House.with { (house) async throws in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            let first = try await surfer.send(.get(path))
            #expect(first.status == 302 && first.header("location")?.hasPrefix("/u/login?state=") == true, "\(first)")
            #expect(first.cookieValue("__Host-pk_tx") != nil && first.header("cache-control") == "no-store")
            let page = try await surfer.signInForAccount("ana@example.com")
            #expect(page.status == 200 && page.text.contains("<title>Your account"), "\(page)")
            #expect(page.text.contains("ana@example.com") && page.text.contains("You have no passkey yet."))
            #expect(page.text.contains("Account made") && page.text.contains("Signed in"))
            // The sign-in issues nothing: its end is the page.
            house.pass(seconds: 5)
            let start = try await surfer.send(.get(path + "/proof"))
            let state = try #require(start.header("location")?.split(separator: "=").last)
            let early = try await surfer.send(.get("/authorize/resume?state=\(state)"))
            #expect(early.header("location")?.hasPrefix("/u/login?state=") == true, "\(early)")
            // Another browser has no use for the address.
            var stranger = Surfer(house)
            #expect(try await stranger.send(.get("/u/login?state=\(state)")).status == 400)
            #expect(try await stranger.send(.get(path)).header("location")?.hasPrefix("/u/login") == true)
        }
    }

    @Test("A passkey is added by the page's script, named, shown with where it came from, and removed; signals follow")
    func passkeys() async throws {
        try await House.with { (house) async throws in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            _ = try await surfer.signInForAccount("ana@example.com")
            var authenticator = Authenticator()
            let added = try await surfer.addPasskey(&authenticator)
            #expect(added.status == 200 && added["signals"]?.object?["all_accepted_credentials"] != nil, "\(added)")
            let credential = Base64URL.encode(try #require(authenticator.credentials.first).id)
            // From here on the proof is one with a passkey.
            let early = try await surfer.post("rename", ["passkey": try await surfer.passkeyID(), "name": "Laptop"])
            #expect(early.header("location") == "/u/passkeys/proof", "\(early)")
            try await surfer.prove(&authenticator)

            let list = try await surfer.send(.get(path + "?done=added"))
            #expect(list.text.contains("role=\"status\">The passkey is made."), "\(list)")
            #expect(list.text.contains("used now"), "\(list)")
            #expect(list.attribute("data-signals").contains(credential) && list.text.contains("Added on 2027-01-15."))
            let id = try await surfer.passkeyID()
            let named = try await surfer.post("rename", ["passkey": id, "name": " <b>Laptop</b> "])
            #expect(named.header("location") == "/u/passkeys?done=renamed", "\(named)")
            let shown = try await surfer.send(.get("/u/passkeys?done=renamed"))
            #expect(shown.text.contains("<p class=\"title\">&lt;b&gt;Laptop&lt;/b&gt;"), "\(shown)")
            for name in ["", " ", String(repeating: "x", count: 101)] {
                let refused = try await surfer.post("rename", ["passkey": id, "name": name])
                #expect(refused.status == 400, "\(name)")
                #expect(refused.alert.hasPrefix("This cannot be used."), "\(name)")
            }
            let unknown = try await surfer.post("remove", ["passkey": "dev_0aB3cD4eF5gH6iJ7"])
            #expect(unknown.status == 404 && unknown.alert.hasPrefix("That is not there any more."), "\(unknown)")
            let removed = try await surfer.post("remove", ["passkey": id])
            #expect(removed.header("location") == "/u/passkeys?done=removed", "\(removed)")
            let empty = try await surfer.send(.get(path))
            #expect(empty.text.contains("You have no passkey yet.") && !empty.text.contains(credential), "\(empty)")
            #expect(empty.attribute("data-signals").contains("allAcceptedCredentialIds&quot;:[]"))
        }
    }

    @Test("The last way in is shown as such, and stays")
    func lastWayIn() async throws {
        try await House.with { (house) async throws in
            house.change { $0.options = { $0.passwordsEnabled = false } }
            var surfer = Surfer(house)
            var authenticator = Authenticator()
            try await surfer.signUpForAccount("ana@example.com", &authenticator)
            let page = try await surfer.send(.get(path))
            let last = "so it cannot be removed"
            #expect(page.text.contains(last) && !page.text.contains("/remove\""), "\(page)")
            #expect(!page.text.contains("type=\"password\""), "\(page)")
            let refused = try await surfer.post("remove", ["passkey": try await surfer.passkeyID()])
            #expect(refused.status == 409, "\(refused)")
            #expect(refused.alert.hasPrefix("This is your last way"), "\(refused)")
            var phone = Authenticator()
            #expect(try await surfer.addPasskey(&phone).status == 200)
            let two = try await surfer.send(.get(path))
            #expect(!two.text.contains(last) && two.text.contains("/remove\""), "\(two)")
        }
    }

    @Test("An old sign-in changes nothing, nor does a password where there is a passkey: both lead to a proof and back")
    func freshProof() async throws {
        try await House.with { (house) async throws in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            _ = try await surfer.signInForAccount("ana@example.com")
            var authenticator = Authenticator()
            #expect(try await surfer.addPasskey(&authenticator).status == 200)
            let id = try await surfer.passkeyID()
            try await surfer.prove(&authenticator)
            house.pass(seconds: 901)
            let script = PageScript(try await surfer.send(.get(path)))
            let call = try await surfer.send(script.call("/u/passkey/register/options", [:]))
            expect(
                call,
                401,
                "insufficient_user_authentication",
                "A fresh sign-in is needed",
                "insufficient_user_authentication"
            )
            for (form, fields) in [
                ("rename", ["passkey": id, "name": "x"]), ("remove", ["passkey": id]),
                ("password", ["password": "Another-horse-2"]), ("retire-password", [:]),
            ] {
                let answer = try await surfer.post(form, fields)
                #expect(answer.header("location") == "/u/passkeys/proof", "\(form) \(answer)")
            }
            // Where a passkey is asked for, no password is.
            let start = try await surfer.send(.get(path + "/proof"))
            let location = try #require(start.header("location"))
            let login = try await surfer.send(.get(location))
            #expect(login.text.contains("value=\"ana@example.com\"") && !login.text.contains("type=\"password\""))
            #expect(!login.text.contains("/u/signup"), "\(login)")
            let fields = ["username": "ana@example.com", "password": Person.password]
            let byPassword = try await surfer.submit(login, fields, to: "/u/login")
            let back = try await surfer.send(.get(try #require(byPassword.header("location"))))
            #expect(back.header("location") == path, "\(back)")
            let still = try await surfer.post("remove", ["passkey": id])
            #expect(still.header("location") == "/u/passkeys/proof", "\(still)")
            try await surfer.prove(&authenticator)
            let removed = try await surfer.post("remove", ["passkey": id])
            #expect(removed.header("location") == "/u/passkeys?done=removed", "\(removed)")
        }
    }

    @Test("Only the page's own forms and script are heard")
    func crossSite() async throws {
        try await House.with { (house) async throws in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            let page = try await surfer.signInForAccount("ana@example.com")
            var stranger = Surfer(house)
            let start = try await stranger.send(.get(path))
            let foreign = PageScript(try await stranger.send(.get(try #require(start.header("location")))))
            #expect(!foreign.token.isEmpty)
            for token in ["", "x", foreign.token] {
                for form in ["rename", "remove", "sessions", "password", "retire-password"] {
                    let answer = try await surfer.send(.form("\(path)/\(form)", "csrf_token=\(token)&others=1"))
                    #expect(answer.status == 400 && answer.header("location") == nil, "\(form) \(answer)")
                }
                let call = Ask.json("/u/passkey/register/options", [:]).with("X-CSRF-Token", token)
                expect(try await surfer.send(call), 403, "forbidden", "Origin not allowed", "csrf")
            }
            let json = Ask.json("\(path)/remove", ["csrf_token": .string(PageScript(page).token)])
            #expect(try await surfer.send(json).status == 415)
            // A form of a page that was left open leads to the sign-in once the session is over.
            surfer.forget("__Host-pk_session")
            let token = PageScript(page).token
            let over = try await surfer.send(.form("\(path)/sessions", "csrf_token=\(token)&others=1"))
            #expect(over.header("location")?.hasPrefix("/u/login?state=") == true, "\(over)")
            let call = try await surfer.send(PageScript(page).call("/u/passkey/register/options", [:]))
            #expect(call.status == 401, "\(call)")
        }
    }

    @Test("Sessions are listed and end one by one or all but this one, without a fresh proof; nobody else's do")
    func sessions() async throws {
        try await House.with { (house) async throws in
            try await Person(house).signUpWithPassword("ana@example.com")
            try await Person(house).signUpWithPassword("eva@example.com")
            var (own, other, third, eva) = (Surfer(house), Surfer(house), Surfer(house), Surfer(house))
            _ = try await own.signInForAccount("ana@example.com")
            house.pass(seconds: 5)
            _ = try await other.signInForAccount("ana@example.com")
            house.pass(seconds: 5)
            _ = try await third.signInForAccount("ana@example.com")
            let hers = try await eva.signInForAccount("eva@example.com").sessionIDs
            house.pass(seconds: 2000)
            let page = try await own.send(.get(path))
            #expect(page.sessionIDs.count == 3 && hers.count == 1, "\(page)")
            _ = try await own.post("sessions", ["session": try #require(hers.first)])
            #expect(try await eva.send(.get(path)).status == 200)
            // The newest is the third's.
            let ended = try await own.post("sessions", ["session": try #require(page.sessionIDs.first)])
            #expect(ended.header("location") == "/u/passkeys?done=ended", "\(ended)")
            #expect(try await third.send(.get(path)).status == 302)
            #expect(try await other.send(.get(path)).status == 200)
            _ = try await own.post("sessions", ["others": "1"])
            #expect(try await other.send(.get(path)).status == 302)
            #expect(try await own.send(.get(path)).sessionIDs.count == 1)
            #expect(try await eva.send(.get(path)).status == 200)
            #expect(try await own.post("sessions", ["session": "ses_x"]).status == 400)
        }
    }

    @Test("A password is changed by the old one or a passkey's proof, and everybody else is signed out")
    func password() async throws {
        try await House.with { (house) async throws in
            try await Person(house).signUpWithPassword("ana@example.com")
            var (own, other) = (Surfer(house), Surfer(house))
            _ = try await own.signInForAccount("ana@example.com")
            _ = try await other.signInForAccount("ana@example.com")
            let new = "Another-horse-2"
            let wrong = try await own.post("password", ["current_password": "wrong", "password": new])
            #expect(wrong.status == 403 && wrong.alert.hasSuffix("do not belong together."), "\(wrong)")
            let missing = try await own.post("password", ["password": new])
            #expect(missing.status == 400, "\(missing)")
            for weak in ["x", "Breached-2024"] {
                let refused = try await own.post(
                    "password",
                    ["current_password": Person.password, "password": weak]
                )
                #expect(refused.status == 400 && refused.alert.hasPrefix("Choose a longer"), "\(weak)")
            }
            #expect(try await other.send(.get(path)).status == 200)
            let done = try await own.post("password", ["current_password": Person.password, "password": new])
            #expect(done.header("location") == "/u/passkeys?done=password", "\(done)")
            #expect(try await own.send(.get(path)).text.contains("Password changed"))
            #expect(try await other.send(.get(path)).status == 302)
            #expect(try await Person(house).signInWithPassword("ana@example.com").reason == "wrong_credentials")
            var authenticator = Authenticator()
            #expect(try await own.addPasskey(&authenticator).status == 200)
            try await own.prove(&authenticator)
            let page = try await own.send(.get(path))
            #expect(!page.text.contains("current_password") && page.text.contains("new-password"), "\(page)")
            let again = try await own.post("password", ["password": Person.password])
            #expect(again.header("location") == "/u/passkeys?done=password", "\(again)")
            #expect(try await Person(house).signInWithPassword("ana@example.com").status == 200)
        }
    }

    @Test("With two passkeys the password can go; then no link by mail brings one back, and the last passkey stays")
    func retires() async throws {
        try await House.with { (house) async throws in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            _ = try await surfer.signInForAccount("ana@example.com")
            var (laptop, phone) = (Authenticator(), Authenticator())
            #expect(try await surfer.addPasskey(&laptop).status == 200)
            try await surfer.prove(&laptop)
            let one = try await surfer.send(.get(path))
            #expect(!one.text.contains("Do without a password"), "\(one)")
            let early = try await surfer.post("retire-password", [:])
            #expect(early.status == 409 && early.alert.hasPrefix("You need two passkeys"), "\(early)")
            #expect(try await surfer.addPasskey(&phone).status == 200)
            #expect(try await surfer.send(.get(path)).text.contains("Do without a password"))
            // A link that was sent before.
            _ = try await Person(house).post(
                "/dbconnections/change_password",
                ["connection": .string(Connection.defaultName), "email": "ana@example.com"]
            )
            let link = String(try #require(house.mailbox.link).dropFirst(House.base.utf8.count))
            #expect(try await surfer.send(.get(link)).status == 200)
            let done = try await surfer.post("retire-password", [:])
            #expect(done.header("location") == "/u/passkeys?done=retired", "\(done)")
            let page = try await surfer.send(.get(path))
            #expect(!page.text.contains("type=\"password\"") && page.text.contains("Way to sign in changed"), "\(page)")
            #expect(try await Person(house).signInWithPassword("ana@example.com").reason == "wrong_credentials")
            #expect(try await surfer.send(.get(link)).status == 400)
            let again = try await surfer.post("password", ["password": "Another-horse-2"])
            #expect(again.status == 404, "\(again)")
            let ids = try await surfer.send(.get(path)).passkeyIDs
            #expect(ids.count == 2)
            _ = try await surfer.post("remove", ["passkey": ids[0]])
            #expect(try await surfer.post("remove", ["passkey": ids[1]]).status == 409)
        }
    }

    @Test("Password managers are told where passkeys are made and looked after; without passkeys, nothing")
    func endpoints() async throws {
        try await House.with { (house) async throws in
            let file = "/.well-known/passkey-endpoints"
            for host in [House.host, "example.com"] {
                let answer = try await house.send(Ask.get(file).set(\.host, host))
                #expect(answer.status == 200 && answer.header("content-type") == "application/json", "\(answer)")
                #expect(
                    answer.json == [
                        "enroll": .string(House.base + "/u/enroll-passkey"), "manage": .string(House.base + path),
                    ]
                )
                #expect(answer.header("cache-control") == "public, max-age=300")
                let tag = try #require(answer.header("etag"))
                let known = try await house.send(Ask.get(file).set(\.host, host).with("If-None-Match", tag))
                #expect(known.status == 304)
            }
            // The page of links leads on to the account when there is no link.
            #expect(try await house.send(.get("/u/enroll-passkey")).header("location") == path)
            house.change { $0.settings.passkeysEnabled = false }
            #expect(try await house.send(.get(file)).json == [:])
        }
    }

    @Test("The module for web apps is there for every origin, and kept as long as it is the same")
    func module() async throws {
        try await House.with { (house) async throws in
            let answer = try await house.send(Ask.get("/latchkey.js").with("Origin", "https://shop.example"))
            #expect(answer.status == 200 && answer.header("content-type") == "text/javascript; charset=utf-8")
            #expect(answer.header("access-control-allow-origin") == "*")
            #expect(answer.text.contains("export class Latchkey"))
            #expect(answer.header("cache-control") == "public, max-age=300")
            #expect(answer.header("cross-origin-resource-policy") == "cross-origin")
            let tag = try #require(answer.header("etag"))
            let known = try await house.send(Ask.get("/latchkey.js").with("If-None-Match", tag))
            #expect(known.status == 304 && known.body.isEmpty)
        }
    }

    @Test("A browser's name is short, and what cannot be told is shown as it is, cut")
    func deviceNames() {
        let chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/131.0 Safari/537.36"
        #expect(DeviceName.of(chrome) == "Chrome, Linux")
        #expect(DeviceName.of(chrome + " Edg/131.0") == "Edge, Linux")
        let safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1"
        #expect(DeviceName.of(safari) == "Safari, iPhone")
        #expect(DeviceName.of(String(repeating: "x", count: 99)) == String(repeating: "x", count: 40))
        #expect(DeviceName.of("") == nil)
    }
}

extension Surfer {
    /// From the account page through the sign-in by password and back to it.
    fileprivate mutating func signInForAccount(_ email: String) async throws -> Answer {
        let start = try await send(.get("/u/passkeys"))
        let login = try await send(.get(try #require(start.header("location"), "\(start)")))
        let done = try await submit(login, ["username": email, "password": Person.password], to: "/u/login")
        let back = try await send(.get(try #require(done.header("location"), "\(done)")))
        return try await send(.get(try #require(back.header("location"), "\(back)")))
    }

    /// Makes an account by a passkey, in a sign-in that was begun at the account page.
    fileprivate mutating func signUpForAccount(_ email: String, _ authenticator: inout Authenticator) async throws {
        let start = try await send(.get("/u/passkeys"))
        let script = PageScript(try await send(.get(try #require(start.header("location"), "\(start)"))))
        let profile: JSONObject = ["user_profile": ["email": .string(email)]]
        let options = try await send(script.call("/u/passkey/register/options", profile))
        let made = try authenticator.create(options.json, origin: House.base)
        let session = options.header("x-auth-session")
        let done = try await send(script.call("/u/passkey/register/verify", made, session: session))
        try #require(done.status == 200, "\(done)")
    }

    /// Adds a passkey by what the page's script calls.
    fileprivate mutating func addPasskey(_ authenticator: inout Authenticator) async throws -> Answer {
        let script = PageScript(try await send(.get("/u/passkeys")))
        let options = try await send(script.call("/u/passkey/register/options", [:]))
        try #require(options.status == 200, "\(options)")
        let made = try authenticator.create(options.json, origin: House.base)
        let session = options.header("x-auth-session")
        return try await send(script.call("/u/passkey/register/verify", made, session: session))
    }

    /// Shows anew who it is, with a passkey.
    fileprivate mutating func prove(_ authenticator: inout Authenticator) async throws {
        let start = try await send(.get("/u/passkeys/proof"))
        let script = PageScript(try await send(.get(try #require(start.header("location"), "\(start)"))))
        let options = try await send(script.call("/u/passkey/login/options", [:]))
        let proof = try authenticator.get(options.json, origin: House.base)
        let session = options.header("x-auth-session")
        let done = try await send(script.call("/u/passkey/login/verify", proof, session: session))
        try #require(done.status == 200, "\(done)")
        let back = try await send(.get("/authorize/resume?state=\(script.state)"))
        try #require(back.header("location") == "/u/passkeys?done=proven", "\(back)")
    }

    /// Sends one of the page's forms.
    fileprivate mutating func post(_ form: String, _ fields: [String: String]) async throws -> Answer {
        let token = PageScript(try await send(.get("/u/passkeys"))).token
        let pairs = [("csrf_token", token)] + fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let body = pairs.map { "\($0.0)=\(CallbackURL.encoded($0.1))" }.joined(separator: "&")
        return try await send(.form("/u/passkeys/\(form)", body))
    }

    /// The newest passkey's.
    fileprivate mutating func passkeyID() async throws -> String {
        try #require(try await send(.get("/u/passkeys")).passkeyIDs.first)
    }
}

extension Answer {
    fileprivate var passkeyIDs: [String] { unique("passkey") }
    fileprivate var sessionIDs: [String] { unique("session") }

    /// What the page says is wrong.
    fileprivate var alert: String {
        text.firstRange(of: "role=\"alert\">").map { String(text[$0.upperBound...].prefix { $0 != "<" }) } ?? ""
    }

    private func unique(_ name: String) -> [String] {
        var found: [String] = []
        for (field, value) in hiddenFields where field == name && !found.contains(value) { found.append(value) }
        return found
    }
}
