import Accounts
import Cryptography
import Encodings
import Identity
import SoftwareAuthenticator
import Tenancy
import Testing

@testable import HTTPAPI

@Suite("9.5: a passkey by an operator's link")
struct EnrollPasskeyPageTests {
    /// Somebody with a passkey, a session and tokens, and the link that they got.
    private struct Setting {
        let house: House
        var person: Person
        let user: User
        let cookie: String
        let refreshToken: String
        let ticket: String

        init(_ house: House, minutes: Int64 = 60) async throws {
            self.house = house
            person = Person(house)
            let tokens = try await person.signUp("ana@example.com")
            refreshToken = try #require(tokens.string("refresh_token"))
            cookie = try #require(try await person.signIn().cookieValue("__Host-pk_session"))
            let tenant = house.management.id
            let connection = house.management.connection.id
            let name = try #require(CanonicalIdentifier.email("ana@example.com"))
            let id = try #require(try await house.store.user(with: name, in: connection, of: tenant))
            user = try #require(try await house.store.user(id, of: tenant))
            ticket = try await Self.link(for: user, house, minutes: minutes)
        }

        static func link(for user: User, _ house: House, minutes: Int64 = 60) async throws -> String {
            try await Tickets(store: house.store) { Random.bytes($0) }.make(
                .passkeyEnrollment,
                for: user,
                parameters: [:],
                seconds: minutes * 60,
                now: house.now,
                audit: event(user, house)
            )
        }

        static func event(_ user: User, _ house: House) -> AuditEvent {
            AuditEvent(
                tenant: user.tenant,
                types: ["sapi"],
                at: house.now,
                user: user.id,
                device: Device(address: "127.0.0.1", userAgent: "test")
            )
        }

        func page(_ ticket: String? = nil) async throws -> Answer {
            try await house.send(.get("/u/enroll-passkey?ticket=\(ticket ?? self.ticket)"))
        }

        func begin(_ ticket: String? = nil) async throws -> Answer {
            try await house.send(.json("/u/enroll-passkey/options", ["ticket": .string(ticket ?? self.ticket)]))
        }

        func finish(_ begun: Answer, _ answer: JSONObject, ticket: String? = nil) async throws -> Answer {
            try await house.send(
                .json(
                    "/u/enroll-passkey/verify",
                    ["ticket": .string(ticket ?? self.ticket), "response": .object(answer)]
                ).with("X-Auth-Session", begun.header("x-auth-session"))
            )
        }
    }

    @Test("The page says for whom it is; a link that is not good, or for another purpose, says no more than that")
    func page() async throws {
        try await House.with { house in
            let setting = try await Setting(house)
            let page = try await setting.page()
            #expect(page.status == 200 && page.text.contains("ana@example.com"), "\(page)")
            #expect(page.text.contains("data-ticket=\"\(setting.ticket)\""))
            #expect(page.header("referrer-policy") == "no-referrer" && page.header("cache-control") == "no-store")
            let other = String(setting.ticket.reversed())
            for wrong in [other, "x", String(repeating: "A", count: 5000)] {
                let refused = try await setting.page(wrong)
                #expect(refused.status == 400 && refused.text.contains("no longer good"), "\(wrong.prefix(50))")
                #expect(!refused.text.contains("ana@example.com"))
                #expect(try await setting.begin(wrong).reason == "auth_session_invalid")
            }
            house.pass(seconds: 3600)
            #expect(try await setting.page().status == 400)
            #expect(try await setting.begin().status >= 400)
        }
    }

    @Test("The passkey is stored, the link is spent, and whoever was signed in is so no more")
    func recovers() async throws {
        try await House.with { house in
            let setting = try await Setting(house)
            let spare = try await Setting.link(for: setting.user, house)
            #expect(try await setting.page(spare).status == 200)
            let begun = try await setting.begin()
            #expect(begun.status == 200, "\(begun)")
            #expect(begun["excludeCredentials"]?.array?.count == 1)
            var phone = Person(house)
            let made = try phone.authenticator.create(begun.json, origin: House.base)
            let done = try await setting.finish(begun, made)
            #expect(done.status == 200 && done["verified"] == true, "\(done)")
            #expect(done.string("passkey_id")?.hasPrefix("dev_") == true)

            #expect(try await setting.page().status == 400)
            #expect(try await setting.page(spare).status == 400, "another link of before")
            #expect(try await setting.finish(begun, made).reason == "auth_session_invalid")
            var old = setting.person
            old.cookie = "__Host-pk_session=\(setting.cookie)"
            #expect(try await old.send(.get("/api/me")).status == 401)
            let refreshed = try await old.post(
                "/oauth/token",
                ["grant_type": "refresh_token", "refresh_token": .string(setting.refreshToken)]
            )
            #expect(refreshed.status == 403 && refreshed.string("error") == "invalid_grant", "\(refreshed)")

            // Both keys sign in: an older one may be in a drawer, and goes when its owner says so.
            #expect(try await phone.signIn()["verified"] == true)
            old.cookie = nil
            #expect(try await old.signIn()["verified"] == true)
            let passkeys = try await house.store.passkeys(
                of: setting.user.id,
                relyingPartyID: nil,
                tenant: setting.user.tenant
            )
            #expect(passkeys.map(\.enrolledBy) == [.recovery, .signup])
            let events = try await house.store.events(
                of: setting.user.tenant,
                user: setting.user.id,
                from: .before(nil),
                limit: 10
            )
            let event = try #require(events.first { $0.event.types == ["recovery_succeeded"] }?.event)
            #expect(event.details["proof"] == "link")
        }
    }

    @Test("A ceremony that fails spends nothing, and one that was begun with another link is not this one's")
    func failures() async throws {
        try await House.with { house in
            let setting = try await Setting(house)
            let begun = try await setting.begin()
            var phone = Authenticator()
            let wrong = try phone.create(begun.json, origin: House.base, fault: .originWrong)
            let refused = try await setting.finish(begun, wrong)
            #expect(refused.status == 400 && refused.reason == "origin_mismatch", "\(refused)")
            #expect(refused["verified"] == false)

            let second = try await Setting.link(for: setting.user, house)
            let other = try await setting.begin(second)
            let answer = try phone.create(other.json, origin: House.base)
            let crossed = try await setting.finish(other, answer)
            #expect(crossed.reason == "auth_session_invalid", "\(crossed)")

            // Nothing of section 12 takes it either.
            let third = try await setting.begin()
            let good = try phone.create(third.json, origin: House.base)
            var person = setting.person
            person.client = house.app
            let stolen = try await person.post("/register/verify", good, session: third.header("x-auth-session"))
            #expect(stolen.status >= 400)

            let last = try await setting.begin()
            let done = try await setting.finish(last, try phone.create(last.json, origin: House.base))
            #expect(done.status == 200, "\(done)")
        }
    }

    @Test("A blocked user's link leads nowhere")
    func blocked() async throws {
        try await House.with { house in
            let setting = try await Setting(house)
            var blocked = setting.user
            blocked.blockedAt = house.now
            blocked.updatedAt = house.now.adding(seconds: 1)
            let current = try #require(try await house.store.user(setting.user.id, of: setting.user.tenant))
            #expect(
                try await house.store.change(
                    UserChange(old: current, new: blocked),
                    audit: Setting.event(current, house)
                )
            )
            #expect(try await setting.page().status == 400)
            #expect(try await setting.begin().reason == "auth_session_invalid")
        }
    }
}
