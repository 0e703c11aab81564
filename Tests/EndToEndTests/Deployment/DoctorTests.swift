import Encodings
import Foundation
import Programs
import Testing

/// `latchkey-admin doctor` on a deployment as operators have it, and on what they do wrong.
@Suite(
    "latchkey-admin doctor, behind nginx, on PostgreSQL and Redis",
    .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"),
    .enabled(if: Redis.isInstalled, "\(Redis.missing)"),
    .enabled(if: Nginx.isInstalled, "\(Nginx.missing)")
)
struct DoctorTests {
    private let host = "login.acme.example"

    /// How it ended, and its findings but for those that are as they should be.
    private struct Diagnosis {
        let result: CommandResult
        let rows: [JSONObject]

        func findings(_ status: String) -> [String] {
            rows.filter { $0["status"]?.string == status }
                .map { "\($0["check"]?.string ?? ""): \($0["finding"]?.string ?? "")" }
        }
    }

    private func diagnose(
        _ server: LatchkeyServer,
        _ nginx: Nginx,
        _ settings: [String: String],
        trusting authority: Bool = true
    ) async throws -> Diagnosis {
        let trust = authority ? ["--ca", nginx.certificate] : []
        let result = try await run(
            Paths.admin,
            ["doctor", "--connect", "127.0.0.1:\(nginx.port)", "-o", "json"] + trust,
            environment: settings.merging(["LATCHKEY_MASTER_KEY_FILE": server.masterKey]) { $1 },
            seconds: 120
        )
        let rows = try #require(try JSON.parse(Array(result.output.utf8)).array, "\(result)").compactMap(\.object)
        return Diagnosis(result: result, rows: rows)
    }

    @Test("As it is documented all is well; what is left out, away or forged is found, with exit 10")
    func behindNginx() async throws {
        let redis = try await Redis.start()
        let settings = [
            "LATCHKEY_STORE": try await PostgreSQL.shared.freshURL(), "LATCHKEY_CHALLENGES": redis.url,
            "LATCHKEY_TRUSTED_PROXIES": "127.0.0.1/32",
        ]
        let server = try await LatchkeyServer.start(settings)
        let site = try await Site.make("acme", on: server, domain: host)
        _ = try await site.client(
            "App",
            members: ["mobile": ["ios": ["team_id": "ABCDE12345", "app_bundle_identifier": "com.acme.app"]]]
        )
        let nginx = try await Nginx.start(for: host, before: [server])

        let well = try await diagnose(server, nginx, settings)
        #expect(well.result.exit == 0 && well.findings("failed").isEmpty, "\(well.result)")
        // The test's certificate is good for two days.
        #expect(well.findings("warning").allSatisfy { $0.hasPrefix("TLS: the certificate ends in") }, "\(well.result)")
        let seen = well.findings("ok").map { String($0.prefix { $0 != ":" }) }
        for check in [
            "configuration", "store", "master key", "challenges", "tenants", "public name", "clock", "proxy headers",
            "JWKS", "app files", "origins",
        ] {
            #expect(seen.contains(check), "\(check): \(well.result)")
        }
        #expect(well.findings("skipped").allSatisfy { $0.hasPrefix("mail") }, "\(well.result)")

        let distrusted = try await diagnose(server, nginx, settings, trusting: false)
        #expect(distrusted.result.exit == 10, "\(distrusted.result)")
        #expect(
            distrusted.findings("failed").contains { $0.hasPrefix("TLS: it cannot be asked") },
            "\(distrusted.result)"
        )
        try await nginx.stop()

        // What the client sends gets through: nginx adds nothing of its own.
        let careless = try await Nginx.start(
            for: host,
            before: [server],
            saying: [
                "proxy_pass http://latchkey;", "proxy_set_header Host $http_host;",
                "proxy_set_header X-Forwarded-For $remote_addr;", "proxy_set_header X-Forwarded-Proto $scheme;",
            ]
        )
        let forged = try await diagnose(server, careless, settings)
        #expect(forged.result.exit == 10, "\(forged.result)")
        #expect(
            forged.findings("failed").map { $0.prefix(42) } == ["proxy headers: a forged X-Forwarded-Host g"],
            "\(forged.result)"
        )
        try await careless.stop()

        try await redis.kill()
        let halved = try await diagnose(server, nginx, settings)
        #expect(halved.result.exit == 10, "\(halved.result)")
        let failed = halved.findings("failed").map { String($0.prefix { $0 != ":" }) }
        #expect(failed == ["challenges", "public name", "app files"], "\(halved.result)")
        try await server.stop()
    }

    @Test("A mail server is greeted, and one that is not there is said to be away")
    func mail() async throws {
        let server = try await LatchkeyServer.start()
        let folder = try TemporaryFolder()
        let sink = try ChildProcess(
            Nginx.python,
            [Paths.repository + "/Tests/EndToEndTests/Configurations/mail_greeter.py", folder.file("port")],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        let isListening = try await eventually(seconds: 90) {
            !contents(folder.file("port")).isEmpty || !sink.isRunning
        }
        try #require(isListening && sink.isRunning, "\(sink.errors)")
        let address = "smtp://127.0.0.1:\(contents(folder.file("port")))"
        func diagnose() async throws -> CommandResult {
            try await run(
                Paths.admin,
                ["doctor", "--offline"],
                environment: [
                    "LATCHKEY_STORE": server.store, "LATCHKEY_MASTER_KEY_FILE": server.masterKey,
                    "LATCHKEY_MAIL": address, "LATCHKEY_MAIL_FROM": "no-reply@acme.example",
                ],
                seconds: 120
            )
        }
        let well = try await diagnose()
        #expect(well.exit == 0, "\(well)")
        #expect(well.output.contains("ok        mail           \(address): the server answers"), "\(well)")
        sink.send(SIGKILL)
        try await sink.wait()
        let away = try await diagnose()
        #expect(away.exit == 10 && away.output.contains("failed    mail"), "\(away)")
        #expect(sink.output.contains("NOOP"), "\(sink.output)")
        try await server.stop()
    }
}
