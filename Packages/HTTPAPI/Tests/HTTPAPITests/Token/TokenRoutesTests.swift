import Encodings
import Identity
import Passkeys
import SoftwareAuthenticator
import Testing

@testable import HTTPAPI

@Suite("2.2: the order of checks at the token endpoint and /passkey/*")
struct TokenRoutesTests {
    @Test("Each step answers before the next is looked at")
    func order() async throws {
        try await House.with { (house) async throws in
            let none = RateLimit(limit: 0, seconds: 60)
            let id = house.backend.id.text
            func reason(_ ask: Ask) async throws -> String? { try await house.send(ask).reason }
            let form = "grant_type=x&grant_type=y&client_id=nobody&client_secret=1"
            // 1, 2: host, method and path.
            #expect(try await reason(Ask.form("/oauth/token", form).set(\.host, "x.example")) == "unknown_host")
            #expect(try await reason(Ask.form("/oauth/tokens", form)) == "not_found")
            // 3 before 4 before 5.
            house.limit(RateLimits(passkeyChallenges: none, token: none, signup: none))
            #expect(try await reason(.raw("/oauth/token", [0x7b], type: "application/json")) == "invalid_json")
            #expect(try await reason(.raw("/oauth/token", [], type: nil)) == "unsupported_media_type")
            #expect(try await reason(.form("/oauth/token", form)) == "rate_limited")
            house.limit(.off)
            #expect(try await reason(.form("/oauth/token", form)) == "repeated_parameter")
            // 6: present, known, authenticated.
            #expect(try await reason(.form("/oauth/token", "grant_type=x")) == "missing_parameter")
            #expect(try await reason(.form("/oauth/token", "grant_type=x&client_id=nobody")) == "unknown_client")
            let wrong = "client_id=\(id)&client_secret=wrong"
            #expect(try await reason(.form("/oauth/token", wrong)) == "client_authentication_failed")
            let right = "client_id=\(id)&client_secret=\(house.secret)"
            // 7: grant.
            let missing = try await house.send(.form("/oauth/token", right))
            #expect(missing.string("error_description") == "Missing required parameter: grant_type")
            #expect(try await reason(.form("/oauth/token", right + "&grant_type=x")) == "unsupported_grant_type")
            house.change { $0.client = { $0.grantTypes = [] } }
            #expect(try await reason(.form("/oauth/token", right + "&grant_type=refresh_token")) == "grant_not_allowed")
            house.change { $0.client = { _ in } }
            // 8: parameters and their types.
            let grant = right + "&grant_type=urn:okta:params:oauth:grant-type:webauthn"
            for (more, text) in [
                ("", "Missing required parameter: auth_session"),
                ("&auth_session=x", "Missing required parameter: authn_response"),
                ("&auth_session=x&authn_response=x", "Invalid parameter: authn_response"),
            ] {
                let answer = try await house.send(.form("/oauth/token", grant + more))
                #expect(answer.string("error_description") == text)
            }
            // 9 before 10 before 11.
            let whole = grant + "&auth_session=x&authn_response=%7B%7D&audience=https://nobody.example/"
            #expect(try await reason(.form("/oauth/token", whole + "&realm=x")) == "unknown_connection")
            house.change { $0.settings.passkeysEnabled = false }
            #expect(try await reason(.form("/oauth/token", whole)) == "passkeys_disabled")
            house.change { $0.settings.passkeysEnabled = true }
            #expect(try await reason(.form("/oauth/token", whole)) == "unknown_audience")
            let last = grant + "&auth_session=x&authn_response=%7B%7D"
            #expect(try await reason(.form("/oauth/token", last)) == "auth_session_invalid")
        }
    }

    @Test("A request that fails before the session is taken leaves it; the first that takes it ends it")
    func taking() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.signUp("ana@example.com")
            let (session, answer) = try await person.begin()
            let good = person.redemption(session, answer)
            for (body, reason) in [
                (good.without("authn_response"), "missing_parameter"), (good.with("scope", 1), "invalid_parameter"),
                (good.with("client_id", "x"), "unknown_client"), (good.with("realm", "x"), "unknown_connection"),
                (good.with("audience", "https://nobody.example/"), "unknown_audience"),
                (good.with("client_secret", "x"), "client_authentication_failed"),
                (
                    good.with("client_id", .string(house.backend.id.text))
                        .with("client_secret", .string(house.secret)), "auth_session_invalid"
                ),
            ] {
                #expect(try await house.send(.json("/oauth/token", body)).reason == reason)
            }
            #expect(try await house.send(.json("/oauth/token", good)).status == 200)
            #expect(try await house.send(.json("/oauth/token", good)).reason == "auth_session_invalid")
            let (broken, other) = try await person.begin()
            let malformed = person.redemption(broken, other.without("rawId"))
            #expect(try await house.send(.json("/oauth/token", malformed)).reason == "invalid_authn_response")
            let late = try await house.send(.json("/oauth/token", person.redemption(broken, other)))
            #expect(late.reason == "auth_session_invalid")
        }
    }

    @Test("A client that used Basic is told so in each 401, one that did not is not")
    func basicChallenge() async throws {
        try await House.with { (house) async throws in
            func ask(_ path: String, _ pair: String?) -> Ask {
                Ask.form(path, "grant_type=refresh_token&token=x")
                    .with("Authorization", pair.map { "Basic " + Base64.encode(Array($0.utf8)) })
            }
            let challenge = "Basic realm=\"https://login.example.com\""
            for path in ["/oauth/token", "/oauth/revoke"] {
                for pair in ["nobody:x", "\(house.backend.id.text):wrong"] {
                    let answer = try await house.send(ask(path, pair))
                    #expect(answer.status == 401)
                    #expect(answer.header("www-authenticate") == challenge, "\(answer)")
                }
                let broken = try await house.send(ask(path, nil).with("Authorization", "basic !"))
                #expect(broken.status == 401 && broken.header("www-authenticate") == challenge, "\(broken)")
                let posted = Ask.form(path, "client_id=nobody&token=x")
                #expect(try await house.send(posted).status == 401)
                #expect(try await house.send(posted).header("www-authenticate") == nil)
            }
        }
    }

    @Test("What the signed-in client may not do is written down")
    func auditOfRefusals() async throws {
        try await House.with { (house) async throws in
            let refused = try await house.send(
                .json(
                    "/oauth/token",
                    ["grant_type": "refresh_token", "client_id": .string(house.app.id.text), "refresh_token": "x"]
                )
            )
            #expect(refused.reason == "refresh_token_invalid")
            #expect(house.refusals.waitingCount == 1)
        }
    }

    @Test("A ceremony begun for a page does not end at the token endpoint, nor the other way round")
    func surfaces() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.signUp("ana@example.com")
            let options = try await person.post("/login/options", [:])
            let answer = try person.authenticator.get(options.json, origin: House.webOrigin)
            let body = person.redemption(options.string("challenge") ?? "", answer)
            #expect(try await house.send(.json("/oauth/token", body)).reason == "auth_session_invalid")
            let (session, native) = try await person.begin()
            #expect(try await person.post("/login/verify", native, session: session).reason == "auth_session_invalid")
        }
    }
}
