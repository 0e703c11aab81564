import COSE
import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

/// A deployment that grows, and one that comes back from its backup.
@Suite(
    "Moved and restored",
    .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"),
    .enabled(if: StoreChoice.current == .sqlite, "begins on SQLite")
)
struct MovingTests {
    @Test("From SQLite to PostgreSQL nobody has to enrol again, and refresh tokens go on")
    func moves() async throws {
        let folder = try TemporaryFolder()
        let old = try await LatchkeyServer.start(in: folder)
        let app = try await Site.make("acme", on: old, domain: "login.acme.example").client("App")
        var ana = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        let before = try await app.signUp(with: &ana)

        let target = try await PostgreSQL.shared.freshURL()
        try folder.write("store: \"\(old.store)\"\nmaster_key_file: \(old.masterKey)\n", to: "old.yaml")
        try folder.write("store: \"\(target)\"\nmaster_key_file: \(old.masterKey)\n", to: "new.yaml")
        let copy = ["copy", "--from", folder.file("old.yaml"), "--to", folder.file("new.yaml"), "-o", "json"]
        let ahead = try await run(Paths.admin, copy + ["--online"])
        try #require(ahead.exit == 0 && ahead.errors.contains("again without --online"), "\(ahead)")
        let refused = try await run(Paths.admin, ["tenant", "list", "--store", target])
        #expect(refused.exit == 1 && refused.errors.contains("latchkey-admin copy"), "\(refused)")
        // Who signs up between the two runs is there too.
        var bo = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        try await app.signUp(with: &bo)
        try await old.stop()
        let copied = try await run(Paths.admin, copy)
        try #require(copied.exit == 0, "\(copied)")
        let tables = try #require(try JSON.parse(Array(copied.output.utf8)).array)
        #expect(tables.contains { $0.object?["table"] == "passkey" && $0.object?["rows"] == 2 })

        let new = try await LatchkeyServer.start(["LATCHKEY_STORE": target], in: folder)
        let moved = app.at(app.site.on(new))
        try await moved.signIn(with: &ana)
        try await moved.signIn(with: &bo)
        let refreshed = try await moved.refresh(try before.token("refresh_token"))
        #expect(refreshed.status == 200, "\(refreshed)")
        // The keys have moved too: what the old server signed is still good.
        let token = try before.token("access_token")
        let userInfo = try await moved.site.send(.get("/userinfo").with("Authorization", "Bearer \(token)"))
        #expect(userInfo.status == 200, "\(userInfo)")
        try await new.stop()
        // A second copy into a store that is in use changes nothing.
        let again = try await run(
            Paths.admin,
            ["copy", "--from", folder.file("old.yaml"), "--to", folder.file("new.yaml")]
        )
        #expect(again.exit == 5, "\(again)")
    }

    @Test("A backup made under load is put back: passkeys sign in, and what lived is revoked")
    func restores() async throws {
        let folder = try TemporaryFolder()
        let server = try await LatchkeyServer.start(in: folder)
        let store = server.store
        let app = try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
        var ana = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        let before = try await app.signUp(with: &ana)
        let copy = folder.file("copy.db")
        let made = try await run(Paths.admin, ["backup", copy, "--store", store])
        try #require(made.exit == 0, "\(made)")
        let inUse = try await run(Paths.admin, ["restore", copy, "--yes", "--store", store])
        #expect(inUse.exit == 5, "\(inUse)")
        try await server.stop()
        // Of another deployment's backup no server here could open the keys.
        let other = try await LatchkeyServer.start()
        _ = try await Site.make("other", on: other, domain: "login.other.example")
        let foreign = folder.file("foreign.db")
        let madeThere = try await run(Paths.admin, ["backup", foreign, "--store", other.store])
        try #require(madeThere.exit == 0, "\(madeThere)")
        try await other.stop()
        let words = ["--yes", "--store", store, "--master-key-file", server.masterKey]
        let refused = try await run(Paths.admin, ["restore", foreign] + words)
        #expect(refused.exit == 1 && refused.errors.contains("master key"), "\(refused)")
        let restored = try await run(Paths.admin, ["restore", copy] + words)
        #expect(restored.exit == 0 && !restored.errors.contains("Not checked"), "\(restored)")

        let again = try await server.restarted()
        let after = app.at(app.site.on(again))
        try await after.signIn(with: &ana)
        #expect(try await after.refresh(try before.token("refresh_token")).status == 403)
        try await again.stop()
    }
}
