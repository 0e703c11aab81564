import Encodings
import Identity
import SoftwareAuthenticator
import Tenancy
import Testing

@testable import HTTPAPI

@Suite("8.2, 9.5: recovery on the hosted pages")
struct RecoverPagesTests {
    /// A browser on its way back into an account.
    private struct Way {
        var surfer: Surfer
        let state: String
        let codePage: Answer

        /// From the sign-in page as far as the page that takes the code.
        init(_ house: House, _ email: String) async throws {
            surfer = Surfer(house)
            let login = try await surfer.authorize()
            let page = try await surfer.send(.get(try #require(login.header("location"), "\(login)")))
            let link = try #require(page.text.firstMatch(of: /href="(\/u\/recover\?state=[^"]+)"/)?.1, "\(page)")
            state = String(link.drop { $0 != "=" }.dropFirst())
            let ask = try await surfer.send(.get(String(link)))
            try #require(ask.status == 200 && ask.text.contains("autocomplete=\"username\""), "\(ask)")
            let asked = try await surfer.submit(ask, ["username": email], to: "/u/recover")
            try #require(asked.status == 302, "\(asked)")
            let cookie = try #require(asked.cookie("__Host-pk_recovery"))
            #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=1800"))
            codePage = try await surfer.send(.get(try #require(asked.header("location"))))
            try #require(codePage.status == 200 && codePage.text.contains("one-time-code"), "\(codePage)")
        }

        mutating func enter(_ code: String?) async throws -> Answer {
            try await surfer.send(.form("/u/recover/code", "state=\(state)&code=\(code ?? "")"))
        }

        /// What the script of the last page does.
        mutating func make(_ code: String?, with authenticator: inout Authenticator) async throws -> Answer {
            let proof: JSONObject = ["code": .string(code ?? "")]
            let begun = try await surfer.send(.json("/u/recover/options", proof))
            try #require(begun.status == 200, "\(begun)")
            let made = try authenticator.create(begun.json, origin: House.base)
            var body = proof
            body["response"] = .object(made)
            return try await surfer.send(
                .json("/u/recover/verify", body).with("X-Auth-Session", begun.header("x-auth-session"))
            )
        }
    }

    @Test("By the code that was mailed: a new passkey, the sign-in it began in, and a look through the others")
    func byCode() async throws {
        try await House.with(Surfer.prepare) { (house) async throws in
            var owner = Person(house)
            _ = try await owner.signUp("ana@example.com")
            try await verifyAddress(house)
            house.pass(seconds: 1)
            var way = try await Way(house, "ana@example.com")
            let code = house.mailbox.code
            let wrong = try await way.enter("00000000")
            #expect(wrong.status == 400 && wrong.text.contains("wrong, or too old"), "\(wrong)")
            let page = try await way.enter(code)
            #expect(page.status == 200 && page.text.contains("data-code=\"\(code ?? "")\""), "\(page)")
            #expect(page.text.contains("ana@example.com") && page.text.contains("/u/assets/pages.js"))
            var phone = Authenticator()
            let done = try await way.make(code, with: &phone)
            #expect(done.status == 200 && done["verified"] == true, "\(done)")
            #expect(done.cookieValue("__Host-pk_session") != nil)
            #expect(done.cookie("__Host-pk_recovery")?.contains("Max-Age=0") == true)

            let review = try #require(done.string("review"))
            let target = "/u/review-passkeys?ticket=\(review)&state=\(way.state)"
            let list = try await way.surfer.send(.get(target))
            let box = try #require(list.text.firstMatch(of: /name="(remove-dev_\w+)"/)?.1, "\(list)")
            #expect(list.text.matches(of: /type="checkbox"/).count == 1, "the new one is not among them")
            let removed = try await way.surfer.submit(list, [String(box): "1"], to: "/u/reset-password/passkeys")
            #expect(removed.status == 200 && removed.text.contains("/authorize/resume?state="), "\(removed)")
            #expect(try await owner.signIn().reason == "unknown_credential")
            let back = try await way.surfer.send(.get("/authorize/resume?state=\(way.state)"))
            let tokens = try await way.surfer.exchange(back.answered["code"])
            #expect(tokens.status == 200, "\(back) \(tokens)")
            #expect(AuthorizeTests.claims(tokens.string("id_token"))?["amr"] == ["rcv", "otp"])
            #expect(tokens["passkey_upgrade"] == nil)
        }
    }

    @Test("The mailed link works in the browser that asked; elsewhere, and for a scanner, it uses nothing up")
    func byLink() async throws {
        try await House.with(Surfer.prepare) { (house) async throws in
            var owner = Person(house)
            _ = try await owner.signUp("ana@example.com")
            var way = try await Way(house, "ana@example.com")
            let code = house.mailbox.code
            let link = String(try #require(house.mailbox.codeLink).dropFirst(House.base.utf8.count))
            var elsewhere = Surfer(house)
            for _ in 0..<3 {
                let refused = try await elsewhere.send(.get(link))
                #expect(refused.status == 400 && refused.text.contains("Not in this browser"), "\(refused)")
                let posted = try await elsewhere.send(.form("/u/recover/code", "code=\(code ?? "")"))
                #expect(posted.status == 400 && !posted.text.contains("data-code"), "\(posted)")
                let called = try await elsewhere.send(.json("/u/recover/options", ["code": .string(code ?? "")]))
                #expect(called.status == 403 && called.reason == "recovery_code_invalid", "\(called)")
            }
            let filled = try await way.surfer.send(.get(link))
            #expect(filled.status == 200 && filled.text.contains("value=\"\(code ?? "")\""), "\(filled)")
            #expect(try await way.enter(code).status == 200)
            var phone = Authenticator()
            let done = try await way.make(code, with: &phone)
            // The address was proven for the first time: there is nothing to look through.
            #expect(done["verified"] == true && done["review"] == nil, "\(done)")
            #expect(try await owner.signIn().reason == "unknown_credential")
            let over = try await way.surfer.send(.get(link))
            #expect(over.status == 400, "\(over)")
        }
    }

    @Test("The pages say the same to everybody, in the browser's language, and belong to the sign-in that was begun")
    func pages() async throws {
        try await House.with(Surfer.prepare) { (house) async throws in
            var owner = Person(house)
            _ = try await owner.signUp("ana@example.com")
            let known = try await Way(house, "ana@example.com")
            let unknown = try await Way(house, "nobody@example.com")
            let texts = [known, unknown].map { $0.codePage.text.replacing($0.state, with: "") }
            #expect(texts[0] == texts[1])
            #expect(try await house.send(.get("/u/recover")).status == 400)
            var other = Surfer(house)
            #expect(try await other.send(.get("/u/recover?state=\(known.state)")).status == 400)
            var surfer = known.surfer
            let forged = try await surfer.send(
                .form("/u/recover", "state=\(known.state)&csrf_token=x&username=ana%40example.com")
            )
            #expect(forged.status == 400 && forged.cookie("__Host-pk_recovery") == nil, "\(forged)")
            for (language, word) in [("sv", "Ange en kod"), ("ja", "コードの入力")] {
                let page = try await surfer.send(Ask.get("/u/recover/code").with("Accept-Language", language))
                #expect(page.text.contains("<html lang=\"\(language)\">") && page.text.contains(word), "\(page)")
            }
            house.change { $0.options = { $0.recoveryMethods = [.passkey] } }
            let login = try await surfer.authorize()
            let page = try await surfer.send(.get(try #require(login.header("location"))))
            #expect(!page.text.contains("/u/recover"), "\(page)")
        }
    }

    private func verifyAddress(_ house: House) async throws {
        let name = try #require(CanonicalIdentifier.email("ana@example.com"))
        let (tenant, connection) = (house.management.id, house.management.connection.id)
        let id = try #require(try await house.store.user(with: name, in: connection, of: tenant))
        let old = try #require(try await house.store.user(id, of: tenant))
        var new = old
        new.updatedAt = old.updatedAt.adding(milliseconds: 1)
        new.identifiers = old.identifiers.map { identifier in
            var verified = identifier
            verified.isVerified = true
            return verified
        }
        let event = AuditEvent(
            tenant: tenant,
            types: ["sapi"],
            at: house.now,
            device: Device(address: "127.0.0.1", userAgent: "test")
        )
        #expect(try await house.store.change(UserChange(old: old, new: new), audit: event))
    }
}
