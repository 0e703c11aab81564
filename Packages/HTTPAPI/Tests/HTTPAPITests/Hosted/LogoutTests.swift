import Encodings
import Identity
import Testing
import Tokens

@testable import HTTPAPI

@Suite("8.3: logout")
struct LogoutTests {
    private static let out = "https://app.example.com/out"

    /// Somebody who is signed in, with the tokens of a code.
    private func signedIn(_ house: House) async throws -> (surfer: Surfer, tokens: Answer) {
        try await Person(house).signUpWithPassword("ana@example.com")
        var surfer = Surfer(house)
        let back = try await surfer.signIn("ana@example.com")
        return (surfer, try await surfer.exchange(back.answered["code"]))
    }

    private func refresh(_ tokens: Answer, _ house: House) async throws -> Int {
        let body: JSONObject = [
            "grant_type": "refresh_token", "client_id": .string(house.app.id.text),
            "refresh_token": .string(tokens.string("refresh_token") ?? ""),
        ]
        return try await house.send(.json("/oauth/token", body)).status
    }

    @Test("/v2/logout ends the browser's session, and goes on only to a registered address")
    func logOut() async throws {
        try await House.with(Surfer.prepare) { house in
            let (person, tokens) = try await signedIn(house)
            let id = house.app.id.text
            var known = person
            let done = try await known.send(
                .get("/v2/logout?client_id=\(id)&returnTo=https%3A%2F%2Fapp.example.com%2Fout")
            )
            #expect(done.status == 302 && done.header("location") == Self.out, "\(done)")
            #expect(known.cookies["__Host-pk_session"] == nil)
            var stale = person
            #expect(try await stale.authorize(["prompt": "none"]).answered["error"] == "login_required")
            let bearer = "Bearer " + (tokens.string("access_token") ?? "")
            #expect(try await house.send(.get("/api/me").with("Authorization", bearer)).status == 401)
            // What the application holds outlives the browser's session, unless the tenant wants otherwise.
            #expect(try await refresh(tokens, house) == 200)
            for (query, status, location) in [
                ("client_id=\(id)", 302, Self.out), ("client_id=\(id)&returnTo=https://evil.example/", 400, nil),
                ("returnTo=https://app.example.com/out", 400, nil), ("client_id=nobody", 200, nil), ("", 200, nil),
                ("client_id=\(id)&federated", 302, Self.out),
            ] as [(String, Int, String?)] {
                let answer = try await known.send(.get("/v2/logout?" + query))
                #expect(answer.status == status && answer.header("location") == location, "\(query): \(answer)")
            }
            house.change { $0.settings.allowedLogoutURLs = ["https://*.example.com/", "https://acme.example/"] }
            #expect(try await known.send(.get("/v2/logout")).header("location") == "https://acme.example/")
        }
    }

    @Test("A tenant may have refresh tokens end with the session")
    func tokens() async throws {
        try await House.with({ view in
            Surfer.prepare(&view)
            view.settings.keepRefreshTokensOnLogout = false
        }) { house in
            let (person, tokens) = try await signedIn(house)
            var surfer = person
            _ = try await surfer.send(.get("/v2/logout?client_id=\(house.app.id.text)"))
            #expect(try await refresh(tokens, house) == 403)
        }
    }

    @Test("/oidc/logout takes the hint of the browser's own session, also one that is over, and asks otherwise")
    func endSession() async throws {
        try await House.with(Surfer.prepare) { house in
            let (person, tokens) = try await signedIn(house)
            let hint = try #require(tokens.string("id_token"))
            let way = "post_logout_redirect_uri=https%3A%2F%2Fapp.example.com%2Fout&state=a%20b"
            house.pass(seconds: 40_000)
            var own = person
            let done = try await own.send(.get("/oidc/logout?id_token_hint=\(hint)&\(way)"))
            #expect(done.status == 302 && done.header("location") == Self.out + "?state=a%20b", "\(done)")
            var stale = person
            #expect(try await stale.authorize(["prompt": "none"]).answered["error"] == "login_required")

            var other = Surfer(house)
            _ = try await other.signIn("ana@example.com")
            for query in [
                "", "client_id=\(house.app.id.text)&\(way)", "id_token_hint=\(hint)&\(way)", "id_token_hint=x",
            ] {
                let page = try await other.send(.get("/oidc/logout?" + query))
                #expect(page.status == 200 && page.text.contains("action=\"/oidc/logout\""), "\(query): \(page)")
                var signedIn = other
                #expect(try await signedIn.authorize(["prompt": "none"]).answered["code"] != nil)
            }
            let forged = try await other.send(.form("/oidc/logout", "csrf_token=x&\(way)"))
            #expect(forged.status == 200 && forged.header("location") == nil, "\(forged)")
            let page = try await other.send(.get("/oidc/logout?client_id=\(house.app.id.text)&\(way)"))
            let confirmed = try await other.submit(page, [:], to: "/oidc/logout")
            #expect(confirmed.header("location") == Self.out + "?state=a%20b", "\(confirmed)")
            #expect(other.cookies["__Host-pk_session"] == nil)
            // Nobody is signed in: there is nothing to ask.
            let idle = try await other.send(.get("/oidc/logout"))
            #expect(idle.status == 200 && idle.text.contains("<h1>OK</h1>"), "\(idle)")
            let foreign = try await other.send(
                .get("/oidc/logout?id_token_hint=\(hint)&client_id=\(house.backend.id.text)")
            )
            #expect(foreign.status == 400, "\(foreign)")
            let elsewhere = try await other.send(
                .get("/oidc/logout?client_id=\(house.app.id.text)&post_logout_redirect_uri=https://evil.example/")
            )
            #expect(elsewhere.status == 400 && elsewhere.header("location") == nil, "\(elsewhere)")
        }
    }
}
