import Cryptography
import Encodings
import HTTPServer
import Identity
import Passkeys
import SoftwareAuthenticator
import Tenancy
import Testing

@testable import HTTPAPI

/// Somebody signed in by an app that looks after accounts.
struct AccountUser {
    var person: Person
    var token: String

    static let audience = House.base + "/me/"
    static let methods = "/me/v1/authentication-methods"
    static let scope =
        "openid read:me:factors create:me:authentication_methods read:me:authentication_methods"
        + " update:me:authentication_methods delete:me:authentication_methods"

    /// Signs up with a passkey, and in again for the account.
    static func withPasskey(_ house: House, _ email: String, scope: String = scope) async throws -> AccountUser {
        var person = Person(house)
        _ = try await person.signUp(email)
        let answer = try await signIn(&person, scope: scope)
        return AccountUser(person: person, token: try #require(answer.string("access_token"), "\(answer)"))
    }

    static func signIn(_ person: inout Person, scope: String = scope) async throws -> Answer {
        let (session, assertion) = try await person.begin()
        var body = person.redemption(session, assertion, scope: scope)
        body["audience"] = .string(audience)
        return try await person.send(.json("/oauth/token", body))
    }

    /// Signs up with a password, and in for the account.
    static func withPassword(_ house: House, _ email: String) async throws -> (AccountUser, Answer) {
        let person = Person(house)
        try await person.signUpWithPassword(email)
        let answer = try await person.post(
            "/oauth/token",
            [
                "grant_type": "password", "username": .string(email), "password": .string(Person.password),
                "scope": .string(scope), "audience": .string(audience),
            ]
        )
        let token = try #require(answer.string("access_token"), "\(answer)")
        return (AccountUser(person: person, token: token), answer)
    }

    func send(_ method: String, _ path: String, _ body: JSONObject? = nil) async throws -> Answer {
        var ask = Ask.json(path, body ?? [:])
        if body == nil { ask = .get(path) }
        ask.method = method
        return try await person.send(ask.with("Authorization", "Bearer " + token))
    }

    func get(_ path: String) async throws -> Answer { try await send("GET", path) }

    /// Starts with `authenticator`, and finishes.
    func addPasskey(_ authenticator: inout Authenticator, _ more: JSONObject = [:]) async throws -> Answer {
        var wish = more
        wish["type"] = "passkey"
        let started = try await send("POST", Self.methods, wish)
        try #require(started.status == 202, "\(started)")
        let options = try #require(started["authn_params_public_key"]?.object)
        let answer = try authenticator.create(options, origin: House.base)
        return try await finish(started.string("auth_session"), answer)
    }

    func finish(_ session: String?, _ answer: JSONObject) async throws -> Answer {
        let body: JSONObject = ["auth_session": .string(session ?? ""), "authn_response": .object(answer)]
        return try await send("POST", Self.methods + "/passkey%7Cnew/verify", body)
    }

    /// What the log says of accounts, oldest first.
    func log() async throws -> [String] {
        let refusals = person.house.refusals
        // What waits is written when it ends.
        let writing = Task { await refusals.run() }
        writing.cancel()
        await writing.value
        let store = person.house.store
        let tenant = try #require(try await store.tenant(host: House.host))
        let events = try await store.events(of: tenant, user: nil, from: .before(nil), limit: 100)
        return events.reversed().flatMap(\.event.types).filter { $0.hasPrefix("my_account") }
    }
}

extension House {
    /// Gives the app a client grant for its users' accounts.
    func grantAccount(scope: [String]? = nil) async throws {
        let administration = TenantAdministration(store: store, directory: directory) { Random.bytes($0) }
        let tenant = try #require(try await store.tenant(host: House.host))
        _ = try await administration.createGrant(
            client: app.id,
            audience: AccountUser.audience,
            subject: .user,
            scope: scope,
            in: try #require(try await store.configuration(of: tenant)),
            now: now
        )
        directory.changed()
    }
}

/// The refusal of contract 10.7 that an answer must be.
func expect(
    _ answer: Answer,
    _ status: Int,
    account type: String,
    _ reason: String,
    at location: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, "\(answer)", sourceLocation: location)
    #expect(answer.string("type") == type, "\(answer)", sourceLocation: location)
    #expect(answer["status"] == .integer(Int64(status)), "\(answer)", sourceLocation: location)
    #expect(answer.string("title") == HTTPResponse.reason(for: status), "\(answer)", sourceLocation: location)
    #expect(answer.string("detail")?.isEmpty == false, "\(answer)", sourceLocation: location)
    #expect(answer.reason == reason, "\(answer)", sourceLocation: location)
    #expect(answer.header("content-type") == "application/json; charset=utf-8", sourceLocation: location)
    #expect(answer.header("cache-control") == "no-store", sourceLocation: location)
}
