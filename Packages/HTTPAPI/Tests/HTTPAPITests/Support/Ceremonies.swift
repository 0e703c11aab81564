import Cryptography
import Encodings
import Identity
import SoftwareAuthenticator
import Testing
import Tokens

@testable import HTTPAPI

/// Somebody with an authenticator, a browser or an app, who keeps no cookie by themselves.
struct Person {
    let house: House
    var authenticator = Authenticator()
    var origin: String? = House.webOrigin
    var client: Client
    var cookie: String?
    var bearer: String?

    init(_ house: House) {
        self.house = house
        client = house.app
    }

    var clientID: JSONValue { .string(client.id.text) }

    func send(_ ask: Ask) async throws -> Answer {
        try await house.send(
            ask.with("Origin", origin).with("Cookie", cookie).with("Authorization", bearer.map { "Bearer " + $0 })
        )
    }

    /// Posts `body` with the client's id.
    func post(_ path: String, _ body: JSONObject, session: String? = nil) async throws -> Answer {
        var body = body
        if body["client_id"] == nil { body["client_id"] = clientID }
        return try await send(.json(path, body).with("X-Auth-Session", session))
    }

    /// Section 12, both steps; the options' own refusal when they give one.
    mutating func register(_ username: String?, _ more: JSONObject = [:], fault: Fault? = nil) async throws -> Answer {
        var body = more
        if let username { body["username"] = .string(username) }
        let options = try await post("/register/options", body)
        guard options.status == 200 else { return options }
        let answer = try authenticator.create(options.json, origin: House.webOrigin, fault: fault)
        return try await post("/register/verify", answer, session: options.header("x-auth-session"))
    }

    mutating func signIn(_ username: String? = nil, scope: String? = nil, fault: Fault? = nil) async throws -> Answer {
        let options = try await post("/login/options", username.map { ["username": .string($0)] } ?? [:])
        guard options.status == 200 else { return options }
        var answer = try authenticator.get(options.json, origin: House.webOrigin, fault: fault)
        if let scope { answer["scope"] = .string(scope) }
        return try await post("/login/verify", answer, session: options.header("x-auth-session"))
    }

    /// Begins at `/passkey/…`: the session and the answer of the authenticator.
    mutating func begin(signUp email: String? = nil, fault: Fault? = nil) async throws -> (String, JSONObject) {
        let begun =
            email == nil
            ? try await post("/passkey/challenge", [:])
            : try await post("/passkey/register", ["user_profile": ["email": .string(email ?? "")]])
        let options = try #require(begun["authn_params_public_key"]?.object, "\(begun)")
        let answer =
            email == nil
            ? try authenticator.get(options, origin: House.base, fault: fault)
            : try authenticator.create(options, origin: House.base, fault: fault)
        return (try #require(begun.string("auth_session")), answer)
    }

    /// A request to the token endpoint that would succeed.
    func redemption(_ session: String, _ answer: JSONObject, scope: String = "openid") -> JSONObject {
        [
            "grant_type": "urn:okta:params:oauth:grant-type:webauthn", "client_id": clientID,
            "auth_session": .string(session), "authn_response": .object(answer), "scope": .string(scope),
        ]
    }

    /// Signs up at the token endpoint, and gives the token response.
    mutating func signUp(_ email: String, scope: String = "openid profile email offline_access") async throws -> Answer
    {
        let (session, answer) = try await begin(signUp: email)
        let tokens = try await send(.json("/oauth/token", redemption(session, answer, scope: scope)))
        try #require(tokens.status == 200, "\(tokens)")
        return tokens
    }
}

extension Person {
    static var password: String { "Correct-horse-1" }

    /// Signs up with a password.
    func signUpWithPassword(_ email: String) async throws {
        let made = try await post(
            "/dbconnections/signup",
            [
                "connection": .string(Connection.defaultName), "email": .string(email),
                "password": .string(Self.password),
            ]
        )
        try #require(made.status == 200, "\(made)")
    }

    /// Signs in with that password, by its grant.
    func signInWithPassword(_ email: String) async throws -> Answer {
        try await post(
            "/oauth/token",
            [
                "grant_type": "password", "username": .string(email), "password": .string(Self.password),
                "scope": "openid",
            ]
        )
    }
}
