import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

/// The audit log of a running server, which seals it.
@Suite(
    "latchkey-admin audit: what happened, proven",
    .enabled(if: Paths.hasProducts, Comment(rawValue: Paths.noProducts))
)
struct AuditTests {
    private func verify(_ server: LatchkeyServer, _ words: [String] = []) async throws -> CommandResult {
        try await server.admin(["audit", "verify", "-o", "json"] + words)
    }

    @Test("Sign-ups, sign-ins and changes are sealed; an export is verified without a store, and a change shows")
    func sealed() async throws {
        let server = try await LatchkeyServer.start()
        let site = try await Site.make("acme", on: server, domain: "login.acme.example")
        let app = try await site.client("App")
        var authenticator = Authenticator()
        try await app.signUp("ana@example.com", with: &authenticator)
        try await app.signIn(with: &authenticator)
        try await site.set(["session_lifetime": 24])

        // The server seals what is older than ten seconds.
        var result = try await verify(server)
        let isSealed = try await eventually(seconds: 120) {
            result = try await verify(server)
            let object = try JSON.parse(Array(result.output.utf8)).object
            return object?["events_not_sealed_yet"] == 0 && (object?["sealed_events"]?.integer ?? 0) >= 4
        }
        try #require(isSealed, "\(result)")
        let verified = try #require(try JSON.parse(Array(result.output.utf8)).object)
        let key = try #require(verified["keys"]?.array?.first?.string)
        #expect(try await server.adminJSON(["tenant", "show", "acme"])["audit_key"]?.string == key)

        let newest = try await server.admin(["audit", "tail", "-o", "json"])
        let types = try #require(try JSON.parse(Array(newest.output.utf8)).array).map {
            $0.object?["types"]?.array?.compactMap(\.string) ?? []
        }
        #expect(types.contains { $0.contains("ss") } && types.contains { $0.contains("s") }, "\(types)")
        let changes = try await server.admin(["audit", "tail", "--type", "sapi", "-o", "csv"])
        #expect(changes.output.contains("tenant set") && !changes.output.contains("sepkft"), "\(changes)")

        let exported = try await server.admin(["audit", "export"])
        try #require(exported.exit == 0, "\(exported)")
        let folder = try TemporaryFolder()
        let file = try folder.write(exported.output, to: "acme.jsonl")
        let nowhere = ["--store", "sqlite:/nonexistent/nothing.db"]
        let offline = try await run(Paths.admin, nowhere + ["audit", "verify", file, "--key", key])
        #expect(offline.exit == 0, "\(offline)")
        #expect(offline.output.contains(key), "\(offline)")

        // Whoever changes one word of what was sealed, or signs with another key, is found.
        let spoiled = exported.output.replacing("tenant set", with: "tenant sat")
        let spoiledFile = try folder.write(spoiled, to: "spoiled.jsonl")
        let refused = try await run(Paths.admin, nowhere + ["audit", "verify", spoiledFile])
        #expect(refused.exit == 10 && refused.errors.contains("some were changed"), "\(refused)")
        let other = try await run(Paths.admin, nowhere + ["audit", "verify", file, "--key", String(key.reversed())])
        #expect(other.exit == 10 && other.errors.contains("unexpected key"), "\(other)")
        let none = try await run(Paths.admin, nowhere + ["audit", "verify", folder.file("none.jsonl")])
        #expect(none.exit == 2 && none.errors.contains("cannot be read"), "\(none)")
        try await server.stop()
    }
}
