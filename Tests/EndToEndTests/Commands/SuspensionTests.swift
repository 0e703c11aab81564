import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

/// Tenants that an operator takes out of service, on two running servers of one store.
@Suite(
    "latchkey-admin tenant suspend, on running servers",
    .enabled(if: Paths.hasProducts, Comment(rawValue: Paths.noProducts))
)
struct SuspensionTests {
    /// What a server answers at a path of the tenant's.
    private func status(_ server: LatchkeyServer, _ path: String, _ host: String) async throws -> Int {
        var request = Request.get(path)
        if !host.hasPrefix("localhost") {
            request = request.with("X-Forwarded-Proto", "https").with("X-Forwarded-Host", host)
        }
        return try await server.send(request, host: host).status
    }

    @Test("It answers 403 but at its well-known files, comes back whole, and is deleted; its neighbour goes on")
    func served() async throws {
        let first = try await LatchkeyServer.start(["LATCHKEY_TRUSTED_PROXIES": "127.0.0.1/32"])
        let second = try await first.joined(["LATCHKEY_TRUSTED_PROXIES": "127.0.0.1/32"])
        let site = try await Site.make("acme", on: first, domain: "localhost:\(first.port)")
        let app = try await site.client("App")
        let neighbour = try await Site.make("other", on: first, domain: "login.other.example")
        var ana = Authenticator()
        try await app.signUp("ana@example.com", with: &ana)

        let suspended = try await first.adminJSON(["tenant", "suspend", "acme"])
        #expect(suspended["suspended"] == true, "\(suspended)")
        for server in [first, second] {
            let isKnown = try await eventually(seconds: 60) {
                try await status(server, "/userinfo", "localhost:\(first.port)") == 403
            }
            #expect(isKnown)
            #expect(try await status(server, "/.well-known/jwks.json", "localhost:\(first.port)") == 200)
            #expect(try await status(server, "/userinfo", neighbour.host) == 401)
        }
        let refused = try await site.send(.json("/passkey/challenge", ["client_id": .string(app.id)]))
        #expect(refused.status == 403 && refused.string("reason") == "tenant_suspended", "\(refused)")
        // Twice is as good as once.
        #expect(try await first.adminJSON(["tenant", "suspend", "acme"])["suspended"] == true)
        #expect(try await first.adminJSON(["tenant", "resume", "acme"])["suspended"] == false)
        for server in [first, second] {
            let isKnown = try await eventually(seconds: 60) {
                try await status(server, "/userinfo", "localhost:\(first.port)") == 401
            }
            #expect(isKnown)
        }
        try await app.signIn(with: &ana)
        let written = try await first.admin(["audit", "tail", "--tenant", "acme", "--type", "sapi", "-o", "csv"])
        #expect(written.output.contains("tenant suspend") && written.output.contains("tenant resume"), "\(written)")

        // Written out, and gone for both servers; whoever comes next under the name finds nobody.
        let folder = try TemporaryFolder()
        let gone = try await first.adminJSON(["tenant", "delete", "acme", "--export", folder.file("gone"), "--yes"])
        #expect(gone["users"] == 1 && gone["passkeys"] == 1, "\(gone)")
        #expect(contents(folder.file("gone/users.json")).contains("ana@example.com"))
        let verified = try await first.admin(["audit", "verify", folder.file("gone/audit.jsonl")])
        #expect(verified.exit == 0, "\(verified)")
        for server in [first, second] {
            let isKnown = try await eventually(seconds: 60) {
                try await status(server, "/.well-known/jwks.json", "localhost:\(first.port)") == 404
            }
            #expect(isKnown)
            #expect(try await status(server, "/userinfo", neighbour.host) == 401)
        }
        try await second.stop()
        try await first.stop()
    }
}
