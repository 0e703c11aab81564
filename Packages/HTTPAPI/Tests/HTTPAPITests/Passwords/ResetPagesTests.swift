import Encodings
import Identity
import SoftwareAuthenticator
import Tenancy
import Testing

@testable import HTTPAPI

@Suite("9.2: the pages of a forgotten password")
struct ResetPagesTests {
    private let path = "/u/reset-password"
    private static let newPassword = "Another-horse-2"

    /// Asks for a link, and gives what it leads to below the house.
    private func link(_ person: Person, _ email: String) async throws -> String {
        let asked = try await person.post(
            "/dbconnections/change_password",
            ["connection": .string(Connection.defaultName), "email": .string(email)]
        )
        try #require(asked.status == 200, "\(asked)")
        let link = try #require(person.house.mailbox.link)
        return String(link.dropFirst(House.base.utf8.count))
    }

    private func text(_ answer: Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

    private func set(_ house: House, _ link: String, _ password: String) async throws -> Answer {
        let ticket = link.split(separator: "=").last.map(String.init) ?? ""
        return try await house.send(.form(path, "ticket=\(ticket)&username=x&password=\(password)"))
    }

    private func signIn(_ person: Person, _ email: String, _ password: String) async throws -> Answer {
        try await person.post(
            "/oauth/token",
            [
                "grant_type": "password", "username": .string(email), "password": .string(password),
                "scope": "openid offline_access",
            ]
        )
    }

    @Test(
        "An address that is proven for the first time gets its account clean: passkeys, sessions and tokens of before go"
    )
    func clears() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            try await person.signUpWithPassword("ana@example.com")
            let before = try await signIn(person, "ana@example.com", Person.password)
            person.bearer = before.string("access_token")
            #expect(try await person.register(nil).status == 200)
            person.bearer = nil
            house.pass(seconds: 1)
            let link = try await link(person, "ana@example.com")
            let page = try await house.send(.get(link))
            #expect(page.status == 200 && page.header("content-type") == "text/html; charset=utf-8", "\(page)")
            #expect(page.header("cache-control") == "no-store" && page.header("referrer-policy") == "no-referrer")
            #expect(text(page).contains("autocomplete=\"new-password\"") && text(page).contains("ana@example.com"))
            #expect(text(page).contains("confirmed for the first time"))
            let done = try await set(house, link, Self.newPassword)
            #expect(done.status == 200 && text(done).contains("were removed") && !text(done).contains("checkbox"))
            let old = try await signIn(person, "ana@example.com", Person.password)
            #expect(old.reason == "wrong_credentials")
            #expect(try await signIn(person, "ana@example.com", Self.newPassword).status == 200)
            let refreshed = try await person.post(
                "/oauth/token",
                ["grant_type": "refresh_token", "refresh_token": .string(before.string("refresh_token") ?? "")]
            )
            #expect(refreshed.reason == "refresh_token_invalid", "\(refreshed)")
            #expect(try await person.signIn().reason == "unknown_credential")
            // It works once.
            for answer in [try await house.send(.get(link)), try await set(house, link, "Third-horse-3")] {
                #expect(answer.status == 400 && text(answer).contains("not good any more"), "\(answer)")
            }
        }
    }

    @Test("Of an address that was proven before, passkeys stay until the user says which to remove")
    func reviews() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            try await person.signUpWithPassword("ana@example.com")
            _ = try await set(house, try await link(person, "ana@example.com"), Self.newPassword)
            house.pass(seconds: 1)
            person.bearer = try await signIn(person, "ana@example.com", Self.newPassword).string("access_token")
            #expect(try await person.register(nil).status == 200)
            person.bearer = nil
            let link = try await link(person, "ana@example.com")
            #expect(try await !text(house.send(.get(link))).contains("confirmed for the first time"))
            let done = try await set(house, link, "Third-horse-3")
            let html = text(done)
            #expect(done.status == 200 && html.contains("added on 2027-01-15"), "\(html)")
            let box = try #require(html.firstMatch(of: /name="(remove-dev_\w+)"/)?.1)
            let review = try #require(html.firstMatch(of: /name="ticket" value="([^"]+)"/)?.1)
            #expect(try await person.signIn().status == 200, "until then it signs in")
            let body = "ticket=\(review)&\(box)=1"
            let removed = try await house.send(.form(path + "/passkeys", body))
            #expect(removed.status == 200 && text(removed).contains("sign in no more"), "\(removed)")
            #expect(try await person.signIn().reason == "unknown_credential")
            #expect(try await house.send(.form(path + "/passkeys", body)).status == 400, "the form works once")
        }
    }

    @Test("A password that the connection does not want leaves the link as it is")
    func refusesPasswords() async throws {
        try await House.with { (house) async throws in
            house.change {
                $0.options = {
                    $0.password.remembersHistory = true
                    $0.password.historySize = 2
                }
            }
            let person = Person(house)
            try await person.signUpWithPassword("ana@example.com")
            let link = try await link(person, "ana@example.com")
            for (password, sentence) in [
                ("short", "longer or less common"), ("Breached-2024", "longer or less common"),
                ("", "Fill in every field"), (Person.password, "You had this password before"),
            ] {
                let refused = try await set(house, link, password)
                #expect(refused.status == 400 && text(refused).contains(sentence), "\(password) \(refused)")
                #expect(text(refused).contains("role=\"alert\"") && !text(refused).contains(Person.password))
            }
            #expect(try await set(house, link, Self.newPassword).status == 200)
        }
    }

    @Test("A link is void once the password was changed in another way, and another link was used")
    func void() async throws {
        try await House.with { (house) async throws in
            let person = Person(house)
            try await person.signUpWithPassword("ana@example.com")
            let first = try await link(person, "ana@example.com")
            let second = try await link(person, "ana@example.com")
            house.pass(seconds: 1)
            #expect(try await set(house, second, Self.newPassword).status == 200)
            #expect(try await house.send(.get(first)).status == 400)
            #expect(try await set(house, first, "Third-horse-3").status == 400)
            let late = try await link(person, "ana@example.com")
            house.pass(seconds: 432_000)
            #expect(try await house.send(.get(late)).status == 400, "five days")
        }
    }

    @Test("A link is void once the user has another address, be it mailed or an administrator's")
    func movedAddress() async throws {
        try await House.with { (house) async throws in
            let person = Person(house)
            try await person.signUpWithPassword("ana@example.com")
            let mailed = try await link(person, "ana@example.com")
            let manager = try await Administrator(house)
            let connection = try await manager.connection()
            let made = try await manager.post(
                "tickets/password-change",
                [
                    "email": "ana@example.com", "connection_id": .string(connection), "mark_email_as_verified": true,
                ]
            )
            let ticket = try #require(made.string("ticket"), "\(made)").dropFirst(House.base.utf8.count).dropLast()
            let name = try #require(CanonicalIdentifier.email("ana@example.com"))
            let tenant = house.management.id
            let id = try #require(
                try await house.store.user(with: name, in: ConnectionID(connection), of: tenant)
            )
            house.pass(seconds: 1)
            let moved = try await manager.patch(
                "users/\(id.subject.replacing("|", with: "%7C"))",
                ["email": "owner@example.com"]
            )
            try #require(moved.status == 200, "\(moved)")
            for link in [mailed, String(ticket)] {
                #expect(try await house.send(.get(link)).status == 400)
                #expect(try await set(house, link, Self.newPassword).status == 400)
            }
            let user = try await house.store.user(id, of: tenant)
            #expect(user?.identifier(.email)?.isVerified == false)
        }
    }

    @Test("An administrator's ticket leads to the same page, and on to where it was said")
    func tickets() async throws {
        try await House.with { (house) async throws in
            let person = Person(house)
            try await person.signUpWithPassword("ana@example.com")
            let manager = try await Administrator(house)
            let made = try await manager.post(
                "tickets/password-change",
                [
                    "email": "ana@example.com", "connection_id": .string(try await manager.connection()),
                    "result_url": "https://app.example.com/done",
                ]
            )
            let link = try #require(made.string("ticket"), "\(made)").dropFirst(House.base.utf8.count).dropLast()
            #expect(try await house.send(.get(String(link))).status == 200)
            let done = try await set(house, String(link), Self.newPassword)
            #expect(done.status == 200 && text(done).contains("href=\"https://app.example.com/done\""), "\(done)")
        }
    }

    @Test("Without a link the page asks for the address, and says the same to everybody")
    func asks() async throws {
        try await House.with { (house) async throws in
            let person = Person(house)
            try await person.signUpWithPassword("ana@example.com")
            let known = try await house.send(.get("/.well-known/change-password"))
            #expect(known.status == 302 && known.header("location") == House.base + path)
            #expect(known.header("cache-control") == "no-store")
            let page = try await house.send(.get(path))
            #expect(page.status == 200 && text(page).contains("autocomplete=\"email\""), "\(page)")
            let answers = [
                try await house.send(.form(path, "email=ana%40example.com")),
                try await house.send(.form(path, "email=nobody%40example.com")),
            ]
            #expect(answers[0].status == 200 && answers[0].body == answers[1].body, "\(answers)")
            let tenant = try #require(try await house.store.tenant(host: House.host))
            #expect(try await house.store.mails(dead: false, of: tenant, limit: 10).count == 1)
            let wrong = try await house.send(.form(path, "email=%22%3E%3Cscript%3E"))
            #expect(wrong.status == 400 && !text(wrong).contains("\"><script>"), "\(wrong)")
            let swedish = try await house.send(Ask.get(path).with("Accept-Language", "sv"))
            #expect(text(swedish).contains("<html lang=\"sv\">"))
        }
    }
}

extension Administrator {
    /// The id of the first connection.
    fileprivate func connection() async throws -> String {
        try #require(try await get("connections").list.first?.string("id"))
    }
}

extension JSONObject {
    fileprivate func string(_ name: String) -> String? { self[name]?.string }
}
