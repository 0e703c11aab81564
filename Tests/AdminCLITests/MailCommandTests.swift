import Encodings
import Identity
import Storage
import Terminal
import Testing

@testable import AdminCLI

@Suite("latchkey-admin: mail")
struct MailCommandTests {
    private static let settings = [
        "LATCHKEY_MAIL": "smtp://127.0.0.1:1", "LATCHKEY_MAIL_FROM": "Acme <no-reply@acme.example>",
    ]

    @Test("Where mail is off, it says what to set; where nobody takes mail, why")
    func test() async throws {
        let plain = try AdminRun()
        let off = await plain("mail", "test", "you@acme.example")
        #expect(off.exit == .wrongUse && off.errors.contains("mail is off. Set mail, as smtps://"))
        let run = try AdminRun(variables: Self.settings)
        let away = await run("mail", "test", "you@acme.example")
        #expect(away.exit == .unavailable && away.output.isEmpty)
        for address in ["you", "åsa@acme.example", "a@b\r\nBcc: c@d"] {
            let bad = await run("mail", "test", address)
            #expect(bad.exit == .wrongUse && bad.errors.contains("no mail can be sent to that address"))
        }
    }

    @Test("A mail in the outbox is listed, with its recipient for whoever has the master key, until it is sent or dead")
    func queue() async throws {
        let run = try AdminRun(variables: Self.settings)
        try await run.makeTenant()
        let queued = await run("mail", "test", "you@räksmörgås.example", "--queue", "-o", "json")
        #expect(queued.exit == .done, "\(queued.errors)")
        let id = try #require(try queued.json().object?["mail"]?.string)
        let rows = try #require(try await run("mail", "list", "-o", "json").json().array)
        #expect(rows.count == 1 && rows.first?.object?["id"] == .string(id) && rows.first?.object?["to"] == nil)
        #expect(rows.first?.object?["tenant"] == "acme" && rows.first?.object?["kind"] == "test")
        let shown = try await run("mail", "list", "--recipients", "--tenant", "acme", "-o", "json").json().array
        #expect(shown?.first?.object?["to"] == "you@xn--rksmrgs-5wao1o.example")
        #expect(try await run("mail", "list", "--dead", "-o", "json").json() == [])

        // What is not dead is not brought back.
        #expect(await run("mail", "retry", id).exit == .notFound)
        #expect(await run("mail", "retry").exit == .wrongUse)
        #expect(await run("mail", "retry", id, "--all").exit == .wrongUse)
        let store = try await openStore(run.store)
        let lease = MailLease(random: [UInt8](repeating: 1, count: 16))
        let mail = try #require(try await store.leaseMail(lease, now: run.now, until: run.now.adding(seconds: 20)))
        _ = try await store.giveBack(mail.mail, lease, dueAt: nil, failure: "550 no", now: run.now)
        await store.close()
        let dead = try await run("mail", "list", "--dead", "-o", "json").json().array
        #expect(dead?.first?.object?["failure"] == "550 no" && dead?.first?.object?["tries"] == 1)
        #expect(try await run("mail", "retry", "--all", "-o", "json").json() == ["retried": 1])
        #expect(try await run("mail", "list", "-o", "json").json().array?.count == 1)
    }
}
