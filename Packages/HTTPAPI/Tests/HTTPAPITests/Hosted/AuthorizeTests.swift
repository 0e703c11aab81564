import Cryptography
import Encodings
import Identity
import Testing
import Tokens

@testable import HTTPAPI

@Suite("8.1: /authorize")
struct AuthorizeTests {
    private func with(
        _ change: @escaping @Sendable (inout ConfigurationLens.View) -> Void = { _ in },
        _ body: (House) async throws -> Void
    ) async throws {
        try await House.with(
            { view in
                Surfer.prepare(&view)
                change(&view)
            },
            body
        )
    }

    @Test("An unknown client or callback is told on a page, to nobody else, and to a program as JSON")
    func noRedirect() async throws {
        try await with { house in
            var surfer = Surfer(house)
            for (changes, text) in [
                (["client_id": "nobody"], "Unknown client"), (["client_id": nil], "Unknown client"),
                (["redirect_uri": "https://app.example.com/callback/"], "Callback URL mismatch."),
                (["redirect_uri": "https://app.example.com/callback?x=1"], "Callback URL mismatch."),
                (["redirect_uri": "https://evil.example/"], "Callback URL mismatch."),
                (["redirect_uri": nil], "Callback URL mismatch."),
                (["redirect_uri": "http://localhost:4711/native"], "Callback URL mismatch."),
                (["redirect_uri": "http://127.0.0.1:47a/native"], "Callback URL mismatch."),
            ] as [([String: String?], String)] {
                let page = try await surfer.authorize(changes)
                #expect(page.status == 400 && page.header("location") == nil, "\(page)")
                #expect(page.text.contains(text) && page.text.contains("invalid_request"), "\(page)")
                #expect(page.header("content-type") == "text/html; charset=utf-8")
                let json = try await surfer.send(
                    .get("/authorize?" + surfer.request(changes)).with("Accept", "application/json")
                )
                #expect(json.status == 400 && json.string("error") == "invalid_request", "\(json)")
                #expect(json.string("error_description") == text)
            }
            // The port of the loopback interface is the app's own affair.
            let native = try await surfer.authorize(["redirect_uri": "http://127.0.0.1:47110/native"])
            #expect(native.header("location")?.hasPrefix("/u/login?state=") == true, "\(native)")
        }
    }

    @Test("Every other fault goes back to the application with its state and our issuer")
    func faults() async throws {
        try await with({ $0.settings.defaultAudience = nil }) { house in
            var surfer = Surfer(house)
            for (changes, error) in [
                (["response_type": "token"], "unsupported_response_type"), (["response_type": nil], "invalid_request"),
                (["response_mode": "fragment"], "invalid_request"), (["request": "x"], "request_not_supported"),
                (["request_uri": "x"], "request_uri_not_supported"),
                (["registration": "x"], "registration_not_supported"),
                (["code_challenge": nil, "code_challenge_method": nil], "invalid_request"),
                (["code_challenge_method": "plain"], "invalid_request"),
                (["code_challenge_method": nil], "invalid_request"), (["code_challenge": "short"], "invalid_request"),
                (["prompt": "none login"], "invalid_request"), (["prompt": "sometimes"], "invalid_request"),
                (["max_age": "-1"], "invalid_request"), (["max_age": "1e3"], "invalid_request"),
                (["audience": "https://nowhere.example/"], "access_denied"),
                (["connection": "nowhere"], "invalid_request"), (["id_token_hint": "a.b.c"], "invalid_request"),
                (["acr_values": "urn:strong"], "unmet_authentication_requirements"),
                (["state": String(repeating: "x", count: 4000)], "invalid_request"),
                (["prompt": "none"], "login_required"),
            ] as [([String: String?], String)] {
                let answer = try await surfer.authorize(changes)
                #expect(answer.status == 302, "\(changes): \(answer)")
                #expect(answer.header("location")?.hasPrefix(Surfer.callback + "?error=") == true, "\(answer)")
                #expect(answer.answered["error"] == error, "\(changes): \(answer)")
                #expect(answer.answered["iss"] == House.base + "/")
                #expect(answer.answered["state"]?.hasPrefix(changes["state"] == nil ? "s t&" : "x") == true)
                #expect(answer.answered["error_description"]?.isEmpty == false)
            }
            let twice = try await surfer.send(.get("/authorize?" + surfer.request([:]) + "&scope=openid"))
            #expect(twice.answered["error_description"] == "Repeated parameter: scope", "\(twice)")
            let two = try await surfer.send(.get("/authorize?" + surfer.request([:]) + "&redirect_uri=x"))
            #expect(two.status == 400 && two.header("location") == nil, "\(two)")
        }
    }

    @Test("A client without the grant is refused; a confidential one may do without PKCE")
    func clients() async throws {
        try await with({ view in
            view.client = { client in
                client.callbacks = [Surfer.callback]
                if client.name == "Backend" { client.grantTypes.append(.authorizationCode) }
            }
        }) { house in
            var surfer = Surfer(house)
            #expect(try await surfer.authorize().answered["error"] == "unauthorized_client")
            var backend = Surfer(house, house.backend)
            let bare: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil]
            let start = try await backend.authorize(bare)
            #expect(start.header("location")?.hasPrefix("/u/login?state=") == true, "\(start)")
        }
    }

    @Test("A sign-in by password leads to a code, and the code to tokens that name the sign-in")
    func code() async throws {
        try await with { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            let back = try await surfer.signIn("ana@example.com")
            #expect(back.header("location")?.hasPrefix(Surfer.callback + "?code=") == true, "\(back)")
            #expect(back.answered["state"] == "s t&" && back.answered["iss"] == House.base + "/")
            #expect(back.header("cache-control") == "no-store")
            house.pass(seconds: 59)
            let tokens = try await surfer.exchange(back.answered["code"])
            #expect(tokens.status == 200, "\(tokens)")
            #expect(tokens.string("scope") == "openid profile email offline_access")
            let claims = try #require(Self.claims(tokens.string("id_token")))
            #expect(claims["nonce"] == "n-1" && claims["amr"] == ["pwd"], "\(claims)")
            #expect(claims["auth_time"]?.integer == house.now.seconds - 59)
            let access = try #require(tokens.string("access_token"))
            #expect(claims["at_hash"]?.string == Base64URL.encode(Array(SHA256.hash(Array(access.utf8)).prefix(16))))
            let info = try await house.send(.get("/userinfo").with("Authorization", "Bearer " + access))
            #expect(info.string("email") == "ana@example.com", "\(info)")
            // The session serves the next request at once, whoever asks.
            let again = try await surfer.authorize(["prompt": "none"])
            #expect(again.answered["code"] != nil, "\(again)")
            let refreshed = try await house.send(
                .json(
                    "/oauth/token",
                    [
                        "grant_type": "refresh_token", "client_id": .string(house.app.id.text),
                        "refresh_token": .string(tokens.string("refresh_token") ?? ""),
                    ]
                )
            )
            let later = try #require(Self.claims(refreshed.string("id_token")), "\(refreshed)")
            #expect(later["nonce"] == nil && later["sid"] == claims["sid"] && later["amr"] == ["pwd"])
        }
    }

    @Test("A code is bound to its client, its redirect URI, its verifier and its minute, and is taken by the first try")
    func binding() async throws {
        try await with { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            _ = try await surfer.signIn("ana@example.com")
            for (changes, description, reason) in [
                (
                    ["redirect_uri": "https://app.example.com/other"], "The redirect_uri does not match",
                    "redirect_uri_mismatch"
                ),
                (["redirect_uri": .null], "The redirect_uri does not match", "redirect_uri_mismatch"),
                (["code_verifier": .string(Surfer.verifier + "x")], "Failed to verify code verifier", "pkce_failed"),
                (["code_verifier": .null], "Failed to verify code verifier", "pkce_failed"),
                (["code_verifier": "short"], "Failed to verify code verifier", "pkce_failed"),
            ] as [(JSONObject, String, String)] {
                let code = try await surfer.authorize(["prompt": "none"]).answered["code"]
                let refused = try await surfer.exchange(code, changes)
                expect(refused, 403, "invalid_grant", description, reason)
                expect(
                    try await surfer.exchange(code),
                    403,
                    "invalid_grant",
                    "Invalid authorization code",
                    "code_invalid"
                )
            }
            let old = try await surfer.authorize(["prompt": "none"]).answered["code"]
            var backend = surfer
            backend.client = house.backend
            // Another client takes nothing.
            let foreign = try await backend.exchange(old)
            expect(foreign, 403, "invalid_grant", "Invalid authorization code", "code_invalid")
            house.pass(seconds: 60)
            expect(try await surfer.exchange(old), 403, "invalid_grant", "Invalid authorization code", "code_invalid")
            for text in ["", "x", String(repeating: "A", count: 43)] {
                #expect(try await surfer.exchange(text).status == (text.isEmpty ? 400 : 403))
            }
        }
    }

    @Test("A verifier without a challenge is refused")
    func downgrade() async throws {
        try await with { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            var backend = Surfer(house, house.backend)
            let bare: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil]
            let back = try await backend.signIn("ana@example.com", bare)
            let refused = try await backend.exchange(back.answered["code"])
            expect(refused, 403, "invalid_grant", "Failed to verify code verifier", "pkce_failed")
            let next = try await backend.authorize(bare)
            let tokens = try await backend.exchange(next.answered["code"], ["code_verifier": .null])
            #expect(tokens.status == 200, "\(tokens)")
        }
    }

    @Test("A code that comes twice ends what it was exchanged for, and nothing else of the session")
    func replay() async throws {
        try await with { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            let back = try await surfer.signIn("ana@example.com")
            let tokens = try await surfer.exchange(back.answered["code"])
            let other = try await surfer.exchange(try await surfer.authorize(["prompt": "none"]).answered["code"])
            let replayed = try await surfer.exchange(back.answered["code"])
            expect(replayed, 403, "invalid_grant", "Invalid authorization code", "code_invalid")
            for (answer, isGood) in [(tokens, false), (other, true)] {
                let bearer = "Bearer " + (answer.string("access_token") ?? "")
                for path in ["/userinfo", "/api/me"] {
                    let status = try await house.send(.get(path).with("Authorization", bearer)).status
                    #expect(status == (isGood ? 200 : 401), "\(path)")
                }
                let refresh: JSONObject = [
                    "grant_type": "refresh_token", "client_id": .string(house.app.id.text),
                    "refresh_token": .string(answer.string("refresh_token") ?? ""),
                ]
                #expect(try await house.send(.json("/oauth/token", refresh)).status == (isGood ? 200 : 403))
            }
        }
    }

    @Test("prompt and max_age ask for a new sign-in, once")
    func freshness() async throws {
        try await with { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            _ = try await surfer.signIn("ana@example.com")
            house.pass(seconds: 100)
            #expect(try await surfer.authorize(["max_age": "100"]).answered["code"] != nil)
            let late = try await surfer.authorize(["max_age": "99", "prompt": "none"])
            #expect(late.answered["error"] == "login_required", "\(late)")
            for changes in [
                ["prompt": "login"], ["prompt": "select_account"], ["max_age": "99"], ["max_age": "0"],
            ] as [[String: String?]] {
                let start = try await surfer.authorize(changes)
                #expect(start.header("location")?.hasPrefix("/u/login?state=") == true, "\(changes): \(start)")
                #expect(try await surfer.signIn("ana@example.com", changes).answered["code"] != nil, "\(changes)")
                house.pass(seconds: 100)
            }
            for changes in [["prompt": "create"], ["screen_hint": "signup", "prompt": "login"]] as [[String: String?]] {
                let start = try await surfer.authorize(changes)
                #expect(start.header("location")?.hasPrefix("/u/signup?state=") == true, "\(changes): \(start)")
            }
        }
    }

    @Test("acr_values asks for a passkey, and says so when there is none")
    func strength() async throws {
        try await with { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            _ = try await surfer.signIn("ana@example.com")
            house.pass(seconds: 10)
            let start = try await surfer.authorize(["acr_values": "phr"])
            #expect(start.header("location")?.hasPrefix("/u/login?state=") == true, "\(start)")
            let silent = try await surfer.authorize(["acr_values": "phr", "prompt": "none"])
            #expect(silent.answered["error"] == "unmet_authentication_requirements", "\(silent)")
            let password = try await surfer.signIn("ana@example.com", ["acr_values": "phrh phr"])
            #expect(password.answered["error"] == "unmet_authentication_requirements", "\(password)")
        }
    }

    @Test("An ID token of another user is answered by login_required, whoever else signs in")
    func hint() async throws {
        try await with { house in
            for name in ["ana", "bo"] { try await Person(house).signUpWithPassword("\(name)@example.com") }
            var surfer = Surfer(house)
            let ana = try await surfer.exchange(try await surfer.signIn("ana@example.com").answered["code"])
            let hint = try #require(ana.string("id_token"))
            house.pass(seconds: 40_000)
            let same = try await surfer.authorize(["prompt": "none", "id_token_hint": hint])
            #expect(same.answered["code"] != nil, "\(same)")
            var other = Surfer(house)
            _ = try await other.signIn("bo@example.com")
            let refused = try await other.authorize(["prompt": "none", "id_token_hint": hint])
            #expect(refused.answered["error"] == "login_required", "\(refused)")
            // An access token says nothing of whom the client means.
            let access = try #require(ana.string("access_token"))
            #expect(try await surfer.authorize(["id_token_hint": access]).answered["error"] == "invalid_request")
        }
    }

    @Test("A form comes back as a form, and one from another site without cookies is taken up by the way on")
    func forms() async throws {
        try await with { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            var surfer = Surfer(house)
            _ = try await surfer.signIn("ana@example.com")
            let posted = try await surfer.send(.form("/authorize", surfer.request(["response_mode": "form_post"])))
            #expect(posted.status == 200, "\(posted)")
            let fields = Dictionary(posted.hiddenFields) { first, _ in first }
            #expect(fields["code"] != nil && fields["iss"] == House.base + "/" && fields["state"] == "s t&amp;")
            #expect(posted.text.contains("action=\"https://app.example.com/callback\""))
            #expect(
                posted.header("content-security-policy")?.contains("form-action 'self' https://app.example.com;")
                    == true
            )
            // Without the cookie of sign-ins that go on elsewhere none is made in its place.
            var bare = surfer
            bare.forget("__Host-pk_session")
            bare.forget("__Host-pk_tx")
            for more in [[:], ["extra": String(repeating: "x", count: 3000)]] {
                let start = try await bare.send(.form("/authorize", bare.request(more)))
                let location = try #require(start.header("location"))
                if more.isEmpty {
                    #expect(location.hasPrefix("/authorize?"), "\(start)")
                    #expect(start.header("set-cookie") == nil, "\(start)")
                    #expect(try await surfer.send(.get(location)).answered["code"] != nil)
                } else {
                    // What is too long for a link is taken up by the way on.
                    #expect(location.hasPrefix("/authorize/resume?state="), "\(start)")
                    let page = try await bare.send(.get(location))
                    #expect(page.header("location")?.hasPrefix("/u/login?state=") == true, "\(page)")
                }
                bare.forget("__Host-pk_tx")
            }
            let wrong = try await bare.send(.form("/authorize", "client_id=nobody"))
            #expect(wrong.header("location") == "/authorize?client_id=nobody", "\(wrong)")
            #expect(try await bare.send(.get("/authorize?client_id=nobody")).status == 400)
        }
    }

    @Test("A sign-in belongs to the browser that began it, on its domain, for fifteen minutes")
    func ownership() async throws {
        try await with({ $0.otherHosts = ["login.other-host.example"] }) { house in
            try await Person(house).signUpWithPassword("ana@example.com")
            var (victim, attacker) = (Surfer(house), Surfer(house))
            _ = try await victim.signIn("ana@example.com")
            let start = try await attacker.authorize()
            let state = try #require(start.header("location")?.split(separator: "=").last.map(String.init))
            for path in ["/u/login", "/u/signup", "/u/upgrade", "/u/consent", "/authorize/resume"] {
                for asked in [state, "", String(state.dropLast()), "x"] {
                    let page = try await victim.send(.get("\(path)?state=\(asked)"))
                    #expect(page.status == 400 && page.header("location") == nil, "\(path): \(page)")
                    #expect(page.text.contains("Start again"))
                }
                var without = attacker
                without.forget("__Host-pk_tx")
                #expect(try await without.send(.get("\(path)?state=\(state)")).status == 400)
                let elsewhere = Ask.get("\(path)?state=\(state)").set(\.host, "login.other-host.example")
                #expect(try await attacker.send(elsewhere).status == 400)
            }
            let page = try await attacker.send(.get("/u/login?state=\(state)"))
            let stolen = try await victim.submit(
                page,
                ["username": "ana@example.com", "password": Person.password],
                to: "/u/login"
            )
            #expect(stolen.status == 400 && stolen.header("set-cookie") == nil, "\(stolen)")
            house.pass(seconds: 899)
            #expect(try await attacker.send(.get("/u/login?state=\(state)")).status == 200)
            house.pass(seconds: 1)
            #expect(try await attacker.send(.get("/u/login?state=\(state)")).status == 400)
        }
    }

    @Test("A client of somebody else gets a code when the user says so, and none in silence")
    func consent() async throws {
        try await with({ view in
            view.client = { client in
                Surfer.open(&client)
                client.isFirstParty = false
            }
        }) { house in
            var surfer = Surfer(house)
            house.change { view in view.client = { Surfer.open(&$0) } }
            try await Person(house).signUpWithPassword("ana@example.com")
            _ = try await surfer.signIn("ana@example.com")
            house.change { view in
                view.client = { client in
                    Surfer.open(&client)
                    client.isFirstParty = false
                }
            }
            #expect(try await surfer.authorize(["prompt": "none"]).answered["error"] == "consent_required")
            let start = try await surfer.authorize()
            let page = try await surfer.send(.get(try #require(start.header("location"))))
            #expect(page.status == 200 && page.text.contains("App"), "\(page)")
            let denied = try await surfer.submit(page, ["decision": "deny"], to: "/u/consent")
            #expect(denied.answered["error"] == "access_denied" && denied.answered["code"] == nil, "\(denied)")
            let forged = try await surfer.send(
                .form("/u/consent", "state=\(page.hiddenFields.first?.1 ?? "")&csrf_token=x&decision=allow")
            )
            #expect(forged.status == 400, "\(forged)")
            let allowed = try await surfer.submit(page, ["decision": "allow"], to: "/u/consent")
            #expect(try await surfer.exchange(allowed.answered["code"]).status == 200, "\(allowed)")
        }
    }

    static func claims(_ token: String?) -> JSONObject? {
        guard let part = token?.split(separator: ".").dropFirst().first, let bytes = try? Base64URL.decode(String(part))
        else { return nil }
        return (try? JSON.parse(bytes))?.object
    }
}

extension Surfer {
    /// What ``prepare(_:)`` does to each client.
    static func open(_ client: inout Client) {
        client.callbacks = [callback]
        client.grantTypes.append(.authorizationCode)
    }
}
