import Encodings
import Foundation
import SoftwareAuthenticator
import Testing

extension ContractTests {
    @Suite("7.4: exchanging refresh tokens")
    struct Refreshing {
        let world: ContractWorld

        init() throws { world = try .current }

        private func first(_ app: App) async throws -> String {
            var authenticator = Authenticator()
            return try await app.signUp(with: &authenticator).token("refresh_token")
        }

        private func child(_ app: App, of token: String) async throws -> String {
            let response = try await app.refresh(token)
            try #require(response.status == 200, "\(response)")
            return try response.token("refresh_token")
        }

        @Test("An exchange gives new tokens with the same subject, session and time of authentication")
        func exchange() async throws {
            var authenticator = Authenticator()
            let signedUp = try await world.app.signUp(with: &authenticator)
            let before = try Claims(try signedUp.token("id_token"))
            try await Task.sleep(for: .milliseconds(1100))
            let token = try signedUp.token("refresh_token")
            #expect(token.wholeMatch(of: /v1\.[0-9A-Za-z_-]{64}/) != nil)
            let response = try await world.app.refresh(token, ["scope": ""])
            #expect(response.status == 200, "an empty scope counts as absent")
            #expect(response.string("scope") == "openid profile email offline_access")
            #expect(try response.token("refresh_token") != token)
            let after = try await Claims.verified(try response.token("id_token"), by: world.acme)
            for name in ["sub", "sid", "auth_time", "amr", "acr", "aud", "iss"] {
                #expect(after[name] == before[name], "\(name)")
            }
            #expect(after["iat"] != before["iat"])
            let form = Request.form(
                "/oauth/token",
                [
                    ("grant_type", "refresh_token"), ("client_id", world.app.id),
                    ("refresh_token", try response.token("refresh_token")),
                ]
            )
            #expect(try await world.acme.send(form).status == 200)
        }

        @Test("A token that does not rotate is answered without another, again and again")
        func nonRotating() async throws {
            var authenticator = Authenticator()
            let token = try await world.backend.signUp(with: &authenticator).token("refresh_token")
            for _ in 0..<3 {
                let response = try await world.backend.refresh(token)
                #expect(response.status == 200)
                #expect(response["refresh_token"] == nil)
            }
        }

        @Test("Unknown, malformed, or of another client: one answer, and nothing happens to the family")
        func unknown() async throws {
            let token = try await first(world.app)
            for bad in [
                "x", "v1.", "v1.AAAA", token + "A", String(token.dropLast()), "v1." + String(repeating: "A", count: 64),
            ] {
                expect(try await world.app.refresh(bad), is: .refreshToken)
            }
            var changed = Array(token.utf8)
            changed[20] = changed[20] == 0x41 ? 0x42 : 0x41
            expect(try await world.app.refresh(String(decoding: changed, as: UTF8.self)), is: .refreshToken)
            expect(try await world.leeway0.refresh(token), is: .refreshToken)
            expect(
                try await world.app.post("/oauth/token", ["grant_type": "refresh_token"]),
                is: .missing("refresh_token")
            )
            _ = try await child(world.app, of: token)
        }

        @Test("scope may narrow one answer, and never widens")
        func scopes() async throws {
            let token = try await first(world.app)
            let narrow = try await world.app.refresh(token, ["scope": "openid"])
            #expect(narrow.string("scope") == "openid")
            let next = try narrow.token("refresh_token")
            let wide = try await world.app.refresh(next)
            #expect(wide.string("scope") == "openid profile email offline_access")
            expect(
                try await world.app.refresh(try wide.token("refresh_token"), ["scope": "openid phone"]),
                is: Refusal(400, "invalid_scope", "The requested scope is not allowed", "invalid_scope")
            )
            #expect(try await world.app.refresh(try wide.token("refresh_token")).status == 200, "it was not used up")
        }

        @Test("Another audience needs a policy")
        func audience() async throws {
            let token = try await first(world.app)
            let response = try await world.app.refresh(token, ["audience": .string(world.acme.base + "/me/")])
            #expect(response.status == 403)
            #expect(response.string("error") == "access_denied")
            #expect(response.string("reason") == "audience_not_in_policy")
            let unknown = try await world.app.refresh(token, ["audience": "https://nobody.example/"])
            #expect(unknown.status == 403)
            #expect(unknown.string("error") == "access_denied")
            _ = try await child(world.app, of: token)
        }

        @Test("Eight at once inside the leeway all succeed, and each one's child works")
        func eight() async throws {
            let token = try await first(world.app)
            let all = try await world.acme.send(Array(repeating: world.app.refreshRequest(token), count: 8))
            #expect(all.map(\.status) == Array(repeating: 200, count: 8))
            let children = Set(all.compactMap { $0.string("refresh_token") })
            #expect(children.count == 8)
            for child in children { #expect(try await world.app.refresh(child).status == 200) }
            for response in all {
                let bearer = "Bearer \(try response.token("access_token"))"
                #expect(
                    try await world.acme.send(Request.get("/userinfo").with("Authorization", bearer)).status == 200
                )
            }
        }

        @Test("Of twelve at once ten succeed, two are refused, and the family lives")
        func twelve() async throws {
            let token = try await first(world.app)
            let all = try await world.acme.send(Array(repeating: world.app.refreshRequest(token), count: 12))
            #expect(all.filter { $0.status == 200 }.count == 10)
            for response in all where response.status != 200 { expect(response, is: .refreshToken) }
            let one = try #require(all.compactMap { $0.string("refresh_token") }.first)
            _ = try await child(world.app, of: one)
        }

        @Test("With leeway 0 exactly one succeeds, and every loser counts as reuse")
        func noLeeway() async throws {
            let token = try await first(world.leeway0)
            let all = try await world.acme.send(Array(repeating: world.leeway0.refreshRequest(token), count: 8))
            let winners = all.compactMap { $0.string("refresh_token") }
            #expect(winners.count == 1)
            for response in all where response.status != 200 { expect(response, is: .refreshToken) }
            expect(try await world.leeway0.refresh(try #require(winners.first)), is: .refreshToken)
        }

        @Test("A replay outside the leeway kills the family, and it stays dead; its access tokens live on")
        func reuse() async throws {
            var authenticator = Authenticator()
            let signedUp = try await world.leeway3.signUp(with: &authenticator)
            let token = try signedUp.token("refresh_token")
            let next = try await child(world.leeway3, of: token)
            try await Task.sleep(for: .milliseconds(3300))
            expect(try await world.leeway3.refresh(token), is: .refreshToken)
            for _ in 0..<2 {
                expect(try await world.leeway3.refresh(next), is: .refreshToken)
                expect(try await world.leeway3.refresh(token), is: .refreshToken)
            }
            let bearer = "Bearer \(try signedUp.token("access_token"))"
            #expect(try await world.acme.send(Request.get("/userinfo").with("Authorization", bearer)).status == 200)
            try await world.leeway3.signIn(with: &authenticator)
        }

        @Test("A token of an older generation is reuse at any time")
        func olderGeneration() async throws {
            let token = try await first(world.app)
            let second = try await child(world.app, of: token)
            let third = try await child(world.app, of: second)
            expect(try await world.app.refresh(token), is: .refreshToken)
            expect(try await world.app.refresh(third), is: .refreshToken)
        }

        @Test(
            "Siblings: once one was exchanged, another has the leeway left, and gives a token of the newest generation"
        )
        func siblings() async throws {
            let token = try await first(world.app)
            let one = try await child(world.app, of: token)
            let two = try await child(world.app, of: token)
            let fromOne = try await child(world.app, of: one)
            let fromTwo = try await child(world.app, of: two)
            _ = try await child(world.app, of: fromOne)
            _ = try await child(world.app, of: fromTwo)
        }

        @Test("A parent replayed inside the leeway cannot found a second line")
        func secondLine() async throws {
            let token = try await first(world.leeway3)
            let honest = try await child(world.leeway3, of: token)
            let stolen = try await child(world.leeway3, of: token)
            let next = try await child(world.leeway3, of: honest)
            try await Task.sleep(for: .milliseconds(3300))
            expect(try await world.leeway3.refresh(stolen), is: .refreshToken)
            expect(try await world.leeway3.refresh(next), is: .refreshToken)
        }

        @Test("A session that is over takes its refresh tokens with it")
        func logout() async throws {
            var authenticator = Authenticator()
            let response = try await world.app.signUp(with: &authenticator)
            let bearer = "Bearer \(try response.token("access_token"))"
            let logout = Request.json("/api/logout", [:]).with("Authorization", bearer)
            #expect(try await world.acme.send(logout).status == 204)
            expect(try await world.app.refresh(try response.token("refresh_token")), is: .refreshToken)
        }

        @Test("A refresh token outlives its session, which came to its end in time")
        func expired() async throws {
            var authenticator = Authenticator()
            let response = try await world.short.signUp(with: &authenticator)
            let before = try Claims(try response.token("id_token"))
            try await Task.sleep(for: .milliseconds(5400))
            let refreshed = try await world.short.refresh(try response.token("refresh_token"))
            #expect(refreshed.status == 200, "\(refreshed)")
            let after = try Claims(try refreshed.token("id_token"))
            for name in ["sub", "sid", "auth_time"] { #expect(after[name] == before[name], "\(name)") }
        }
    }
}
