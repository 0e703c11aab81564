import Cryptography
import Encodings
import Identity
import JOSE
import Testing

@testable import Tokens

@Suite("HTTP contract 6.4: access tokens at the server's own APIs")
struct AccessTokenVerifierTests {
    private func verify(
        _ house: House,
        _ token: String,
        for audience: OwnAudience = .userInfo
    ) async throws -> AccessTokenClaims {
        try await AccessTokenVerifier(keys: house.keys).verify(token, for: audience, in: house.context)
    }

    @Test("A token of this tenant is read, in either dialect")
    func accepts() async throws {
        let house = try await House()
        for dialect in [TokenDialect.accessToken, .rfc9068] {
            house.set { $0.servers[0].dialect = dialect }
            let signIn = try await house.signIn()
            let claims = try await verify(house, signIn.response.accessToken)
            #expect(claims.user == House.user.id)
            #expect(claims.client == house.client.id)
            #expect(claims.session == signIn.session.id)
            #expect(claims.scope == signIn.response.scope)
            try claims.require("email")
            #expect(throws: TokenError.insufficientScope("phone")) { try claims.require("phone") }
        }
    }

    @Test("It must be for this API: not for another one, and an ID token is none")
    func audiences() async throws {
        let house = try await House {
            $0.servers.append(House.server("/me/", system: .myAccount, scopes: []))
            $0.otherDomains = [House.domain("auth.example.net")]
        }
        let signIn = try await house.signIn()
        await #expect(throws: TokenError.invalidToken) {
            try await verify(house, signIn.response.accessToken, for: .system(.myAccount))
        }
        await #expect(throws: TokenError.invalidToken) { try await verify(house, signIn.response.idToken ?? "") }
        let plain = try await house.signIn(scope: "read:things").response.accessToken
        await #expect(throws: TokenError.invalidToken) { try await verify(house, plain) }
        // One of the tenant's domains issued it, another one takes it.
        let mine = try await house.signIn(audience: "https://auth.example.net/me/").response.accessToken
        house.set { swap(&$0.domain, &$0.otherDomains[0]) }
        _ = try await verify(house, mine, for: .system(.myAccount))
        _ = try await verify(house, mine)
        // A domain that the tenant no longer has issued nothing that counts.
        house.set { $0.otherDomains = [] }
        await #expect(throws: TokenError.invalidToken) { try await verify(house, mine) }
    }

    @Test("It ends 5 s after exp, also when it is remembered")
    func expiry() async throws {
        let house = try await House { $0.servers[0].tokenLifetime = 60 }
        let token = try await house.signIn().response.accessToken
        let verifier = AccessTokenVerifier(keys: house.keys)
        _ = try await verifier.verify(token, for: .userInfo, in: house.context)
        house.pass(seconds: 64)
        _ = try await verifier.verify(token, for: .userInfo, in: house.context)
        house.pass(seconds: 1)
        await #expect(throws: TokenError.invalidToken) {
            try await verifier.verify(token, for: .userInfo, in: house.context)
        }
        await #expect(throws: TokenError.invalidToken) { try await verify(house, token) }
    }

    @Test("Another tenant's token is refused, also when it is remembered")
    func otherTenant() async throws {
        let house = try await House()
        let token = try await house.signIn().response.accessToken
        let verifier = AccessTokenVerifier(keys: house.keys)
        _ = try await verifier.verify(token, for: .userInfo, in: house.context)
        house.set { $0.tenantID = TenantID(number: 8) }
        await #expect(throws: TokenError.invalidToken) {
            try await verifier.verify(token, for: .userInfo, in: house.context)
        }
    }

    @Test("A revoked key's tokens are refused, also when they are remembered")
    func revokedKey() async throws {
        let house = try await House()
        let token = try await house.signIn().response.accessToken
        let verifier = AccessTokenVerifier(keys: house.keys)
        _ = try await verifier.verify(token, for: .userInfo, in: house.context)
        house.store.change { state in
            for index in state.keys.indices { state.keys[index].revokedAt = UnixTime(seconds: 1) }
            state.version += 1
        }
        house.pass(seconds: 5)
        await #expect(throws: TokenError.invalidToken) {
            try await verifier.verify(token, for: .userInfo, in: house.context)
        }
    }

    @Test("Many unknown kids look into the store once in 5 s")
    func unknownKeys() async throws {
        let house = try await House()
        let token = try await house.signIn().response.accessToken
        let parts = token.split(separator: ".").map(String.init)
        func look() async {
            let header = "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"\(Hex.encode(Random.bytes(8)))\"}"
            let text = Base64URL.encode(Array(header.utf8)) + "." + parts[1] + "." + parts[2]
            await #expect(throws: TokenError.invalidToken) { try await verify(house, text) }
        }
        let before = house.store.now.keyReads
        for _ in 0..<20 { await look() }
        #expect(house.store.now.keyReads == before + 1)
        house.pass(seconds: 5)
        for _ in 0..<20 { await look() }
        #expect(house.store.now.keyReads == before + 2)
    }

    @Test("A flipped bit anywhere, a cut at any length and the known forgeries are refused (pitfall B10)")
    func forgeries() async throws {
        let house = try await House()
        let token = try await house.signIn().response.accessToken
        let bytes = Array(token.utf8)
        for index in bytes.indices {
            for bit: UInt8 in [1, 2, 4, 32] {
                var spoiled = bytes
                spoiled[index] ^= bit
                let text = String(decoding: spoiled, as: UTF8.self)
                await #expect(throws: TokenError.invalidToken, "byte \(index)") { try await verify(house, text) }
            }
            await #expect(throws: TokenError.invalidToken) {
                try await verify(house, String(decoding: bytes[..<index], as: UTF8.self))
            }
        }
        let parts = token.split(separator: ".").map(String.init)
        let record = try #require(house.store.now.keys.first { $0.algorithm == .es256 && $0.state == .active })
        let publicKey = try VerifyingKey(subjectPublicKeyInfo: record.publicKey)
        func header(_ members: String) -> String { Base64URL.encode(Array("{\(members)}".utf8)) }
        let kid = "\"kid\":\"\(record.id.text)\""
        var texts = [
            header("\"alg\":\"none\",\"typ\":\"JWT\",\(kid)") + "." + parts[1] + ".",
            header("\"alg\":\"none\",\"typ\":\"JWT\",\(kid)") + "." + parts[1] + "." + parts[2],
            parts[0] + "." + parts[1] + ".", parts[0] + "." + parts[1], token + ".", token + "=",
            header("\"alg\":\"ES256\",\"typ\":\"JWT\"") + "." + parts[1] + "." + parts[2],
            header("\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"../../etc/passwd\"") + "." + parts[1] + "." + parts[2],
            header("\"alg\":\"ES256\",\"typ\":\"JWT\",\"crit\":[\"x\"],\(kid)") + "." + parts[1] + "." + parts[2],
            "", ".", "..", "...", String(repeating: "A", count: 100_000),
        ]
        // HMAC with the public key as its secret, in each of its forms.
        for secret in [record.publicKey, Array(publicKey.pem.utf8)] {
            let input = header("\"alg\":\"HS256\",\"typ\":\"JWT\",\(kid)") + "." + parts[1]
            let code = HMACSHA256.authenticate(Array(input.utf8), key: secret)
            texts.append(input + "." + Base64URL.encode(code))
        }
        // Another key, which the header brings along.
        let mine = try SigningKey.generate(.p256)
        let signer = try JWTSigner(keyID: record.id.text, algorithm: .es256, key: mine)
        texts.append(try signer.sign(claims: try Base64URL.decode(parts[1])))
        for text in texts {
            await #expect(throws: TokenError.invalidToken) { try await verify(house, text) }
        }
        _ = try await verify(house, token)
    }

    @Test("It remembers no more than it may, and goes on")
    func bounded() async throws {
        let house = try await House()
        let verifier = AccessTokenVerifier(keys: house.keys, capacity: 4)
        var tokens: [String] = []
        for _ in 0..<12 { tokens.append(try await house.signIn().response.accessToken) }
        for token in tokens + tokens { _ = try await verifier.verify(token, for: .userInfo, in: house.context) }
    }
}
