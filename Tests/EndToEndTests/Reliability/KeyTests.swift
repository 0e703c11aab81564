import COSE
import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

/// Keys that move on, are damaged or lost, while servers run or start.
@Suite("Keys at rest and signing keys", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct KeyTests {
    private func kids(_ site: Site) async throws -> [String] {
        let answer = try await site.send(.get("/.well-known/jwks.json"))
        return answer["keys"]?.array?.compactMap { $0.object?["kid"]?.string } ?? []
    }

    private func kid(of token: String) throws -> String {
        let header = try Base64URL.decode(String(token.split(separator: ".").first ?? ""))
        return try #require(try JSON.parse(header).object?["kid"]?.string)
    }

    private func info(_ token: String) -> Request {
        .get("/userinfo").with("Authorization", "Bearer \(token)")
    }

    @Test("Two servers follow a rotation and a revocation without a restart, and every token keeps its key")
    func rotation() async throws {
        let first = try await LatchkeyServer.start()
        let second = try await first.joined()
        let app = try await Site.make("acme", on: first, domain: "login.acme.example").client("App")
        let sites = [app.site, app.site.on(second)]
        var authenticator = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        let before = try await app.signUp(with: &authenticator).token("access_token")
        let old = try kid(of: before)
        let published = try await kids(app.site)
        #expect(published.count == 4 && published.contains(old))

        let plan = try await first.admin(["key", "rotate", "--tenant", "acme", "--plan", "-o", "json"])
        #expect(plan.exit == 0 && plan.output.contains(old), "\(plan)")
        #expect(try await kids(app.site) == published, "a plan changes nothing")

        let rotated = try await first.admin(["key", "rotate", "--tenant", "acme", "-o", "json"])
        #expect(rotated.exit == 0, "\(rotated)")
        for site in sites {
            #expect(
                try await eventually(seconds: 90) { try await kids(site).count == 6 },
                "a new next key is published"
            )
            let now = try await app.at(site).signIn(with: &authenticator).token("access_token")
            #expect(try kid(of: now) != old)
            #expect(published.contains(try kid(of: now)), "it was published before")
            for token in [before, now] { #expect(try await site.send(info(token)).status == 200) }
        }
        let tooSoon = try await first.admin(["key", "rotate", "--tenant", "acme"])
        #expect(tooSoon.exit == 5 && tooSoon.errors.contains("clients may not know it"), "\(tooSoon)")

        let revocation = try await first.admin(["key", "revoke", "--tenant", "acme", "--plan", "--", old])
        #expect(revocation.exit == 0 && revocation.output.contains("every token that it signed"), "\(revocation)")
        #expect(try await kids(app.site).contains(old))
        let unsure = try await first.admin(["key", "revoke", "--tenant", "acme", "--", old])
        #expect(unsure.exit == 2 && unsure.errors.contains("--yes"), "\(unsure)")
        let revoked = try await first.admin(["key", "revoke", "--tenant", "acme", "--yes", "--", old])
        #expect(revoked.exit == 0, "\(revoked)")
        for site in sites {
            #expect(try await eventually(seconds: 90) { try await !kids(site).contains(old) })
            #expect(try await site.send(info(before)).status == 401)
        }
        let again = try await first.admin(["key", "revoke", "--tenant", "acme", "--yes", "--", old])
        #expect(again.exit == 3, "\(again)")
        try await first.stop()
        try await second.stop()
    }

    @Test("The master key is changed while two servers run; then the new one alone opens the store")
    func masterKey() async throws {
        let first = try await LatchkeyServer.start()
        let second = try await first.joined()
        let app = try await Site.make("acme", on: first, domain: "login.acme.example").client("App")
        var authenticator = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        try await app.signUp(with: &authenticator)
        let settings = ["LATCHKEY_MASTER_KEY_FILE": first.masterKey, "LATCHKEY_STORE": first.store]
        func admin(_ words: String...) async throws -> CommandResult {
            try await run(Paths.admin, ["master-key"] + words, environment: settings)
        }
        let early = try await admin("rotate")
        #expect(early.exit == 5 && early.errors.contains("rotate --add"), "\(early)")
        let oldFile = try String(contentsOfFile: first.masterKey, encoding: .utf8)
        let added = try await admin("rotate", "--add")
        #expect(added.exit == 0, "\(added)")
        let bothKeys = try String(contentsOfFile: first.masterKey, encoding: .utf8)
        #expect(bothKeys.count > oldFile.count && bothKeys.hasPrefix("#"))
        let mode = try FileManager.default.attributesOfItem(atPath: first.masterKey)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let rotated = try await admin("rotate")
        #expect(rotated.exit == 0, "\(rotated)")
        for server in [first, second] { try await app.at(app.site.on(server)).signIn(with: &authenticator) }
        try await first.stop()
        try await second.stop()

        // The old key alone opens nothing any more, and the line says which is missing.
        let lines = bothKeys.split(separator: "\n").filter { !$0.hasPrefix("#") }
        try String(lines[1] + "\n").write(toFile: first.masterKey, atomically: false, encoding: .utf8)
        let refused = try await startRefused(settings)
        #expect(refused.contains(String(lines[0].prefix { $0 != " " })), "\(refused)")
        try String(lines[0] + "\n").write(toFile: first.masterKey, atomically: false, encoding: .utf8)
        let third = try await first.restarted()
        try await app.at(app.site.on(third)).signIn(with: &authenticator)
        try await third.stop()
    }

    @Test("A flipped byte and a swapped row stop the start with a line that names the row")
    func damage() async throws {
        let server = try await LatchkeyServer.start()
        _ = try await Site.make("acme", on: server, domain: "login.acme.example")
        _ = try await Site.make("other", on: server, domain: "login.other.example")
        try await server.stop()
        let settings = ["LATCHKEY_MASTER_KEY_FILE": server.masterKey, "LATCHKEY_STORE": server.store]
        let isSQLite = StoreChoice.current == .sqlite
        let (bytes, zero) = isSQLite ? ("BLOB", "x'00'") : ("bytea", "'\\x00'::bytea")
        func sql(_ text: String) async throws -> String {
            let result: CommandResult
            if isSQLite {
                result = try await run("/usr/bin/sqlite3", [String(server.store.dropFirst("sqlite:".count)), text])
            } else {
                result = try await PostgreSQL.shared.sql(text, in: PostgreSQL.database(of: server.store))
            }
            try #require(result.exit == 0, "\(result)")
            return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard !isSQLite || FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3") else { return }
        let kid = try await sql("SELECT id FROM signing_key WHERE tenant_id = 1 ORDER BY id LIMIT 1")
        for change in [
            """
            UPDATE signing_key SET sealed_private_key = CAST(substr(sealed_private_key, 1, 40) || \(zero)
                || substr(sealed_private_key, 42) AS \(bytes)) WHERE id = '\(kid)'
            """,
            """
            UPDATE signing_key SET (public_key, certificate, sealed_private_key) =
                (SELECT public_key, certificate, sealed_private_key FROM signing_key b
                 WHERE b.tenant_id = 2 AND b.algorithm = signing_key.algorithm LIMIT 1) WHERE id = '\(kid)'
            """,
            "UPDATE signing_key SET public_key = CAST(public_key || \(zero) AS \(bytes)) WHERE id = '\(kid)'",
        ] {
            _ = try await sql("CREATE TABLE IF NOT EXISTS kept AS SELECT * FROM signing_key; \(change)")
            let refused = try await startRefused(settings)
            #expect(refused.contains(kid) && refused.contains("acme"), "\(refused)")
            _ = try await sql("DELETE FROM signing_key; INSERT INTO signing_key SELECT * FROM kept; DROP TABLE kept")
        }
        _ = try await sql(
            "UPDATE deployment SET sealed_data_key = CAST(\(zero) || substr(sealed_data_key, 2) AS \(bytes))"
        )
        let refused = try await startRefused(settings)
        #expect(refused.contains("data key") && refused.contains("backup"), "\(refused)")
    }

    @Test("A lost master key is replaced: everybody signs in again, with the passkey of before")
    func lost() async throws {
        let server = try await LatchkeyServer.start()
        let app = try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
        var authenticator = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        let signedUp = try await app.signUp(with: &authenticator)
        let accessToken = try signedUp.token("access_token")
        let refreshToken = try signedUp.token("refresh_token")
        if StoreChoice.current == .sqlite {
            let inUse = try await server.admin(["master-key", "replace-lost", "--yes"])
            #expect(inUse.exit == 5 && inUse.errors.contains("in use"), "\(inUse)")
        }
        try await server.stop()
        let early = try await server.admin(["master-key", "replace-lost", "--yes"])
        #expect(early.exit == 5 && early.errors.contains("not lost"), "\(early)")
        try FileManager.default.removeItem(atPath: server.masterKey)
        let made = try await run(Paths.admin, ["master-key", "create", server.masterKey])
        #expect(made.exit == 0, "\(made)")
        let asked = try await server.admin(["master-key", "replace-lost"])
        #expect(asked.exit == 2 && asked.errors.contains("4 signing keys"), "it says what is lost, and asks\n\(asked)")
        let replaced = try await server.admin(["master-key", "replace-lost", "--yes"])
        #expect(replaced.exit == 0, "\(replaced)")

        let again = try await server.restarted()
        let there = app.at(app.site.on(again))
        #expect(try await there.refresh(refreshToken).status != 200, "everybody signs in again")
        #expect(try await there.site.send(info(accessToken)).status == 200, "what is out verifies until it ends")
        let token = try await there.signIn(with: &authenticator).token("access_token")
        #expect(try kid(of: token) != kid(of: accessToken))
        #expect(try await there.site.send(info(token)).status == 200)
        try await again.stop()
    }

    @Test("A server that was left running while its master key was replaced is not ready, and says why")
    func leftRunning() async throws {
        let server = try await LatchkeyServer.start(["LATCHKEY_STORE": try await PostgreSQL.shared.freshURL()])
        let site = try await Site.make("acme", on: server, domain: "login.acme.example")
        #expect(try await site.send(.get("/readyz")).status == 200)
        try FileManager.default.removeItem(atPath: server.masterKey)
        let made = try await run(Paths.admin, ["master-key", "create", server.masterKey])
        #expect(made.exit == 0, "\(made)")
        let replaced = try await server.admin(["master-key", "replace-lost", "--yes"])
        #expect(replaced.exit == 0, "\(replaced)")
        var status = 200
        for _ in 0..<240 where status == 200 {
            try await Task.sleep(for: .milliseconds(250))
            status = try await site.send(.get("/readyz")).status
        }
        #expect(status == 503)
        #expect(server.log.contains("begun anew with another data key"))
        try await server.stop()
    }

    /// Starts a server that must refuse, and gives what it said.
    private func startRefused(_ settings: [String: String]) async throws -> String {
        var environment = settings
        environment["LATCHKEY_LISTEN"] = "127.0.0.1:\(try freePort())"
        let result = try await run(Paths.server, [], environment: environment)
        #expect(result.exit == 1, "\(result)")
        #expect(result.errorLines.count == 1, "one line\n\(result)")
        return result.errors
    }
}
