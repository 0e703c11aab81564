import Encodings
import Identity
import SoftwareAuthenticator
import Tenancy
import Testing

@testable import HTTPAPI

@Suite("9.4, 9.5: notices, and the word of who got one")
struct NotMeTests {
    @Test("A passkey planted with a stolen password: notice, page, and it is gone with all that was signed in")
    func planted() async throws {
        try await House.with { (house) async throws in
            var thief = Person(house)
            try await thief.signUpWithPassword("ana@example.com")
            let answer = try await thief.post(
                "/oauth/token",
                [
                    "grant_type": "password", "username": "ana@example.com", "password": .string(Person.password),
                    "scope": "openid offline_access",
                ]
            )
            let offer = try #require(answer["passkey_upgrade"]?.object, "\(answer)")
            let options = try #require(offer["authn_params_public_key"]?.object)
            let made = try thief.authenticator.create(options, origin: House.base, conditional: true)
            thief.bearer = answer.string("access_token")
            let verified = try await thief.post("/register/verify", made, session: offer["auth_session"]?.string)
            #expect(verified.status == 200, "\(verified)")
            thief.bearer = nil
            guard
                case .passkeyUpgraded(let circumstances, let provider, let stop, 7)? = house.mailbox.letters.last?
                    .occasion
            else {
                Issue.record("\(house.mailbox.letters)")
                return
            }
            #expect(circumstances.device.address == "198.51.100.7" && !provider.isEmpty)
            #expect(try await thief.signIn()["verified"] == true)

            // A scanner opens the link, as often as it likes.
            let path = String(stop.dropFirst(House.base.utf8.count))
            for _ in 0..<2 {
                let page = try await house.send(.get(path))
                #expect(page.status == 200 && page.text.contains("ana@example.com"), "\(page)")
                #expect(page.header("content-security-policy")?.contains("default-src 'none'") == true)
            }
            #expect(try await thief.signIn()["verified"] == true)
            let ticket = String(path.drop { $0 != "=" }.dropFirst())
            let done = try await house.send(.form("/u/not-me", "ticket=\(ticket)"))
            #expect(done.status == 302, "\(done)")
            #expect(try await thief.signIn().reason == "unknown_credential")
            let refreshed = try await thief.post(
                "/oauth/token",
                ["grant_type": "refresh_token", "refresh_token": .string(answer.string("refresh_token") ?? "")]
            )
            #expect(refreshed.reason == "refresh_token_invalid", "\(refreshed)")
            for ask in [Ask.get(path), .form("/u/not-me", "ticket=\(ticket)")] {
                let again = try await house.send(ask)
                #expect(again.status == 400 && again.text.contains("no longer good"), "\(again)")
            }

            // It leads to a new password, which the thief has not.
            let reset = try #require(done.header("location"))
            #expect(try await house.send(.get(reset)).status == 200)
            let secret = String(reset.drop { $0 != "=" }.dropFirst())
            let set = try await house.send(.form("/u/reset-password", "ticket=\(secret)&password=Another-horse-2"))
            #expect(set.status == 200, "\(set)")
            #expect(try await thief.signInWithPassword("ana@example.com").reason == "wrong_credentials")
            let log = try await house.store.events(of: house.management.id, user: nil, from: .before(nil), limit: 50)
            let upgraded = try #require(log.first { $0.event.types.contains("passkey_upgraded") })
            #expect(upgraded.event.details["session_id"]?.string?.hasPrefix("ses_") == true)
            #expect(log.contains { $0.event.types == ["passkey_disowned"] })
        }
    }

    @Test("A link is good for seven days, here, and for what it was made for")
    func over() async throws {
        try await House.with { (house) async throws in
            let ticket = try await upgradeNotice(house)
            let other = try await house.otherTenant()
            _ = other
            let elsewhere = Ask.get("/u/not-me?ticket=\(ticket)").set(\.host, "login.other.example")
            #expect(try await house.send(elsewhere).status == 400)
            for wrong in ["", "x", String(ticket.reversed()), String(repeating: "A", count: 5000)] {
                #expect(try await house.send(.get("/u/not-me?ticket=\(wrong)")).status == 400)
            }
            #expect(try await house.send(.get("/u/reset-password?ticket=\(ticket)")).status == 400)
            house.pass(seconds: 7 * 86400 - 1)
            #expect(try await house.send(.get("/u/not-me?ticket=\(ticket)")).status == 200)
            house.pass(seconds: 1)
            #expect(try await house.send(.get("/u/not-me?ticket=\(ticket)")).status == 400)
        }
    }

    @Test("Where passwords are off it leads to no new one, and who stops a recovery stops it alone")
    func others() async throws {
        try await House.with { (house) async throws in
            let ticket = try await upgradeNotice(house)
            house.change { $0.options = { $0.passwordsEnabled = false } }
            let done = try await house.send(.form("/u/not-me", "ticket=\(ticket)"))
            #expect(done.status == 200 && done.text.contains("signed out"), "\(done)")

            var owner = Person(house)
            _ = try await owner.signUp("bo@example.com")
            let started = try await owner.post("/recovery/start", ["identifier": "bo@example.com"])
            let code = try #require(house.mailbox.code)
            let stop = try #require(house.mailbox.stop).dropFirst(House.base.utf8.count)
            let page = try await house.send(.get(String(stop)))
            #expect(page.status == 200 && page.text.contains("start again"), "\(page)")
            let secret = String(stop.drop { $0 != "=" }.dropFirst())
            let stopped = try await house.send(.form("/u/not-me", "ticket=\(secret)"))
            #expect(stopped.status == 200 && stopped.text.contains("stopped"), "\(stopped)")
            let late = try await owner.post(
                "/recovery/verify",
                ["recovery_session": started["recovery_session"] ?? .null, "code": .string(code)]
            )
            #expect(late.reason == "recovery_code_invalid", "\(late)")
            #expect(try await owner.signIn()["verified"] == true)
        }
    }

    @Test("No upgrade is offered to who cannot be told of it, but where the tenant waives that")
    func unreachable() async throws {
        try await House.with { (house) async throws in
            house.change { view in
                view.options = {
                    $0.attributes = ConnectionAttributes(
                        email: .init(isIdentifier: true, signup: .optional),
                        phoneNumber: .init(isIdentifier: false, signup: .inactive),
                        username: .init(isIdentifier: true, signup: .optional)
                    )
                }
            }
            let person = Person(house)
            let made = try await person.post(
                "/dbconnections/signup",
                [
                    "connection": .string(Connection.defaultName), "username": "ana",
                    "password": .string(Person.password),
                ]
            )
            try #require(made.status == 200, "\(made)")
            #expect(try await person.signInWithPassword("ana")["passkey_upgrade"] == nil)
            house.change { $0.options = { $0.passkey.stored["upgrade_without_notice"] = true } }
            #expect(try await person.signInWithPassword("ana")["passkey_upgrade"] != nil)
        }
    }

    /// Has a passkey planted, and gives the secret of the notice's link.
    private func upgradeNotice(_ house: House) async throws -> String {
        var thief = Person(house)
        try await thief.signUpWithPassword("ana@example.com")
        let answer = try await thief.signInWithPassword("ana@example.com")
        let offer = try #require(answer["passkey_upgrade"]?.object, "\(answer)")
        let options = try #require(offer["authn_params_public_key"]?.object)
        let made = try thief.authenticator.create(options, origin: House.base, conditional: true)
        thief.bearer = answer.string("access_token")
        let verified = try await thief.post("/register/verify", made, session: offer["auth_session"]?.string)
        try #require(verified.status == 200, "\(verified)")
        return String(try #require(house.mailbox.stop).drop { $0 != "=" }.dropFirst())
    }
}
