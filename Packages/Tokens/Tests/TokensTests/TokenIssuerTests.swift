import Cryptography
import Encodings
import Identity
import Testing

@testable import Tokens

@Suite("HTTP contract 6.1 to 6.3, 7.2 and 7.6: tokens and sessions of a sign-in")
struct TokenIssuerTests {
    @Test("The ID token has the claims that clients check, and those that scopes open")
    func idToken() async throws {
        let house = try await House { $0.client.idTokenAlgorithm = .rs256 }
        let signIn = try await house.signIn()
        let (header, claims) = try await house.verified(try #require(signIn.response.idToken))
        #expect(header["alg"] == "RS256")
        #expect(header["typ"] == "JWT")
        let now = house.setting.now.seconds
        #expect(
            claims == [
                "iss": "https://login.example.com/", "sub": .string(House.user.id.subject),
                "aud": .string(house.client.id.text), "iat": .integer(now), "exp": .integer(now + 36000),
                "auth_time": .integer(now), "sid": .string(signIn.session.id.text),
                "amr": ["phr", "pop", "user", "mfa"], "acr": "phr", "name": "Ana \"A\"", "given_name": "Ana",
                "updated_at": "2023-11-14T22:13:20.123Z", "email": "Ana@example.com", "email_verified": false,
            ]
        )
    }

    @Test("Without openid there is no ID token, and without profile no profile")
    func scopes() async throws {
        let house = try await House()
        #expect(try await house.signIn(scope: "profile").response.idToken == nil)
        let bare = try await house.signIn(scope: "openid").response
        let claims = try await house.verified(try #require(bare.idToken)).claims
        #expect(claims["name"] == nil)
        #expect(claims["email"] == nil)
        let phone = try await house.signIn(scope: "openid phone given_name").response
        let opened = try await house.verified(try #require(phone.idToken)).claims
        #expect(opened["phone_number"] == "+4670")
        #expect(opened["phone_number_verified"] == true)
        #expect(opened["given_name"] == "Ana")
        #expect(opened["name"] == nil)
    }

    @Test("An access token in the default dialect")
    func accessToken() async throws {
        let house = try await House()
        let signIn = try await house.signIn(scope: "openid read:things")
        let (header, claims) = try await house.verified(signIn.response.accessToken)
        #expect(header["typ"] == "JWT")
        #expect(header["alg"] == "ES256")
        let now = house.setting.now.seconds
        #expect(
            claims == [
                "iss": "https://login.example.com/", "sub": .string(House.user.id.subject),
                "aud": [.string(House.audience), "https://login.example.com/userinfo"], "iat": .integer(now),
                "exp": .integer(now + 86400), "scope": "openid read:things", "azp": .string(house.client.id.text),
                "sid": .string(signIn.session.id.text),
            ]
        )
        let plain = try await house.verified(try await house.signIn(scope: "read:things").response.accessToken).claims
        #expect(plain["aud"] == .string(House.audience))
        let empty = try await house.verified(try await house.signIn(scope: nil).response.accessToken).claims
        #expect(empty["scope"] == nil)
    }

    @Test("An access token in the form of RFC 9068")
    func rfc9068() async throws {
        let house = try await House { $0.servers[0].dialect = .rfc9068 }
        let signIn = try await house.signIn(scope: "read:things")
        let (header, claims) = try await house.verified(signIn.response.accessToken)
        #expect(header["typ"] == "at+jwt")
        #expect(claims["client_id"] == .string(house.client.id.text))
        #expect(claims["azp"] == nil)
        #expect(claims["auth_time"] == .integer(house.setting.now.seconds))
        #expect(claims["acr"] == "phr")
        #expect(claims["amr"] == ["phr", "pop", "user", "mfa"])
        #expect(try Base64URL.decode(try #require(claims["jti"]?.string)).count == 16)
        let other = try await house.verified(try await house.signIn().response.accessToken).claims
        #expect(other["jti"] != claims["jti"])
        #expect(claims["permissions"] == nil)
        house.set { $0.servers[0].dialect = .rfc9068Authz }
        #expect(try await house.verified(try await house.signIn().response.accessToken).claims["permissions"] == [])
    }

    @Test("Without an audience the token is for user-info alone")
    func userInfoOnly() async throws {
        let house = try await House()
        let response = try await house.signIn(scope: "openid", audience: nil).response
        let (header, claims) = try await house.verified(response.accessToken)
        #expect(header["typ"] == "at+jwt")
        #expect(header["alg"] == "ES256")
        #expect(claims["aud"] == "https://login.example.com/userinfo")
        #expect(response.expiresIn == 86400)
    }

    @Test(
        "Every algorithm signs what the key set verifies",
        arguments: TokenAlgorithm.allCases,
        TokenAlgorithm.allCases
    )
    func algorithms(_ id: TokenAlgorithm, _ access: TokenAlgorithm) async throws {
        let house = try await House {
            $0.client.idTokenAlgorithm = id
            $0.servers[0].signingAlgorithm = access
        }
        let response = try await house.signIn().response
        #expect(try await house.verified(try #require(response.idToken)).header["alg"] == .string(id.rawValue))
        #expect(try await house.verified(response.accessToken).header["alg"] == .string(access.rawValue))
    }

    @Test("A refresh token is v1. and 64 characters, of which only a hash is kept")
    func refreshToken() async throws {
        let house = try await House()
        let signIn = try await house.signIn()
        let text = try #require(signIn.response.refreshToken)
        #expect(text.hasPrefix("v1."))
        #expect(text.utf8.count == 67)
        let bytes = try Base64URL.decode(Array(text.utf8)[3...])
        let refresh = try #require(signIn.prepared.refresh)
        #expect(refresh.token.id.id.bytes == Array(bytes.prefix(16)))
        #expect(refresh.token.secretHash == SHA256.hash(bytes.dropFirst(16)))
        #expect(refresh.token.generation == 0)
        #expect(refresh.family.audience == House.audience)
        #expect(refresh.family.scope == signIn.response.scope)
        #expect(refresh.family.session == signIn.session.id)
        #expect(refresh.family.expiresAt == house.setting.now.adding(seconds: 2_592_000))
        #expect(try await house.signIn(scope: "openid").response.refreshToken == nil)
        house.set { $0.client.refreshToken = .confidentialDefault }
        let endless = try await house.signIn().prepared.refresh?.family
        #expect(endless?.expiresAt == nil)
        #expect(endless?.rotates == false)
    }

    @Test("A session lives as long as the tenant says, in hours that may be fractional")
    func sessions() async throws {
        let house = try await House()
        let now = house.setting.now
        var session = try await house.signIn().session
        #expect(session.expiresAt == now.adding(seconds: 168 * 3600))
        #expect(session.idleExpiresAt == now.adding(seconds: 72 * 3600))
        #expect(session.passkey == PasskeyNumber(number: 5))
        house.set {
            $0.tenant.sessionLifetime = 0.5
            $0.tenant.idleSessionLifetime = 24
        }
        session = try await house.signIn().session
        #expect(session.expiresAt == now.adding(seconds: 1800))
        #expect(session.idleExpiresAt == session.expiresAt)
        house.set { $0.tenant.sessionLifetime = .infinity }
        #expect(try await house.signIn().session.expiresAt > now.adding(seconds: 1_000_000_000))
    }

    @Test("The answer has its members as clients decode them")
    func response() async throws {
        let house = try await House()
        var json = JSONWriter()
        try await house.signIn(scope: "openid").response.write(to: &json)
        let object = try #require(try JSON.parse(json.bytes).object)
        #expect(object.members.map(\.name) == ["access_token", "id_token", "scope", "expires_in", "token_type"])
        #expect(object["token_type"] == "Bearer")
        #expect(object["expires_in"] == 86400)
        #expect(object["scope"] == "openid")
    }
}
