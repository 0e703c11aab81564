import Encodings
import Identity
import Testing

@testable import HTTPAPI

@Suite("6.6, 6.7, 14.3: what clients find out by themselves")
struct DiscoveryTests {
    @Test("Every endpoint that is listed is served, every grant and way of authentication is known")
    func endpoints() async throws {
        try await House.with { (house) async throws in
            let document = try await house.send(.get("/.well-known/openid-configuration"))
            #expect(document.string("issuer") == House.base + "/")
            for member in document.json.members where member.name.hasSuffix("_endpoint") || member.name == "jwks_uri" {
                let url = try #require(member.value.string)
                #expect(url.hasPrefix(House.base + "/"))
                let answer = try await house.send(.get(String(url.dropFirst(House.base.count))))
                #expect(answer.status != 404, "\(member.name)")
            }
            #expect(document["grant_types_supported"]?.array?.count == ServedGrantCount.value)
            #expect(document.header("cache-control") == "public, max-age=300")
            #expect(document.string("authorization_endpoint") == House.base + "/authorize")
            #expect(document.string("end_session_endpoint") == House.base + "/oidc/logout")
            #expect(document["response_types_supported"] == ["code"])
            #expect(document["response_modes_supported"] == ["query", "form_post"])
            #expect(document["code_challenge_methods_supported"] == ["S256"])
            #expect(document["prompt_values_supported"] == ["none", "login", "consent", "select_account", "create"])
            #expect(document["authorization_response_iss_parameter_supported"] == true)
        }
    }

    private enum ServedGrantCount { static let value = 6 }

    @Test("Scopes and claims that are listed are those that userinfo knows")
    func scopes() async throws {
        try await House.with { (house) async throws in
            let document = try await house.send(.get("/.well-known/openid-configuration"))
            let scopes = (document["scopes_supported"]?.array ?? []).compactMap(\.string)
            let claims = (document["claims_supported"]?.array ?? []).compactMap(\.string)
            var person = Person(house)
            let tokens = try await person.signUp("ana@example.com", scope: scopes.joined(separator: " "))
            #expect(tokens.string("scope") == scopes.joined(separator: " "))
            let bearer = "Bearer " + (tokens.string("access_token") ?? "")
            let info = try await house.send(Ask.get("/userinfo").with("Authorization", bearer))
            #expect(info.status == 200)
            for member in info.json.members where member.name != "updated_at" {
                #expect(claims.contains(member.name), "\(member.name)")
            }
            #expect(info["created_at"] != nil)
        }
    }

    @Test(
        "Keys and related origins have an entity tag, and are not sent again to who has them",
        arguments: ["jwks.json", "webauthn"]
    )
    func entityTags(_ file: String) async throws {
        try await House.with({ $0.relatedOrigins = ["https://shop.example"] }) { (house) async throws in
            var person = Person(house)
            _ = try await person.signUp("ana@example.com")
            let ask = Ask.get("/.well-known/" + file)
            let first = try await house.send(ask)
            #expect(first.status == 200)
            let tag = try #require(first.header("etag"))
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
            for known in [tag, "W/" + tag, "\"x\", " + tag, "*"] {
                let again = try await house.send(ask.with("If-None-Match", known))
                #expect(again.status == 304, "\(known)")
                #expect(again.body.isEmpty)
                #expect(again.header("etag") == tag)
                #expect(again.header("cache-control") == first.header("cache-control"))
                #expect(again.header("access-control-allow-origin") == "*")
            }
            for other in ["\"x\"", "", String(tag.dropFirst().dropLast())] {
                #expect(try await house.send(ask.with("If-None-Match", other)).status == 200, "\(other)")
            }
        }
    }

    @Test("Related origins are the domain's, application/json exactly; none: 404")
    func relatedOrigins() async throws {
        try await House.with { (house) async throws in
            let ask = Ask.get("/.well-known/webauthn")
            expect(try await house.send(ask), 404, "not_found", "Not found", "not_found")
            house.change { $0.relatedOrigins = ["https://shop.example", "https://example.co.uk"] }
            let answer = try await house.send(ask)
            #expect(answer.json == ["origins": ["https://shop.example", "https://example.co.uk"]])
            #expect(answer.values("content-type") == ["application/json"])
            #expect(answer.header("cache-control") == "public, max-age=300")
        }
    }
}
