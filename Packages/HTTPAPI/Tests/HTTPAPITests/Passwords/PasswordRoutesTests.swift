import Encodings
import Identity
import Testing
import Tokens

@testable import HTTPAPI

@Suite("9: passwords as a fallback")
struct PasswordRoutesTests {
    private static let password = "Correct-horse-1"

    private func signUp(
        _ house: House,
        _ email: String = "ana@example.com",
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> Answer {
        var body: JSONObject = [
            "client_id": .string(house.app.id.text), "connection": .string(Connection.defaultName),
            "email": .string(email), "password": .string(Self.password),
        ]
        change(&body)
        return try await house.send(.json("/dbconnections/signup", body))
    }

    private func signIn(
        _ house: House,
        _ username: String = "ana@example.com",
        password: String = PasswordRoutesTests.password,
        realm: String? = nil,
        from address: String = "198.51.100.7",
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> Answer {
        var body: JSONObject = [
            "client_id": .string(house.app.id.text), "username": .string(username), "password": .string(password),
            "grant_type": .string((realm == nil ? GrantType.password : .passwordRealm).rawValue),
            "scope": "openid email offline_access",
        ]
        if let realm { body["realm"] = .string(realm) }
        change(&body)
        return try await house.send(Ask.json("/oauth/token", body).set(\.peer, Ask.peer(address)))
    }

    @Test("A user signs up with a password, and signs in with it by either grant")
    func signUpAndIn() async throws {
        try await House.with { (house) async throws in
            let made = try await signUp(house) { body in
                body["given_name"] = "Ana"
                body["user_metadata"] = ["plan": "free"]
            }
            #expect(made.status == 200)
            let names = made.json.members.map(\.name)
            #expect(names == ["_id", "email", "email_verified", "given_name", "user_metadata"])
            #expect(made.string("_id")?.utf8.count == 24)
            for realm in [nil, Connection.defaultName] {
                let answer = try await signIn(house, realm: realm)
                #expect(answer.status == 200)
                #expect(answer.string("refresh_token") != nil)
                #expect(answer.string("scope") == "openid email offline_access")
                let token = try #require(answer.string("id_token"))
                let claims = try #require(Self.claims(token))
                #expect(claims["amr"] == ["pwd"] && claims["acr"] == nil)
                #expect(claims["sub"]?.string == made.string("_id").map { "auth0|" + $0 })
            }
            // The name in another spelling, the password in another form of Unicode.
            #expect(try await signIn(house, " ANA@Example.com ").status == 200)
            #expect(
                try await house.send(
                    .json(
                        "/oauth/token",
                        [
                            "client_id": .string(house.app.id.text), "grant_type": "refresh_token",
                            "refresh_token": .string(try await signIn(house).string("refresh_token") ?? ""),
                        ]
                    )
                ).status == 200
            )
        }
    }

    @Test("The connection is judged before the audience")
    func order() async throws {
        try await House.with { (house) async throws in
            let answer = try await signIn(house, realm: "nowhere") { $0["audience"] = "https://nowhere.example/" }
            #expect(answer.reason == "unknown_connection")
            let other = try await signIn(house, realm: Connection.defaultName) {
                $0["audience"] = "https://nowhere.example/"
            }
            #expect(other.reason == "unknown_audience")
        }
    }

    @Test("A password is compared in NFC, and never trimmed")
    func forms() async throws {
        try await House.with { (house) async throws in
            _ = try await signUp(house) { $0["password"] = " P\u{e4}ssw\u{f6}rd-1 " }
            #expect(try await signIn(house, password: " Pa\u{308}sswo\u{308}rd-1 ").status == 200)
            #expect(try await signIn(house, password: "P\u{e4}ssw\u{f6}rd-1").status == 403)
        }
    }

    @Test("Who has the name is told neither by a wrong password nor by a user or a connection without passwords")
    func sameAnswer() async throws {
        try await House.with { (house) async throws in
            house.limit(.off)
            _ = try await signUp(house)
            let wrong = try await signIn(house, password: "Wrong-horse-1")
            #expect(wrong.status == 403)
            #expect(wrong.string("error") == "invalid_grant")
            #expect(wrong.string("error_description") == "Wrong email or password.")
            #expect(wrong.reason == "wrong_credentials")
            let bodies = [
                try await signIn(house, "nobody@example.com"), try await signIn(house, "no name at all"),
                try await signIn(house, password: String(repeating: "x", count: 2000)),
            ].map(\.body)
            #expect(bodies.allSatisfy { $0 == wrong.body })
            house.change { $0.options = { $0.passwordsEnabled = false } }
            #expect(try await signIn(house).body == wrong.body)
            #expect(try await signUp(house, "other@example.com").reason == "signup_disabled")
        }
    }

    @Test("Ten wrong passwords lock a name for its address, and nobody else's")
    func locksByAddress() async throws {
        try await House.with { (house) async throws in
            house.limit(RateLimits(token: nil))
            _ = try await signUp(house)
            for _ in 1...9 { #expect(try await signIn(house, password: "Wrong-horse-1").status == 403) }
            // One that is right forgives the nine.
            #expect(try await signIn(house).status == 200)
            for _ in 1...10 { #expect(try await signIn(house, password: "Wrong-horse-1").status == 403) }
            house.pass(seconds: 890)
            let locked = try await signIn(house, "ANA@example.com")
            #expect(locked.status == 429)
            #expect(locked.string("error") == "too_many_attempts")
            #expect(locked.reason == "account_locked")
            #expect(locked.header("Retry-After").flatMap { Int($0) }.map { (1...900).contains($0) } == true)
            #expect(try await signIn(house, from: "198.51.100.8").status == 200)
            house.pass(seconds: 20)
            #expect(try await signIn(house).status == 200)
        }
    }

    @Test("A hundred wrong passwords in a row lock a name everywhere, whether or not anybody has it")
    func locksInARow() async throws {
        try await House.with { (house) async throws in
            house.limit(RateLimits(token: nil, passwordIdentifierIP: nil, passwordIdentifier: 5, passwordIP: nil))
            _ = try await signUp(house)
            for name in ["ana@example.com", "nobody@example.com"] {
                for number in 1...5 {
                    let answer = try await signIn(house, name, password: "Wrong-horse-1", from: "198.51.100.\(number)")
                    #expect(answer.status == 403)
                }
                let locked = try await signIn(house, name, from: "198.51.100.99")
                #expect(locked.status == 429 && locked.reason == "account_locked")
                #expect(locked.header("Retry-After") != nil)
            }
        }
    }

    @Test("An address has so many wrong passwords for all names together")
    func locksAddress() async throws {
        try await House.with { (house) async throws in
            house.limit(RateLimits(token: nil, passwordIP: RateLimit(limit: 4, seconds: 86400)))
            _ = try await signUp(house)
            for number in 1...4 {
                #expect(try await signIn(house, "n\(number)@example.com").status == 403)
                // One that is right is no failure.
                if number < 4 { #expect(try await signIn(house).status == 200) }
            }
            #expect(try await signIn(house).reason == "account_locked")
        }
    }

    @Test("A backend's word about its user's address is taken where the client is set so, and no public client's")
    func forwardedAddress() async throws {
        try await House.with { (house) async throws in
            house.limit(RateLimits(token: nil, passwordIdentifierIP: RateLimit(limit: 1, seconds: 900)))
            _ = try await signUp(house)
            func ask(_ client: Client, secret: String?, _ address: String) async throws -> Answer {
                var body: JSONObject = [
                    "client_id": .string(client.id.text), "username": "ana@example.com", "password": "Wrong-horse-1",
                    "grant_type": "password",
                ]
                if let secret { body["client_secret"] = .string(secret) }
                return try await house.send(.json("/oauth/token", body).with("auth0-forwarded-for", address))
            }
            house.change { $0.client = { $0.trustsForwardedAddress = true } }
            for number in 1...3 {
                #expect(try await ask(house.backend, secret: house.secret, "203.0.113.\(number)").status == 403)
            }
            #expect(try await ask(house.backend, secret: house.secret, "203.0.113.3").status == 429)
            #expect(try await ask(house.backend, secret: house.secret, "nowhere").reason == "invalid_parameter")
            #expect(try await ask(house.app, secret: nil, "203.0.113.8").status == 403)
            #expect(try await ask(house.app, secret: nil, "203.0.113.9").status == 429)
        }
    }

    @Test("A weak password is refused with every rule and its verdict, in the words that clients know")
    func weak() async throws {
        try await House.with { (house) async throws in
            let answer = try await signUp(house) { $0["password"] = "short" }
            #expect(answer.status == 400)
            #expect(answer.string("name") == "PasswordStrengthError")
            #expect(answer.string("code") == "invalid_password")
            #expect(answer["statusCode"] == 400)
            let rules = answer["description"]?.object?["rules"]?.array ?? []
            #expect(rules.map { $0.object?["code"] } == ["lengthAtLeast", "containsAtLeast"])
            #expect(rules.map { $0.object?["verified"] } == [false, false])
            #expect(answer.string("policy")?.hasPrefix("* At least 8 characters in length\n") == true)
            #expect(
                try await signUp(house) { $0["password"] = "Breached-2024" }.string("name") == "PasswordDictionaryError"
            )
            house.change { $0.options = { $0.password.refusesPersonalInfo = true } }
            #expect(
                try await signUp(house) { $0["password"] = "x-ANA-1234" }.string("name") == "PasswordNoUserInfoError"
            )
        }
    }

    @Test("Whether an address has an account is told only where the tenant wants it")
    func exists() async throws {
        try await House.with { (house) async throws in
            _ = try await signUp(house)
            let hidden = try await signUp(house, "ANA@example.com")
            #expect(hidden.status == 400)
            #expect(hidden.string("name") == "BadRequestError" && hidden.string("code") == "invalid_signup")
            #expect(hidden.string("description") == "Invalid sign up")
            house.change { $0.settings.signupTellsUserExists = true }
            let told = try await signUp(house)
            #expect(told.string("code") == "user_exists")
        }
    }

    @Test("What is missing, unknown or wrong in a sign-up is refused by name")
    func refusals() async throws {
        try await House.with { (house) async throws in
            for name in ["client_id", "connection", "email", "password"] {
                let answer = try await signUp(house) { $0[name] = nil }
                #expect(
                    answer.status == 400 && answer.string("error_description") == "Missing required parameter: \(name)"
                )
            }
            #expect(try await signUp(house) { $0["client_id"] = "nobody" }.reason == "unknown_client")
            #expect(try await signUp(house) { $0["connection"] = "nowhere" }.reason == "unknown_connection")
            #expect(try await signUp(house) { $0["email"] = "no address" }.reason == "invalid_parameter")
            #expect(try await signUp(house) { $0["admin"] = true }.reason == "invalid_parameter")
            #expect(
                try await signUp(house) { $0["password"] = .string(String(repeating: "x", count: 1025)) }.reason
                    == "invalid_parameter"
            )
        }
    }

    @Test("A client without the grant, or of a third party, may not use passwords")
    func grant() async throws {
        try await House.with { (house) async throws in
            house.change { $0.client = { $0.isFirstParty = false } }
            for realm in [nil, Connection.defaultName] {
                #expect(try await signIn(house, realm: realm).reason == "grant_not_allowed")
            }
            house.change { $0.client = { $0.grantTypes = [.refreshToken] } }
            #expect(try await signIn(house).reason == "grant_not_allowed")
        }
    }

    /// The claims of a token, unverified.
    private static func claims(_ token: String) -> JSONObject? {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let bytes = try? Base64URL.decode(String(parts[1])) else { return nil }
        return (try? JSON.parse(bytes))?.object
    }
}
