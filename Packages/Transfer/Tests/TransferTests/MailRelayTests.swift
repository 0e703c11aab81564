import Foundation
import Testing
import Transfer

@Suite("RFC 5321: handing a mail to a mail server", .serialized)
struct MailRelayTests {
    private static let message = Array("Subject: x\r\n\r\n.one\r\n..\r\n.\r\nå\r\n".utf8)

    private func relay(_ sink: MailSink, credentials: MailRelay.Credentials? = nil) -> MailRelay {
        MailRelay(
            .smtp,
            host: "127.0.0.1",
            port: sink.port,
            credentials: credentials,
            greeting: "login.example",
            timeout: 60_000
        )
    }

    private func send(_ relay: MailRelay, to recipients: [String] = ["ana@example.com"]) throws(MailRelayError)
        -> String
    {
        try relay.send(Self.message, from: "no-reply@acme.example", to: recipients)
    }

    @Test("It arrives as it is, lines that begin with a dot too, and the server's word comes back")
    func arrives() throws {
        let sink = try MailSink()
        #expect(try send(relay(sink), to: ["ana@example.com", "bo@example.com"]) == "250 2.0.0 taken")
        let mail = try sink.mail()
        #expect(mail.message == String(decoding: Self.message, as: UTF8.self))
        #expect(mail.sender == "no-reply@acme.example")
        #expect(mail.recipients == ["ana@example.com", "bo@example.com"])
        #expect(mail.hello == "login.example")
        #expect(!mail.tls)
    }

    @Test("It is greeted without a mail; one that refuses that, or is not there, cannot be used")
    func greeted() throws {
        let sink = try MailSink()
        try withExtendedLifetime(sink) { try relay(sink).greet() }
        let refusing = try MailSink(#"{"replies": {"NOOP": "550 5.7.1 not you"}}"#)
        _ = withExtendedLifetime(refusing) {
            #expect(throws: MailRelayError.self) { try relay(refusing).greet() }
        }
        let away = MailRelay(.smtp, host: "127.0.0.1", port: 1, greeting: "x.example")
        #expect(throws: MailRelayError.self) { try away.greet() }
    }

    @Test("A mail of some length arrives whole")
    func large() throws {
        let sink = try MailSink()
        let line = String(repeating: ".", count: 70) + "\r\n"
        let message = "Subject: x\r\n\r\n" + String(repeating: line, count: 3000)
        _ = try relay(sink).send(Array(message.utf8), from: "a@b.example", to: ["c@d.example"])
        #expect(try sink.mail().message == message)
    }

    @Test(
        "5yz to MAIL, RCPT, DATA and to the mail is for ever, 4yz is for now",
        arguments: ["MAIL", "RCPT", "DATA", "."],
        ["550 5.1.1 no", "451 4.3.0 later"]
    )
    func refusals(command: String, reply: String) throws {
        let sink = try MailSink(#"{"replies": {"\#(command)": "\#(reply)"}}"#)
        let expected: MailRelayError = reply.hasPrefix("5") ? .permanent(reply: reply) : .temporary(reply: reply)
        #expect(throws: expected) { try send(relay(sink)) }
    }

    @Test(
        "What is not about the mail is a server that cannot be used, and may be used later",
        arguments: [
            ("", "554 go away"), ("EHLO", "550 no"), ("MAIL", "530 5.7.0 log in first"), ("RCPT", ""),
        ]
    )
    func unavailable(command: String, reply: String) throws {
        guard command != "RCPT" else {
            // Nobody listens.
            let relay = MailRelay(.smtp, host: "127.0.0.1", port: 1, greeting: "x.example")
            try expectUnavailable("") { () throws(MailRelayError) in try send(relay) }
            return
        }
        let sink = try MailSink(#"{"replies": {"\#(command)": "\#(reply)", "HELO": "\#(reply)"}}"#)
        try expectUnavailable(reply.hasPrefix("550") ? "" : reply) { () throws(MailRelayError) in
            try send(relay(sink))
        }
    }

    @Test("A server that says nothing is left when the time is over")
    func silence() throws {
        let sink = try MailSink(#"{"replies": {".": null}}"#)
        var relay = relay(sink)
        relay.timeout = 1000
        try expectUnavailable("") { [relay] () throws(MailRelayError) in try send(relay) }
    }

    @Test("A server that says too much is left")
    func chatter() throws {
        let flood = String(repeating: "250-" + String(repeating: "x", count: 400) + #"\r\n"#, count: 170) + "250 end"
        let sink = try MailSink(#"{"replies": {"MAIL": "\#(flood)"}}"#)
        try expectUnavailable("65536") { () throws(MailRelayError) in try send(relay(sink)) }
    }

    @Test("A password is not sent to a server without TLS, whatever it offers")
    func withoutTLS() throws {
        let sink = try MailSink(#"{"user": "acme", "password": "s3cret", "auth_in_clear": true}"#)
        let relay = relay(sink, credentials: .init(user: "acme", password: "s3cret"))
        try expectUnavailable("STARTTLS") { () throws(MailRelayError) in try send(relay) }
    }

    @Test("With STARTTLS and with TLS from the start the password is sent, and a certificate nobody vouches for is not")
    func withTLS() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "mail-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (certificate, key) = try Self.certificate(in: folder)
        for way in ["starttls", "implicit"] {
            let sink = try MailSink(
                #"""
                {"tls": "\#(way)", "certificate": "\#(certificate)", "key": "\#(key)", "user": "acme",
                 "password": "p@:ss %25"}
                """#
            )
            var relay = MailRelay(
                way == "starttls" ? .smtp : .smtps,
                host: "localhost",
                port: sink.port,
                credentials: .init(user: "acme", password: "p@:ss %25"),
                greeting: "login.example",
                authorities: certificate
            )
            _ = try send(relay)
            let mail = try sink.mail()
            #expect(mail.tls)
            #expect(mail.user == "acme")
            relay.credentials = .init(user: "acme", password: "wrong")
            try expectUnavailable("535") { [relay] () throws(MailRelayError) in try send(relay) }
            relay.authorities = nil
            try expectUnavailable("") { [relay] () throws(MailRelayError) in try send(relay) }
        }
    }

    @Test(
        "No address and no message can become another command",
        arguments: [
            ("a@b.example\r\nRCPT TO:<x@y>", "x\r\n"), ("a@b.example>", "x\r\n"), ("å@b.example", "x\r\n"),
            ("", "x\r\n"), ("ab", "x\r\n"), ("a@b.example", "x"), ("a@b.example", ""), ("a@b.example", "x\n"),
            ("a@b.example", "x\r\n\n.\r\n"), ("a@b.example", "x\ry\r\n"), ("a@b.example", "x\u{0}\r\n"),
            ("a@b.example", String(repeating: "x", count: 999) + "\r\n"),
        ]
    )
    func smuggling(address: String, message: String) {
        let relay = MailRelay(.smtp, host: "127.0.0.1", port: 1, greeting: "x.example")
        #expect(throws: MailRelayError.badMail) {
            try relay.send(Array(message.utf8), from: "a@b.example", to: [address])
        }
        #expect(throws: MailRelayError.self) {
            try MailRelay(.smtp, host: "a/b", greeting: "x").send(
                Self.message,
                from: "a@b.example",
                to: ["a@b.example"]
            )
        }
    }

    private func expectUnavailable(_ part: String, _ body: () throws(MailRelayError) -> String) throws {
        do throws(MailRelayError) {
            Issue.record("it was taken: \(try body())")
        } catch {
            guard case .unavailable(let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(part.isEmpty ? !reason.isEmpty : reason.contains(part))
        }
    }

    private static func certificate(in folder: URL) throws -> (certificate: String, key: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out",
            "certificate.pem",
        ]
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return (folder.appending(path: "certificate.pem").path, folder.appending(path: "key.pem").path)
    }
}
