import Encodings
import Identity
import SoftwareAuthenticator
import Testing

@testable import HTTPAPI

@Suite("10: who may call the My Account API")
struct MyAccountAccessTests {
    private let methods = AccountUser.methods

    @Test("A client grant of its users gives the token, and only the scopes that it lists")
    func clientGrant() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.signUp("ana@example.com")
            let refused = try await AccountUser.signIn(&person)
            #expect(refused.status == 403 && refused.reason == "client_grant_missing", "\(refused)")
            try await house.grantAccount(scope: ["read:me:authentication_methods"])
            let answer = try await AccountUser.signIn(&person)
            #expect(answer.string("scope") == "openid read:me:authentication_methods", "\(answer)")
            let user = AccountUser(person: person, token: try #require(answer.string("access_token")))
            #expect(try await user.get(methods).status == 200)
            for (method, path, scope) in [
                ("GET", "/me/v1/factors", "read:me:factors"),
                ("POST", methods, "create:me:authentication_methods"),
                ("POST", methods + "/passkey%7Cnew/verify", "create:me:authentication_methods"),
                ("PATCH", methods + "/x", "update:me:authentication_methods"),
                ("DELETE", methods + "/x", "delete:me:authentication_methods"),
            ] {
                let answer = try await user.send(method, path, method == "GET" ? nil : [:])
                expect(answer, 403, account: "insufficient_scope", "insufficient_scope")
                let challenge =
                    "Bearer realm=\"\(House.base)\", error=\"insufficient_scope\", scope=\"\(scope)\""
                #expect(answer.header("www-authenticate") == challenge)
            }
        }
    }

    @Test("Without a token, with one for another API, by another scheme, of a third party or of an ended session: 401")
    func tokens() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            let user = try await AccountUser.withPasskey(house, "ana@example.com")
            let none = try await house.send(.get(methods))
            expect(none, 401, account: "unauthorized_error", "no_session")
            #expect(none.header("www-authenticate") == "Bearer realm=\"\(House.base)\"")
            var person = user.person
            let other = try await person.signUp("bo@example.com").string("access_token") ?? ""
            for authorization in ["Bearer x", "Bearer " + other, "DPoP " + user.token] {
                let answer = try await house.send(Ask.get(methods).with("Authorization", authorization))
                expect(answer, 401, account: "unauthorized_error", "invalid_token")
                #expect(answer.header("www-authenticate")?.contains("error=\"invalid_token\"") == true)
            }
            #expect(try await user.get(methods).status == 200)
            house.change { $0.client = { $0.isFirstParty = false } }
            expect(try await user.get(methods), 401, account: "unauthorized_error", "invalid_token")
            house.change { $0.client = { _ in } }
            let ended = try await house.send(
                .json("/api/logout", [:]).with("Authorization", "Bearer " + user.token)
            )
            #expect(ended.status == 204)
            expect(try await user.get(methods), 401, account: "unauthorized_error", "invalid_token")
        }
    }

    @Test("A user has so many calls in a second, whichever client makes them")
    func rateLimit() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            let user = try await AccountUser.withPasskey(house, "ana@example.com")
            let other = try await AccountUser.withPasskey(house, "bo@example.com")
            var limits = RateLimits.off
            limits.myAccount = RateLimit(limit: 2, seconds: 1)
            house.limit(limits)
            #expect(try await user.get(methods).header("x-ratelimit-remaining") == "1")
            #expect(try await user.get(methods).status == 200)
            let refused = try await user.get(methods)
            expect(refused, 429, account: "too_many_requests", "rate_limited")
            #expect(refused.header("retry-after") == "1")
            #expect(try await other.get(methods).status == 200)
        }
    }

    @Test("Pages of the client's origins read the answers, Location too; bodies of other kinds are refused")
    func wire() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            let user = try await AccountUser.withPasskey(house, "ana@example.com")
            let answer = try await user.send("POST", methods, ["type": "passkey"])
            #expect(answer.header("access-control-allow-origin") == House.webOrigin)
            #expect(answer.header("access-control-expose-headers")?.contains("Location") == true)
            let authorized = Ask.raw(methods, Array("type=passkey".utf8), type: "text/plain")
                .with("Authorization", "Bearer " + user.token)
            expect(try await house.send(authorized), 415, account: "unsupported_media_type", "unsupported_media_type")
            let broken = Ask.raw(methods, Array("{".utf8), type: "application/json")
                .with("Authorization", "Bearer " + user.token)
            expect(try await house.send(broken), 400, account: "validation_error", "invalid_json")
        }
    }
}
