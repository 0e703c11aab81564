import Encodings
import Foundation
import Glibc
import Programs
import Testing

/// What an operator meets when something is wrong: one clear line, an exit code other than 0, and nothing changed.
@Suite("Starting the server wrongly", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct StartTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Everything in the folder, byte for byte, but for SQLite's shared memory and the file that is locked before it.
    private func snapshot() -> [String: Data] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return Dictionary(
            uniqueKeysWithValues: names.filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-lock") }.map {
                ($0, FileManager.default.contents(atPath: folder.file($0)) ?? Data())
            }
        )
    }

    private func masterKey(_ name: String = "master.key") async throws -> String {
        let path = folder.file(name)
        let made = try await run(Paths.admin, ["master-key", "create", path])
        try #require(made.exit == 0, "\(made)")
        return path
    }

    /// A working configuration, with `changes` made to it.
    private func environment(_ changes: [String: String]) async throws -> [String: String] {
        let key = folder.file("master.key")
        if !FileManager.default.fileExists(atPath: key) { _ = try await masterKey() }
        var environment = [
            "LATCHKEY_LISTEN": "127.0.0.1:\(try freePort())", "LATCHKEY_STORE": "sqlite:" + folder.file("latchkey.db"),
            "LATCHKEY_CHALLENGES": "memory:", "LATCHKEY_MASTER_KEY_FILE": key,
        ]
        environment.merge(changes) { $1 }
        return environment.filter { $0.value != "" }
    }

    /// Starts the server, and expects it to say one line that has all of `words`.
    private func refuses(
        _ changes: [String: String],
        _ flags: [String] = [],
        saying words: String...,
        exit: Int32? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let environment = try await environment(changes)
        let before = snapshot()
        let result = try await run(Paths.server, flags, environment: environment, seconds: 60)
        let code = try #require(result.exit, "it runs on\n\(result)", sourceLocation: sourceLocation)
        #expect((1..<128).contains(code), "\(result)", sourceLocation: sourceLocation)
        if let exit { #expect(code == exit, "\(result)", sourceLocation: sourceLocation) }
        #expect(result.errorLines.count == 1, "one line\n\(result)", sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, "\(result)", sourceLocation: sourceLocation)
        for word in words { #expect(result.errors.contains(word), "\(result)", sourceLocation: sourceLocation) }
        #expect(snapshot() == before, "nothing changed", sourceLocation: sourceLocation)
        #expect(result.filesLeft.isEmpty, sourceLocation: sourceLocation)
    }

    @Test("A value that cannot be: the setting, the value, and what would be right")
    func badValues() async throws {
        try await refuses(["LATCHKEY_CHALLENGES": "redos:"], saying: "challenges", "redos:", "memory", exit: 2)
        try await refuses(["LATCHKEY_LISTEN": "nonsense"], saying: "listen", "nonsense", exit: 2)
        try await refuses(["LATCHKEY_STORE": "mysql://x"], saying: "store", "sqlite", exit: 2)
        try await refuses(["LATCHKEY_RATE_LIMITS_TOKEN": "lots"], saying: "rate_limits.token", "lots", exit: 2)
        try await refuses(["LATCHKEY_TRUSTED_PROXIES": "0.0.0.0/0"], saying: "trusted_proxies", "0.0.0.0/0", exit: 2)
        try await refuses(["LATCHKEY_LIMITS_BODY": "7"], saying: "limits.body", exit: 2)
        try await refuses(["LATCHKEY_TLS_CERTIFICATE": "/nonexistent.pem"], saying: "tls", exit: 2)
    }

    @Test("Parts that are not built yet are one clear line")
    func notBuilt() async throws {
        try await refuses(
            ["LATCHKEY_MDS_URL": "https://mds.acme.example/"],
            saying: "mds.url",
            "but this version"
        )
    }

    @Test("A mail template with a placeholder that it cannot have: file, line, and those that it can")
    func badTemplate() async throws {
        let file = try folder.write("Subject: x\n\nHi {{nmae}}\n", to: "test.en.txt")
        try await refuses(
            ["LATCHKEY_MAIL_TEMPLATES": file.split(separator: "/").dropLast().map { "/" + $0 }.joined()],
            saying: "/test.en.txt:3: {{nmae}}",
            "{{address}}",
            exit: 2
        )
    }

    @Test("A PostgreSQL server that is not there: where it was looked for, without the password")
    func noPostgres() async throws {
        try await refuses(
            ["LATCHKEY_STORE": "postgres://latchkey:hidden@127.0.0.1:1/latchkey"],
            saying: "PostgreSQL cannot be reached",
            "127.0.0.1:1",
            exit: 6
        )
    }

    @Test("--no-migrate: an empty store is refused, and one that is current is not")
    func noMigrate() async throws {
        try await refuses([:], ["--no-migrate"], saying: "latchkey-admin migrate up")
        let environment = try await environment([:])
        let before = try await run(Paths.admin, ["migrate", "status", "-o", "json"], environment: environment)
        #expect(before.exit == 10 && before.output.contains("\"schema\": 0"), "\(before)")
        let up = try await run(Paths.admin, ["migrate", "up", "-o", "json"], environment: environment)
        #expect(up.exit == 0, "\(up)")
        let after = try await run(Paths.admin, ["migrate", "status", "-o", "json"], environment: environment)
        #expect(after.exit == 0 && after.output.contains("\"pending\": []"), "\(after)")
        let server = try ChildProcess(Paths.server, ["--no-migrate"], environment: environment)
        #expect(try await eventually(seconds: 90) { (server.output + server.errors).contains("listening on ") })
        server.send(SIGTERM)
        #expect(try await server.wait() == 0)
    }

    @Test("A file and its twin are an error, and so is a flag that does not exist")
    func twins() async throws {
        let file = try folder.write("sqlite:/nonexistent/x.db", to: "url")
        try await refuses(["LATCHKEY_STORE_FILE": file], saying: "LATCHKEY_STORE_FILE", "Keep one", exit: 2)
        try await refuses([:], ["--nonsense"], saying: "--nonsense", exit: 2)
        try await refuses([:], ["sevre"], saying: "sevre", "serve", exit: 2)
    }

    @Test("An unknown key in the file: file, line, column, and the nearest name")
    func unknownKey() async throws {
        let file = try folder.write("log:\n  level: info\nchalenges: memory\n", to: "latchkey.yaml")
        try await refuses([:], ["--config", file], saying: file, ":3:1", "chalenges", "challenges", exit: 2)
        let broken = try folder.write("listen: [127.0.0.1:1\n", to: "broken.yaml")
        try await refuses([:], ["--config", broken], saying: broken, exit: 2)
        try await refuses([:], ["--config", folder.file("nowhere.yaml")], saying: "nowhere.yaml", exit: 2)
    }

    @Test("The master key: missing, readable by others, malformed, a folder")
    func masterKeyFiles() async throws {
        let missing = folder.file("none.key")
        try await refuses(
            ["LATCHKEY_MASTER_KEY_FILE": missing],
            saying: missing,
            "latchkey-admin master-key create",
            exit: 2
        )
        let open = try await masterKey("open.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
        try await refuses(["LATCHKEY_MASTER_KEY_FILE": open], saying: open, exit: 2)
        let malformed = try folder.write("not a key\n", to: "malformed.key")
        try await refuses(["LATCHKEY_MASTER_KEY_FILE": malformed], saying: "master key file", "Line 1", exit: 2)
        let empty = try folder.write("", to: "empty.key")
        try await refuses(
            ["LATCHKEY_MASTER_KEY_FILE": empty],
            saying: "master key file",
            "latchkey-admin master-key create",
            exit: 2
        )
        try await refuses(["LATCHKEY_MASTER_KEY_FILE": folder.path], saying: folder.path, exit: 2)
        try await refuses(["LATCHKEY_MASTER_KEY_FILE": ""], saying: "master_key_file", exit: 2)
    }

    /// Makes a store that has a tenant.
    private func makeStore() async throws {
        let environment = try await environment([:])
        let made = try await run(
            Paths.admin,
            ["tenant", "create", "acme", "--domain", "login.acme.example", "-o", "json"],
            environment: environment
        )
        try #require(made.exit == 0, "\(made)")
    }

    @Test("Another master key than the store's is refused by server and command, and the right one goes on")
    func wrongMasterKey() async throws {
        try await makeStore()
        let other = try await masterKey("other.key")
        try await refuses(["LATCHKEY_MASTER_KEY_FILE": other], saying: "master key")
        let before = snapshot()
        let environment = try await environment(["LATCHKEY_MASTER_KEY_FILE": other])
        let result = try await run(
            Paths.admin,
            ["tenant", "create", "second", "--domain", "second.example"],
            environment: environment
        )
        #expect(result.exit == 1 || result.exit == 2, "\(result)")
        #expect(result.errorLines.count == 1, "\(result)")
        #expect(snapshot() == before)
    }

    @Test("A port that is in use: the address, and what to do")
    func portInUse() async throws {
        let server = try await LatchkeyServer.start()
        try await refuses(
            ["LATCHKEY_LISTEN": "127.0.0.1:\(server.port)"],
            saying: "127.0.0.1:\(server.port)",
            "in use",
            "--listen"
        )
        #expect(try await server.send(.get("/healthz")).status == 200)
        try await server.stop()
    }

    @Test("A store whose schema shuts this version out, is no database, or lies below a file")
    func stores() async throws {
        try await makeStore()
        let store = folder.file("latchkey.db")
        let newer =
            "INSERT INTO schema_migration (number, oldest_server, hash) VALUES (99, 99, 1); PRAGMA wal_checkpoint(TRUNCATE);"
        let changed = try await run("/usr/bin/sqlite3", [store, newer])
        try #require(changed.exit == 0, "\(changed)")
        try await refuses([:], saying: "schema 99", "newer version")
        let environment = try await environment([:])
        let before = snapshot()
        let listing = try await run(Paths.admin, ["tenant", "list"], environment: environment)
        #expect((listing.exit ?? 0) != 0 && listing.errorLines.count == 1, "\(listing)")
        #expect(listing.errors.contains("schema 99"))
        #expect(snapshot() == before)
        let text = try folder.write(String(repeating: "This is no database.\n", count: 100), to: "text.db")
        try await refuses(["LATCHKEY_STORE": "sqlite:" + text], saying: text)
        let below = text + "/latchkey.db"
        try await refuses(["LATCHKEY_STORE": "sqlite:" + below], saying: text)
    }

    @Test("A store where one more schema is known to be harmless is opened: one version back keeps working")
    func oneVersionBack() async throws {
        try await makeStore()
        let newer = "INSERT INTO schema_migration (number, oldest_server, hash) VALUES (99, 1, 1)"
        let changed = try await run("/usr/bin/sqlite3", [folder.file("latchkey.db"), newer])
        try #require(changed.exit == 0, "\(changed)")
        let environment = try await environment([:])
        let listing = try await run(Paths.admin, ["tenant", "list", "-o", "json"], environment: environment)
        #expect(listing.exit == 0, "\(listing)")
        #expect(listing.output.contains("acme"))
    }

    @Test("An unknown LATCHKEY_ variable is a warning with the nearest name; Kubernetes' own is none of ours")
    func unknownVariables() async throws {
        let environment = try await environment([
            "LATCHKEY_CHALENGES": "memory", "LATCHKEY_PORT": "tcp://10.0.0.1:80",
        ])
        let result = try await run(Paths.server, ["config", "check"], environment: environment)
        #expect(result.exit == 0, "\(result)")
        #expect(result.errors.contains("LATCHKEY_CHALENGES"))
        #expect(result.errors.contains("LATCHKEY_CHALLENGES"))
    }
}

@Suite("Configuration files", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct ConfigurationTests {
    private func file(_ name: String) -> String {
        Paths.repository + "/Tests/EndToEndTests/Configurations/" + name
    }

    @Test(
        "The printed examples for one machine are accepted",
        arguments: [
            ("embedded.yaml", ["./latchkey-data"]),
            (
                "behind-proxy.yaml",
                [
                    "localhost:8080", "127.0.0.1:9090", "sqlite:/var/lib/latchkey/latchkey.db",
                    "/etc/latchkey/master.key",
                ]
            ),
        ]
    )
    func accepted(_ name: String, _ shown: [String]) async throws {
        let result = try await run(Paths.server, ["config", "check", "--config", file(name)])
        #expect(result.exit == 0, "\(result)")
        #expect(result.errors.isEmpty, "\(result)")
        for text in shown { #expect(result.output.contains(text), "\(result)") }
        #expect(result.output.contains(name), "the source of a value is shown")
        #expect(result.filesLeft.isEmpty)
    }

    @Test("The one for several servers is accepted with its secret files")
    func severalServers() async throws {
        let folder = try TemporaryFolder()
        var text = contents(file("several-servers.yaml"))
        for (name, value) in [
            ("store_url", "postgres://latchkey:hidden@db1,db2/latchkey?sslmode=verify-full\n"),
            ("redis_url", "rediss://latchkey:hidden@redis:6379/0\n"),
            ("master_key", "x"), ("mail_url", "smtps://user:hidden@smtp.acme.example\n"),
        ] {
            text = text.replacingOccurrences(of: "/run/secrets/\(name)", with: try folder.write(value, to: name))
        }
        let config = try folder.write(text, to: "latchkey.yaml")
        let result = try await run(Paths.server, ["config", "check", "--config", config])
        #expect(result.exit == 0, "\(result)")
        #expect(result.errorLines.isEmpty, "\(result)")
        for shown in [
            "db1,db2", "verify-full", "rediss://", "0.0.0.0:8080", "10.0.0.0/24", "120/minute", "latchkey.yaml",
        ] {
            #expect(result.output.contains(shown), "\(shown)\n\(result)")
        }
        for name in ["store_url", "redis_url", "mail_url"] { #expect(result.output.contains(folder.file(name))) }
        #expect(!result.description.contains("hidden"), "secrets are never shown")
        #expect(result.filesLeft.isEmpty)
    }

    @Test("The example file that the server prints is one that it accepts")
    func ownExample() async throws {
        let folder = try TemporaryFolder()
        let example = try await run(Paths.server, ["config", "example"])
        #expect(example.exit == 0)
        let config = try folder.write(example.output, to: "latchkey.yaml")
        let result = try await run(
            Paths.server,
            ["config", "check", "--config", config],
            environment: ["LATCHKEY_DATA_DIR": folder.path]
        )
        #expect(result.exit == 0, "\(result)")
    }

    @Test("Flags win over the environment, that over the file")
    func precedence() async throws {
        let folder = try TemporaryFolder()
        let config = try folder.write("data_dir: /a\nlog: { level: error }\nlisten: localhost:7001\n", to: "l.yaml")
        let result = try await run(
            Paths.server,
            ["config", "check", "--config", config, "--listen", "localhost:7003"],
            environment: ["LATCHKEY_LISTEN": "localhost:7002", "LATCHKEY_LOG_LEVEL": "warning"]
        )
        #expect(result.exit == 0, "\(result)")
        #expect(result.output.contains("localhost:7003"))
        #expect(!result.output.contains("localhost:7002") && !result.output.contains("localhost:7001"))
        #expect(result.output.contains("LATCHKEY_LOG_LEVEL"))
    }
}
