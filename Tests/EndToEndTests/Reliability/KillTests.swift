import COSE
import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

/// A server killed under load, again and again, on one store.
@Suite("Killed during registrations", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct KillTests {
    /// How often; `LATCHKEY_KILLS` says more.
    static let kills = ProcessInfo.processInfo.environment["LATCHKEY_KILLS"].flatMap { Int($0) } ?? 3

    /// Somebody whose sign-up was answered with 200.
    private struct Acknowledged: Sendable {
        let authenticator: Authenticator
        let refreshToken: String
    }

    @Test("Every acknowledged user can log in, and every acknowledged refresh token works once")
    func kills() async throws {
        var server = try await LatchkeyServer.start()
        let app = try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
        var total = 0
        for round in 1...Self.kills {
            let current = app.at(app.site.on(server))
            let killing = server
            let acknowledged = try await withThrowingTaskGroup(of: [Acknowledged].self) { group in
                for _ in 0..<8 { group.addTask { await Self.signUpUntilTheEnd(current) } }
                // The load is there: somebody was answered.
                _ = try await eventually(seconds: 90) {
                    try await killing.count("latchkey_ceremonies_total", "stage=\"finished\"") > 1
                }
                try await Task.sleep(for: .milliseconds(Int.random(in: 150...600)))
                try await killing.kill()
                return try await group.reduce(into: []) { $0 += $1 }
            }
            total += acknowledged.count
            server = try await killing.restarted()
            let again = app.at(app.site.on(server))
            for person in acknowledged {
                var authenticator = person.authenticator
                let begun = try await again.challenge()
                let answer = try authenticator.get(begun.options, origin: again.site.origin)
                let login = try await again.redeem(begun, answer)
                #expect(login.status == 200, "round \(round): an acknowledged user\n\(login)")
                let refreshed = try await again.refresh(person.refreshToken)
                #expect(refreshed.status == 200, "round \(round): an acknowledged refresh token\n\(refreshed)")
            }
        }
        #expect(total > Self.kills, "the load was there: \(total) sign-ups were acknowledged")
        if StoreChoice.current == .sqlite {
            let check = try await run(
                "/usr/bin/sqlite3",
                [String(server.store.dropFirst("sqlite:".count)), "PRAGMA integrity_check; PRAGMA foreign_key_check;"]
            )
            if check.exit != nil { #expect(check.output == "ok\n", "\(check)") }
        }
        try await server.stop()
    }

    private static func signUpUntilTheEnd(_ app: App) async -> [Acknowledged] {
        var all: [Acknowledged] = []
        while true {
            do {
                var authenticator = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
                let begun = try await app.site.send(app.registerRequest(["email": .string(uniqueEmail())]))
                guard begun.status == 200, let session = begun.string("auth_session"),
                    let options = begun["authn_params_public_key"]?.object
                else { return all }
                let answer = try authenticator.create(options, origin: app.site.origin)
                let response = try await app.site.send(app.tokenRequest(session, answer))
                guard response.status == 200, let token = response.string("refresh_token") else { return all }
                all.append(Acknowledged(authenticator: authenticator, refreshToken: token))
            } catch {
                // The server is gone: what it did not answer is not acknowledged.
                return all
            }
        }
    }
}
