import Cryptography
import Encodings
import Identity
import JOSE
import Testing

@testable import Tokens

@Suite("HTTP contract 3.1: client authentication")
struct ClientAuthenticationTests {
    private static let secret = "s3cr3t:with%signs"

    private func house(_ method: ClientAuthenticationMethod) async throws -> House {
        try await House {
            $0.client = House.client("App00000000000000000000000000000", method)
            if method == .secretPost || method == .secretBasic {
                $0.client.secretHash = SHA256.hash(Array(Self.secret.utf8))
            }
        }
    }

    private func authenticate(_ house: House, _ credentials: ClientCredentials) async throws -> Client {
        try await ClientAuthentication(replays: house.store).authenticate(credentials, in: house.context)
    }

    private func basic(_ id: String, _ secret: String) -> String {
        "Basic " + Base64.encode(Array("\(id):\(secret)".utf8))
    }

    private let encoded = "s3cr3t%3Awith%25signs"

    @Test("A public client says its id, and nothing more")
    func publicClient() async throws {
        let house = try await house(.none)
        let id = house.client.id.text
        #expect(try await authenticate(house, ClientCredentials(clientID: id)).id == house.client.id)
        #expect(try await authenticate(house, ClientCredentials(clientID: id, clientSecret: "")).id == house.client.id)
        #expect(
            try await authenticate(house, ClientCredentials(clientID: id, authorization: "Bearer x")).id
                == house.client.id
        )
        await #expect(throws: TokenError.clientAuthenticationFailed(usedBasic: false)) {
            try await authenticate(house, ClientCredentials(clientID: id, clientSecret: "x"))
        }
        for missing in [ClientCredentials(), ClientCredentials(clientID: "")] {
            await #expect(throws: TokenError.missingParameter("client_id")) { try await authenticate(house, missing) }
        }
        await #expect(throws: TokenError.unknownClient) {
            try await authenticate(house, ClientCredentials(clientID: "nobody"))
        }
    }

    @Test("A secret comes in the body or by Basic, whichever of the two is registered")
    func secrets() async throws {
        for method in [ClientAuthenticationMethod.secretPost, .secretBasic] {
            let house = try await house(method)
            let id = house.client.id.text
            #expect(
                try await authenticate(house, ClientCredentials(clientID: id, clientSecret: Self.secret)).id
                    == house.client.id
            )
            #expect(
                try await authenticate(house, ClientCredentials(authorization: basic(id, encoded))).id
                    == house.client.id
            )
            #expect(
                try await authenticate(
                    house,
                    ClientCredentials(clientID: id, authorization: basic(id, encoded).replacingPrefix("bAsIc"))
                ).id == house.client.id
            )
            for wrong in [nil, "", "wrong", Self.secret + " "] {
                await #expect(throws: TokenError.clientAuthenticationFailed(usedBasic: false)) {
                    try await authenticate(house, ClientCredentials(clientID: id, clientSecret: wrong))
                }
            }
            for wrong in [basic(id, "wrong"), basic(id, Self.secret), basic(id, "%zz"), "Basic !", "Basic"] {
                await #expect(throws: TokenError.clientAuthenticationFailed(usedBasic: true)) {
                    try await authenticate(house, ClientCredentials(clientID: id, authorization: wrong))
                }
            }
            await #expect(throws: TokenError.clientAuthenticationFailed(usedBasic: true)) {
                try await authenticate(house, ClientCredentials(clientID: "other", authorization: basic(id, encoded)))
            }
            await #expect(throws: TokenError.multipleClientAuthentication) {
                try await authenticate(
                    house,
                    ClientCredentials(clientID: id, clientSecret: Self.secret, authorization: basic(id, encoded))
                )
            }
        }
    }

    @Test("A client without a stored secret proves nothing with any")
    func noStoredSecret() async throws {
        let house = try await house(.secretPost)
        house.set { $0.client.secretHash = nil }
        await #expect(throws: TokenError.clientAuthenticationFailed(usedBasic: false)) {
            try await authenticate(house, ClientCredentials(clientID: house.client.id.text, clientSecret: "x"))
        }
    }

    @Test("The browser API's client is named, or the tenant's default")
    func browserClient() async throws {
        let house = try await house(.none)
        #expect(throws: TokenError.missingParameter("client_id")) {
            try ClientAuthentication.browserClient(nil, in: house.context)
        }
        house.set { $0.tenant.defaultBrowserClient = $0.client.id }
        #expect(try ClientAuthentication.browserClient(nil, in: house.context).id == house.client.id)
        #expect(throws: TokenError.unknownClient) { try ClientAuthentication.browserClient("x", in: house.context) }
    }

    @Test("A grant is named, served and allowed, in this order")
    func grants() async throws {
        var client = House.client("App00000000000000000000000000000")
        client.grantTypes = [.webAuthn, .clientCredentials]
        for missing in [nil, ""] {
            #expect(throws: TokenError.missingParameter("grant_type")) {
                try ClientAuthentication.grant(missing, of: client)
            }
        }
        for type in ["implicit", "x"] {
            #expect(throws: TokenError.unsupportedGrantType(type)) { try ClientAuthentication.grant(type, of: client) }
        }
        #expect(throws: TokenError.grantNotAllowed(.refreshToken)) {
            try ClientAuthentication.grant("refresh_token", of: client)
        }
        #expect(try ClientAuthentication.grant(GrantType.webAuthn.rawValue, of: client) == .webAuthn)
    }
}

@Suite("RFC 7523 §3 and HTTP contract 3.1: private_key_jwt")
struct ClientAssertionTests {
    private let key: SigningKey
    private let signer: JWTSigner
    private let registered: JSONObject

    init() throws {
        key = try SigningKey.generate(.p256)
        signer = try JWTSigner(keyID: "k1", algorithm: .es256, key: key)
        var json = JSONWriter()
        JWK(publicKey: key.publicKey.components, keyID: "k1", algorithm: .es256).write(to: &json)
        registered = try JSON.parse(json.bytes).object ?? JSONObject()
    }

    private func house() async throws -> House {
        try await House {
            $0.client = House.client("App00000000000000000000000000000", .privateKeyJWT)
            $0.client.assertionKeys = [registered]
        }
    }

    private func claims(_ house: House, _ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(house.client.id.text), "sub": .string(house.client.id.text),
            "aud": "https://login.example.com/oauth/token", "exp": .integer(house.setting.now.seconds + 60),
            "jti": .string(Hex.encode(Random.bytes(8))),
        ]
        change(&claims)
        return claims
    }

    private func authenticate(_ house: House, _ claims: JSONObject, signer: JWTSigner? = nil) async throws -> Client {
        let assertion = try (signer ?? self.signer).sign(claims: JSONValue.object(claims).serialized())
        return try await ClientAuthentication(replays: house.store).authenticate(
            ClientCredentials(assertionType: ClientAuthentication.assertionType, assertion: assertion),
            in: house.context
        )
    }

    @Test("A right assertion proves the client once, with or without client_id, for the token endpoint or the issuer")
    func accepts() async throws {
        let house = try await house()
        let once = claims(house)
        #expect(try await authenticate(house, once).id == house.client.id)
        await #expect(throws: TokenError.clientAuthenticationFailed(usedBasic: false)) {
            try await authenticate(house, once)
        }
        _ = try await authenticate(house, claims(house) { $0["aud"] = "https://login.example.com/" })
        _ = try await authenticate(house, claims(house) { $0["exp"] = .integer(house.setting.now.seconds + 300) })
        // It is remembered until it is over.
        #expect(house.store.now.assertions.values.allSatisfy { $0 > house.setting.now.adding(seconds: 60) })
    }

    @Test("Each claim is checked")
    func refuses() async throws {
        let house = try await house()
        let now = house.setting.now.seconds
        let spoilers: [(inout JSONObject) -> Void] = [
            { $0["iss"] = "other" }, { $0["iss"] = nil }, { $0["aud"] = nil }, { $0["aud"] = "https://evil.example/" },
            { $0["aud"] = ["https://login.example.com/"] }, { $0["exp"] = nil }, { $0["exp"] = .integer(now - 5) },
            { $0["exp"] = .integer(now + 306) }, { $0["jti"] = nil }, { $0["jti"] = "" }, { $0["jti"] = 1 },
            { $0["nbf"] = .integer(now + 6) }, { $0["iat"] = .integer(now + 6) },
            { $0["jti"] = .string(String(repeating: "j", count: 257)) },
        ]
        for spoil in spoilers {
            await #expect(throws: TokenError.clientAuthenticationFailed(usedBasic: false)) {
                try await authenticate(house, claims(house, spoil))
            }
        }
        #expect(house.store.now.assertions.isEmpty)
        await #expect(throws: TokenError.unknownClient) {
            try await authenticate(house, claims(house) { $0["sub"] = "other" })
        }
    }

    @Test("Only the registered key counts, with its own algorithm")
    func keys() async throws {
        let house = try await house()
        let other = try JWTSigner(keyID: "k1", algorithm: .es256, key: SigningKey.generate(.p256))
        let unknown = try JWTSigner(keyID: "k2", algorithm: .es256, key: key)
        let hmac = try JWTSigner(secret: key.publicKey.subjectPublicKeyInfo)
        for signer in [other, unknown, hmac] {
            await #expect(throws: TokenError.clientAuthenticationFailed(usedBasic: false)) {
                try await authenticate(house, claims(house), signer: signer)
            }
        }
        house.set { $0.client.assertionKeys = [] }
        await #expect(throws: TokenError.clientAuthenticationFailed(usedBasic: false)) {
            try await authenticate(house, claims(house))
        }
        // A registered secret is no key.
        house.set { $0.client.assertionKeys = [["kty": "oct", "k": .string(Base64URL.encode(Random.bytes(32)))]] }
        await #expect(throws: TokenError.clientAuthenticationFailed(usedBasic: false)) {
            try await authenticate(house, claims(house))
        }
    }

    @Test("An assertion is no way in for a client with a secret, and a secret none for this one")
    func otherMethods() async throws {
        let house = try await house()
        let authentication = ClientAuthentication(replays: house.store)
        let id = house.client.id.text
        let assertion = try signer.sign(claims: JSONValue.object(claims(house)).serialized())
        for credentials in [
            ClientCredentials(clientID: id), ClientCredentials(clientID: id, clientSecret: "x"),
            ClientCredentials(clientID: id, assertion: assertion),
            ClientCredentials(clientID: id, assertionType: "x", assertion: assertion),
        ] {
            await #expect(throws: TokenError.clientAuthenticationFailed(usedBasic: false)) {
                try await authentication.authenticate(credentials, in: house.context)
            }
        }
        house.set {
            $0.client.authenticationMethod = .secretPost
            $0.client.secretHash = SHA256.hash(Array("x".utf8))
        }
        await #expect(throws: TokenError.clientAuthenticationFailed(usedBasic: false)) {
            try await authenticate(house, claims(house))
        }
    }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String) -> String { prefix + dropFirst(prefix.count) }
}
