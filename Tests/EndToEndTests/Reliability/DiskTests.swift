import COSE
import Encodings
import Foundation
import Glibc
import Programs
import SoftwareAuthenticator
import Testing

/// Design §8: the disk is full, and what need not write goes on.
@Suite(
    "A full disk",
    .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"),
    .enabled(if: SmallDisk.isAllowed, "only root can make a small disk")
)
struct DiskTests {
    @Test("Writes are 503 with Retry-After 30 and readiness is off, reads go on, and it recovers by itself")
    func full() async throws {
        let folder = try TemporaryFolder()
        let disk = folder.file("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        // The disk is there for the server alone: in a mount namespace of its own.
        let server = try await LatchkeyServer.start(
            // Challenges that wait in the store would be refused too.
            ["LATCHKEY_STORE": "sqlite:\(disk)/latchkey.db", "LATCHKEY_CHALLENGES": "memory"],
            in: folder,
            runner: [
                "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
                "mount -t tmpfs -o size=4m,mode=700 tmpfs '\(disk)' && exec \"$0\" \"$@\"",
            ]
        )
        // What the server sees, seen from here. Not for SQLite, which follows the link and leaves the namespace.
        let inside = "/proc/\(server.processID)/root\(disk)"
        func admin(_ words: [String]) async throws -> JSONObject {
            let result = try await run(
                "/usr/bin/nsenter",
                [
                    "--target", "\(server.processID)", "--mount", Paths.admin, "--store", "sqlite:\(disk)/latchkey.db",
                    "--master-key-file", server.masterKey,
                ] + words + ["-o", "json"]
            )
            try #require(result.exit == 0, "\(result)")
            return try #require(try JSON.parse(Array(result.output.utf8)).object)
        }
        _ = try await admin(["tenant", "create", "acme", "--domain", "login.acme.example", "--passkey-only"])
        let made = try await admin([
            "client", "create", "--tenant", "acme", "--name", "App", "--type", "native", "--grant", App.passkeyGrant,
            "--grant", "refresh_token", "--id-token-alg", "ES256",
        ])
        let site = Site(
            server: server,
            tenant: "acme",
            host: "login.acme.example",
            relyingPartyID: "login.acme.example",
            origin: "https://login.acme.example"
        )
        let app = App(site: site, id: try #require(made["client_id"]?.string), secret: nil)
        var authenticator = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        let signedUp = try await app.signUp(with: &authenticator)
        let accessToken = try signedUp.token("access_token")
        let refreshToken = try signedUp.token("refresh_token")

        let filler = "\(inside)/filler"
        _ = try await run("/bin/sh", ["-c", "cat /dev/zero > '\(filler)' 2>/dev/null; true"])
        var failed: Response?
        // The log still has room inside the file for a few.
        for _ in 0..<2000 where failed == nil {
            let begun = try await app.challenge()
            let answer = try authenticator.get(begun.options, origin: site.origin)
            let response = try await app.redeem(begun, answer)
            if response.status != 200 { failed = response }
        }
        let refused = try #require(failed, "the disk never got full")
        #expect(refused.status == 503, "\(refused)")
        #expect(refused.string("error") == "temporarily_unavailable")
        #expect(refused.header("Retry-After") == "30")
        // What was copied back meanwhile gives the log room for a few more; then it is full again.
        let isOff = try await eventually(seconds: 90) {
            let begun = try await app.challenge()
            let answer = try authenticator.get(begun.options, origin: site.origin)
            guard try await app.redeem(begun, answer).status == 503 else { return false }
            let ready = try await server.send(.get("/readyz"))
            return ready.status == 503 && ready["checks"]?.object?["store"]?.string == "failed"
        }
        #expect(isOff)
        let info = Request.get("/userinfo").with("Authorization", "Bearer \(accessToken)")
        for request in [Request.get("/.well-known/jwks.json"), info, .get("/healthz")] {
            #expect(try await site.send(request).status == 200)
        }
        #expect(try await app.challenge().session.isEmpty == false)

        try FileManager.default.removeItem(atPath: filler)
        let start = ContinuousClock.now
        let isBack = try await eventually(seconds: 90) { try await app.refresh(refreshToken).status == 200 }
        #expect(isBack)
        expectSoon(ContinuousClock.now - start, .seconds(2), "recovery from a full disk")
        #expect(try await eventually(seconds: 90) { try await server.send(.get("/readyz")).status == 200 })
        try await app.signIn(with: &authenticator)
        try await server.stop()
    }
}

private enum SmallDisk {
    static let isAllowed = geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare")
}
