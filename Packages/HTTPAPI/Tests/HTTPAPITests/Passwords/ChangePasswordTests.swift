import Encodings
import Identity
import Testing

@testable import HTTPAPI

@Suite("9.2: asking for a new password")
struct ChangePasswordTests {
    private let path = "/dbconnections/change_password"

    private func ask(_ person: Person, _ email: String, _ more: JSONObject = [:]) async throws -> Answer {
        var body: JSONObject = ["connection": .string(Connection.defaultName), "email": .string(email)]
        for member in more.members { body.set(member.name, member.value) }
        return try await person.post(path, body)
    }

    @Test("The answer is the same for an address with an account, for one without, and for one that has no password")
    func sameAnswer() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            try await person.signUpWithPassword("ana@example.com")
            _ = try await person.signUp("keys@example.com")
            // What came before is older than what is looked at.
            house.pass(seconds: 1)
            var answers: [Answer] = []
            for email in ["Ana@example.com", "nobody@example.com", "keys@example.com"] {
                answers.append(try await ask(person, email))
            }
            for answer in answers {
                #expect(answer.status == 200)
                #expect(answer.header("content-type") == "text/plain; charset=utf-8")
                #expect(answer.header("cache-control") == "no-store")
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(text == "We've just sent you an email to reset your password.")
                #expect(answer.fields == answers[0].fields)
            }
            // A letter was written for each, and one of them is sent.
            #expect(house.mailbox.letters.count == 3)
            let tenant = try #require(try await house.store.tenant(host: House.host))
            let waiting = try await house.store.mails(dead: false, of: tenant, limit: 10)
            #expect(waiting.map { String(decoding: $0.mail.sealed, as: UTF8.self) } == ["ana@example.com"])
            let events = try await house.store.events(of: tenant, user: nil, from: .before(nil), limit: 3)
            #expect(events.flatMap(\.event.types).sorted() == ["fcpr", "fcpr", "scpr"])
            let secret = try #require(house.mailbox.link?.split(separator: "=").last)
            #expect(house.mailbox.link?.hasPrefix(House.base + "/u/reset-password?ticket=") == true)
            for event in events { #expect(!"\(event.event.details)".contains(String(secret))) }
        }
    }

    @Test("An address gets five mails an hour, whoever asks, and whether or not it has an account")
    func limited() async throws {
        try await House.with { (house) async throws in
            let person = Person(house)
            try await person.signUpWithPassword("ana@example.com")
            var limits = RateLimits.off
            limits.recoveryMail = RateLimit(limit: 5, seconds: 3600)
            house.limit(limits)
            let tenant = try #require(try await house.store.tenant(host: House.host))
            for email in ["ana@example.com", "ANA@example.com", "nobody@example.com"] {
                for _ in 0..<4 {
                    let answer = try await ask(person, email)
                    #expect(answer.status == 200 && answer.header("x-ratelimit-limit") == nil, "\(answer)")
                }
            }
            #expect(try await house.store.mails(dead: false, of: tenant, limit: 10).count == 5)
            house.pass(seconds: 3600)
            _ = try await ask(person, "ana@example.com")
            #expect(try await house.store.mails(dead: false, of: tenant, limit: 10).count == 6)
        }
    }

    @Test("What is missing or unknown is refused before anybody is looked for")
    func refuses() async throws {
        try await House.with { (house) async throws in
            let person = Person(house)
            let none = try await person.post(path, ["email": "a@example.com"])
            expect(none, 400, "invalid_request", "Missing required parameter: connection", "missing_parameter")
            let empty = try await ask(person, "")
            expect(empty, 400, "invalid_request", "Missing required parameter: email", "missing_parameter")
            let wrong = try await ask(person, "no address")
            expect(wrong, 400, "invalid_request", "Invalid parameter: email", "invalid_parameter")
            let elsewhere = try await ask(person, "a@example.com", ["connection": "elsewhere"])
            #expect(elsewhere.status == 400 && elsewhere.reason == "unknown_connection", "\(elsewhere)")
            let client = try await ask(person, "a@example.com", ["client_id": "nobody"])
            #expect(client.status == 400 && client.reason == "unknown_client", "\(client)")
            #expect(house.mailbox.letters.isEmpty)
        }
    }
}
