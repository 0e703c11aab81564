import COSE
import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

/// What docs/operations.md says of backups with PostgreSQL's own tools, done with its own lines.
@Suite("Backups of PostgreSQL", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct PostgresBackupTests {
    @Test("A dump made while people sign up is put back: passkeys sign in, and what lived is revoked")
    func dump() async throws {
        let database = PostgreSQL(named: "dump", [])
        let url = try await database.freshURL()
        let name = PostgreSQL.database(of: url)
        let server = try await LatchkeyServer.start(["LATCHKEY_STORE": url])
        let app = try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
        var ana = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        let before = try await app.signUp(with: &ana)
        let file = database.folder + "/latchkey.dump"

        let signUps = Task {
            var count = 0
            // One that the database had no time for is tried again by whoever signs up.
            while !Task.isCancelled { if try await Self.signsUp(app) { count += 1 } }
            return count
        }
        // Under way before the dump begins.
        let users = "SELECT count(*) FROM user_account"
        let isBusy = try await eventually(seconds: 90) {
            try await Int(database.tool("psql", "-qXAt", "-d", name, "-c", users).line) ?? 0 >= 3
        }
        #expect(isBusy)
        try await database.tool("pg_dump", "--format=custom", "--file", file, name)
        signUps.cancel()
        let added = try await signUps.value
        try await server.stop()

        try await database.tool(
            "createdb",
            "--template",
            "template0",
            "--encoding",
            "UTF8",
            "--owner",
            "latchkey",
            "latchkey_restored"
        )
        try await database.tool("pg_restore", "--exit-on-error", "--dbname", "latchkey_restored", file)
        try await revokeWhatLived(in: "latchkey_restored", database)
        let restored = try await Int(database.tool("psql", "-qXAt", "-d", "latchkey_restored", "-c", users).line) ?? 0
        #expect(restored >= 3 && restored <= added + 1, "\(restored) of \(added + 1)")

        let again = try await server.restarted(["LATCHKEY_STORE": database.url(of: "latchkey_restored")])
        let after = app.at(app.site.on(again))
        try await expectGoesOn(after, &ana, before)
        try await again.stop()
    }

    @Test("With archived logs the database goes back to the moment before an accident")
    func pointInTime() async throws {
        let archive = "/tmp/latchkey-e2e-archive-\(ProcessInfo.processInfo.processIdentifier)"
        let database = PostgreSQL(
            named: "pitr",
            [
                "wal_level = replica", "archive_mode = on",
                "archive_command = 'mkdir -p \(archive) && cp %p \(archive)/%f'",
            ]
        )
        defer { try? FileManager.default.removeItem(atPath: archive) }
        let url = try await database.freshURL()
        let name = PostgreSQL.database(of: url)
        let server = try await LatchkeyServer.start(["LATCHKEY_STORE": url])
        let app = try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
        var ana = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        try await app.signUp(with: &ana)
        let base = database.folder + "/base"
        try await database.tool("pg_basebackup", "--pgdata", base, "--checkpoint", "fast")
        var berta = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        let before = try await app.signUp(with: &berta)
        try await Task.sleep(for: .milliseconds(50))
        let moment = try await database.tool("psql", "-qXAt", "-d", name, "-c", "SELECT now()").line
        try await Task.sleep(for: .milliseconds(50))
        try await database.tool("psql", "-qX", "-d", name, "-c", "DELETE FROM passkey")
        let begun = try await app.challenge()
        let answer = try ana.get(begun.options, origin: app.site.origin)
        #expect(try await app.redeem(begun, answer).status != 200, "the accident")
        try await database.tool("psql", "-qX", "-d", "postgres", "-c", "SELECT pg_switch_wal()")
        try await server.stop()
        try await database.stop()

        try await database.tool(
            "sh",
            "-c",
            """
            cat >>\(base)/postgresql.conf <<'CONF'
            restore_command = 'cp \(archive)/%f %p'
            recovery_target_time = '\(moment)'
            recovery_target_action = 'promote'
            archive_mode = off
            CONF
            touch \(base)/recovery.signal
            """
        )
        try await database.resume(on: base)
        let isOpen = try await eventually(seconds: 90) {
            try await database.tool("psql", "-qXAt", "-d", name, "-c", "SELECT pg_is_in_recovery()").line == "f"
        }
        #expect(isOpen)
        try await revokeWhatLived(in: name, database)
        let again = try await server.restarted(["LATCHKEY_STORE": url])
        let after = app.at(app.site.on(again))
        try await expectGoesOn(after, &berta, before)
        try await after.signIn(with: &ana)
        try await again.stop()
        try await database.tool("pg_ctl", "-D", base, "-m", "immediate", "-w", "stop")
    }

    /// Whether somebody new could sign up.
    private static func signsUp(_ app: App) async throws -> Bool {
        var somebody = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        let begun = try await app.site.send(app.registerRequest(["email": .string(uniqueEmail())]))
        guard begun.status == 200, let session = begun.string("auth_session"),
            let options = begun["authn_params_public_key"]?.object
        else { return false }
        let answer = try somebody.create(options, origin: app.site.origin)
        return try await app.site.send(app.tokenRequest(session, answer)).status == 200
    }

    /// Runs the statements that docs/operations.md gives for a database that was put back.
    private func revokeWhatLived(in name: String, _ database: PostgreSQL) async throws {
        let lines = contents(Paths.repository + "/docs/operations.md").components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: "    BEGIN;"))
        let end = try #require(lines[start...].firstIndex(of: "    COMMIT;"))
        let statements = lines[start...end].joined(separator: "\n")
        try await database.tool("psql", "-qX", "-v", "ON_ERROR_STOP=1", "-d", name, "-c", statements)
    }

    /// The passkey signs in, what was out is revoked or goes on, as the documentation says.
    private func expectGoesOn(_ app: App, _ person: inout Authenticator, _ before: Response) async throws {
        let tokens = try await app.signIn(with: &person)
        #expect(try await app.refresh(try tokens.token("refresh_token")).status == 200)
        #expect(try await app.refresh(try before.token("refresh_token")).status == 403, "refresh tokens are revoked")
        let info = Request.get("/userinfo").with("Authorization", "Bearer \(try before.token("access_token"))")
        #expect(try await app.site.send(info).status == 200, "the signing keys are those of before")
    }
}
