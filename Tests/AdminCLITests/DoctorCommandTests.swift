import Encodings
import Identity
import Terminal
import Testing
import Transfer

@testable import AdminCLI

/// The world as it is when all is well, and what tests change of it.
private struct World: Sendable {
    /// What stands in the place of an answer, by the path that is asked for.
    var pages: [String: WebResponse] = [:]
    var failures: [String: TransferError] = [:]
    /// Answers that are another when this header is sent.
    var whenForged: [String: WebResponse] = [:]
    var keys: [String] = []
    var mail: MailRelayError?
    /// The header about keeping the key set.
    var caching = ("cache-control", "public, max-age=300, stale-while-revalidate=60")

    static let base = "https://login.acme.example"

    static func json(_ text: String, _ headers: [(String, String)] = [], status: Int = 200) -> WebResponse {
        WebResponse(
            status: status,
            headers: [WebHeader("content-type", "application/json")] + headers.map { WebHeader($0.0, $0.1) },
            body: Array(text.utf8)
        )
    }

    static let discovery = json(#"{"issuer":"https://login.acme.example/"}"#)

    func answer(_ request: WebRequest) throws(TransferError) -> WebResponse {
        for header in request.headers { if let forged = whenForged[header.name] { return forged } }
        let path = request.address.hasPrefix(Self.base) ? String(request.address.dropFirst(Self.base.count)) : ""
        if let failure = failures[path.isEmpty ? request.address : path] { throw failure }
        if let page = pages[path.isEmpty ? request.address : path] { return page }
        switch path {
        case "/.well-known/openid-configuration": return Self.discovery
        case "/.well-known/jwks.json":
            let keys = keys.map { #"{"kid":"\#($0)"}"# }.joined(separator: ",")
            return Self.json(#"{"keys":[\#(keys)]}"#, [caching])
        default: return WebResponse(status: 404)
        }
    }
}

@Suite("latchkey-admin doctor")
struct DoctorCommandTests {
    /// A deployment with a tenant whose keys are old enough to be known everywhere.
    private func run() async throws -> AdminRun {
        let run = try AdminRun(variables: ["LATCHKEY_TRUSTED_PROXIES": "127.0.0.1/32"])
        try #require(await run("master-key", "create").exit == .done)
        try #require(await run("tenant", "create", "acme", "--domain", "login.acme.example").exit == .done)
        run.pass(seconds: 3600)
        return run
    }

    /// Somebody who looks at it, in this world.
    private func looking(
        at made: AdminRun,
        in world: World,
        variables: [String: String] = [:]
    ) throws -> AdminRun {
        let looking = try AdminRun(
            variables: [
                "LATCHKEY_TRUSTED_PROXIES": "127.0.0.1/32", "LATCHKEY_STORE": made.store,
                "LATCHKEY_MASTER_KEY_FILE": "\(made.folder)/mk",
            ]
            .merging(variables) { $1 },
            ask: { (request, _) throws(TransferError) in try world.answer(request) },
            greetMailServer: { (_) throws(MailRelayError) in if let error = world.mail { throw error } }
        )
        looking.pass(seconds: 3600)
        return looking
    }

    private func keys(_ run: AdminRun) async throws -> [String] {
        let rows = try #require(try await run("key", "list", "-o", "json").json().array)
        return rows.compactMap { $0.object?["kid"]?.string }
    }

    /// Findings that are not as they should be: check, status and what is said.
    private func faults(
        _ world: World,
        variables: [String: String] = [:]
    ) async throws -> (exit: ExitCode, [(check: String, status: String, text: String)]) {
        let made = try await run()
        var world = world
        world.keys += try await keys(made)
        let looking = try looking(at: made, in: world, variables: variables)
        let outcome = await looking.run(["doctor", "-o", "json"])
        let rows = try #require(try outcome.json().array, "\(outcome)").compactMap(\.object)
        #expect(!rows.isEmpty, "\(outcome)")
        for row in rows where row["status"] == "failed" {
            #expect(row["finding"]?.string?.isEmpty == false)
        }
        let faults = rows.filter { !["ok", "skipped"].contains($0["status"]?.string ?? "") }
            .map { ($0["check"]?.string ?? "", $0["status"]?.string ?? "", $0["finding"]?.string ?? "") }
        withExtendedLifetime(made) {}
        return (outcome.exit, faults)
    }

    @Test("Where all is well it finds nothing, says what it looked at, and exits 0")
    func well() async throws {
        let (exit, faults) = try await faults(World())
        #expect(exit == .done && faults.isEmpty, "\(faults)")
    }

    @Test("What a proxy can do wrong is found by what the public name answers, with the line to change")
    func proxies() async throws {
        let forged = World.json(#"{"error":"not_found"}"#, status: 404)
        var world = World()
        world.whenForged = ["X-Forwarded-Host": forged]
        var (exit, found) = try await faults(world)
        #expect(exit == .answerIsNo && found.map(\.check) == ["proxy headers"], "\(found)")
        #expect(found.first?.text.contains("X-Forwarded-Host") == true)

        // Refusing a second value is as good as taking none.
        world.whenForged = ["X-Forwarded-Host": World.json("{}", status: 400)]
        (exit, found) = try await faults(world)
        #expect(exit == .done && found.isEmpty, "\(found)")

        world.whenForged = ["X-Forwarded-Proto": WebResponse(status: 403)]
        (exit, found) = try await faults(world)
        #expect(exit == .answerIsNo && found.first?.text.contains("X-Forwarded-Proto") == true, "\(found)")

        for (page, text) in [
            (World.json(#"{"issuer":"http://localhost:8080/"}"#), "its issuer is http://localhost:8080/"),
            (WebResponse(status: 200, body: Array("<html>".utf8)), "somebody else answers"),
            (WebResponse(status: 502), "status 502"),
            (
                WebResponse(status: 301, headers: [WebHeader("location", "https://www.acme.example/")]),
                "a redirect (301 to https://www.acme.example/)"
            ), (World.json(#"{"error_description":"Unknown host"}"#, status: 404), "404 (Unknown host)"),
        ] {
            world = World()
            world.pages["/.well-known/openid-configuration"] = page
            (exit, found) = try await faults(world)
            #expect(exit == .answerIsNo && found.map(\.check) == ["public name"], "\(found)")
            #expect(found.first?.text.contains(text) == true, "\(found)")
        }
        (exit, found) = try await faults(World(), variables: ["LATCHKEY_TRUSTED_PROXIES": "none"])
        #expect(exit == .done && found.map(\.status) == ["warning"], "\(found)")
    }

    @Test("A name that cannot be reached, a certificate that is not good, and a clock that is off")
    func reaching() async throws {
        var world = World()
        world.failures["/.well-known/openid-configuration"] = .unavailable(reason: "Couldn't resolve host name")
        var (exit, found) = try await faults(world)
        #expect(exit == .answerIsNo && found.map(\.check) == ["public name"], "\(found)")
        world.failures["/.well-known/openid-configuration"] = .unavailable(
            reason: "SSL peer certificate or SSH remote key was not OK"
        )
        (exit, found) = try await faults(world)
        #expect(exit == .answerIsNo && found.map(\.check) == ["TLS"], "\(found)")

        // 1,800,003,600 is when the tests look.
        for (date, status) in [
            ("Fri, 15 Jan 2027 09:00:03 GMT", nil), ("Fri, 15 Jan 2027 09:00:30 GMT", "warning"),
            ("Fri, 15 Jan 2027 08:55:00 GMT", "failed"), ("yesterday", nil),
        ] as [(String, String?)] {
            world = World()
            world.pages["/.well-known/openid-configuration"] = World.json(
                #"{"issuer":"https://login.acme.example/"}"#,
                [("date", date)]
            )
            (exit, found) = try await faults(world)
            #expect(found.map(\.status) == (status.map { [$0] } ?? []), "\(date) \(found)")
            #expect(exit == (status == "failed" ? .answerIsNo : .done))
        }
    }

    @Test("A key set that lacks a key, or that may be kept for too long or not at all")
    func keySets() async throws {
        let cached = [("cache-control", "public, max-age=300, stale-while-revalidate=60")]
        for (page, status, text) in [
            (World.json(#"{"keys":[]}"#, cached), "failed", "it lacks key"),
            (World.json("<html>"), "failed", "it is no key set"),
            (WebResponse(status: 404), "failed", "status 404"),
        ] {
            var world = World()
            world.pages["/.well-known/jwks.json"] = page
            let (exit, found) = try await faults(world)
            #expect(exit == .answerIsNo && found.map(\.check) == ["JWKS"], "\(found)")
            #expect(found.first?.status == status && found.first?.text.contains(text) == true, "\(found)")
        }
        for (header, status) in [
            (("cache-control", "public, max-age=86400"), "failed"), (("cache-control", "no-store"), "warning"),
            (("cache-control", "private, max-age=300"), "warning"), (("expires", "never"), "warning"),
        ] {
            var world = World()
            world.caching = header
            let (_, found) = try await faults(world)
            #expect(found.map(\.status) == [status], "\(header) \(found)")
        }
    }

    @Test("The mail server is asked, and a password in its URL is shown to nobody")
    func mail() async throws {
        let variables = [
            "LATCHKEY_MAIL": "smtps://acme:hunter2@smtp.acme.example", "LATCHKEY_MAIL_FROM": "no-reply@acme.example",
        ]
        var (exit, found) = try await faults(World(), variables: variables)
        #expect(exit == .done && found.isEmpty, "\(found)")
        var world = World()
        world.mail = .unavailable(reason: "Login denied")
        (exit, found) = try await faults(world, variables: variables)
        #expect(exit == .answerIsNo && found.map(\.check) == ["mail"], "\(found)")
        #expect(found.first?.text.contains("Login denied") == true)
        #expect(!found.contains { $0.text.contains("hunter2") })
    }

    @Test("App files are fetched as Apple, Google and browsers do, and pages without an RP ID are named")
    func apps() async throws {
        let made = try await run()
        let app = await made(
            "client",
            "create",
            "--name",
            "App",
            "--type",
            "spa",
            "--grant",
            "passkey",
            "--web-origin",
            "https://shop.example",
            "--web-origin",
            "http://localhost:5173",
            "--web-origin",
            "https://www.login.acme.example",
            #"mobile={"ios":{"team_id":"ABCDE12345","app_bundle_identifier":"com.acme.app"}}"#
        )
        try #require(app.exit == .done, "\(app.errors)")
        var world = World()
        world.keys = try await keys(made)
        let apple = "/.well-known/apple-app-site-association"
        for (page, check, text) in [
            (nil, "app files", "status 404"),
            (World.json(#"{"webcredentials":{"apps":[]}}"#), "app files", "does not name ABCDE12345.com.acme.app"),
        ] as [(WebResponse?, String, String)] {
            world.pages[apple] = page
            let outcome = try await looking(at: made, in: world)("doctor")
            #expect(outcome.exit == .answerIsNo, "\(outcome.errors)")
            let lines = outcome.output.split(separator: "\n").map(String.init)
            #expect(lines.contains { $0.hasPrefix("failed") && $0.contains(check) && $0.contains(text) }, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("failed") && $0.contains("https://shop.example: a page of App") })
            #expect(lines.contains { $0.hasPrefix("warning") && $0.contains("http://localhost:5173: a page of App") })
            #expect(!outcome.output.contains("www.login.acme.example"))
            // A remedy under each.
            #expect(lines.contains { $0.contains("domain set DOMAIN --origin https://shop.example") })
        }
        let good = #"{"webcredentials":{"apps":["ABCDE12345.com.acme.app","ZZZZZ12345.other"]}}"#
        world.pages[apple] = World.json(good)
        let outcome = try await looking(at: made, in: world)("doctor")
        #expect(outcome.output.contains("is not as this server writes it"), "\(outcome.output)")
    }

    @Test("What keeps it from looking further is found too: settings, store, key")
    func parts() async throws {
        let made = try await run()
        let settings = await made.run(["doctor", "-o", "json", "--config", "\(made.folder)/none.yaml"])
        #expect(settings.exit == .answerIsNo && settings.output.contains("cannot be read"), "\(settings)")
        let store = await made("doctor", "--offline", "--store", "sqlite:/nonexistent/latchkey.db")
        #expect(store.exit == .done && store.output.contains("warning   store"), "\(store)")
        let key = await made("doctor", "--offline", "--master-key-file", "\(made.folder)/none")
        #expect(key.exit == .answerIsNo && key.output.contains("failed    master key"), "\(key)")
        let offline = await made("doctor", "--offline")
        #expect(offline.exit == .done && !offline.output.contains("JWKS"), "\(offline)")
        #expect(await made("doctor", "--connect", "nowhere").exit == .wrongUse)
        #expect(await made("doctor", "--ca", "\(made.folder)/none.pem").exit == .wrongUse)
        #expect(await made("doctor", "--tenant", "acmee").errors.contains("Did you mean \"acme\"?"))
        _ = await made("tenant", "suspend", "acme")
        let suspended = await made("doctor")
        #expect(suspended.exit == .done && suspended.output.contains("tenant resume acme"), "\(suspended)")
    }

    @Test(
        "Dates of HTTP are read, and what is no date is not",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 24:49:37 GMT", nil), ("", nil),
            ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 6 Now 1994 08:49:37 GMT", nil),
        ] as [(String, Int64?)]
    )
    func dates(_ text: String, _ seconds: Int64?) {
        #expect(HTTPDate.seconds(text) == seconds)
    }
}
