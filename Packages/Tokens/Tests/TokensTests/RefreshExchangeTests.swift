import Encodings
import Identity
import Testing
import Threads

@testable import Tokens

@Suite("HTTP contract 7.4: exchanging a refresh token")
struct RefreshExchangeTests {
    private func exchange(
        _ house: House,
        _ token: String?,
        audience: String? = nil,
        scope: String? = nil,
        client: Client? = nil
    ) async throws -> TokenResponse {
        try await house.refresh.exchange(
            token ?? "",
            audience: audience,
            scope: scope,
            client: client ?? house.client,
            in: house.context
        )
    }

    @Test("Rotating: a new token each time, the same session and sign-in behind it")
    func rotates() async throws {
        let house = try await House()
        let signIn = try await house.signIn()
        let first = try await house.verified(try #require(signIn.response.idToken)).claims
        house.pass(seconds: 100)
        let response = try await exchange(house, signIn.response.refreshToken)
        let child = try #require(response.refreshToken)
        #expect(child != signIn.response.refreshToken)
        #expect(response.scope == signIn.response.scope)
        let claims = try await house.verified(try #require(response.idToken)).claims
        for name in ["sub", "sid", "auth_time", "amr", "acr", "aud"] { #expect(claims[name] == first[name]) }
        #expect(claims["iat"] == .integer(house.setting.now.seconds))
        #expect(try await house.verified(response.accessToken).claims["gty"] == "refresh_token")
        _ = try await exchange(house, child)
        #expect(house.store.now.events.map(\.types) == [["sertft"], ["sertft"]])
    }

    @Test("Non-rotating: the same token again, and the idle end moves")
    func touches() async throws {
        let house = try await House {
            $0.client.refreshToken = .confidentialDefault
            $0.client.refreshToken.expires = true
            $0.client.refreshToken.hasInfiniteIdleLifetime = false
            $0.client.refreshToken.idleLifetime = 100
        }
        let token = try await house.signIn().response.refreshToken
        for _ in 0..<3 {
            house.pass(seconds: 99)
            #expect(try await exchange(house, token).refreshToken == nil)
        }
        house.pass(seconds: 100)
        await #expect(throws: TokenError.refreshTokenInvalid) { try await exchange(house, token) }
    }

    @Test("A replay later than the leeway revokes the whole family")
    func reuse() async throws {
        let house = try await House()
        let parent = try await house.signIn().response.refreshToken
        let child = try await exchange(house, parent).refreshToken
        house.pass(seconds: 10)
        await #expect(throws: TokenError.refreshTokenInvalid) { try await exchange(house, parent) }
        #expect(house.store.now.events.last?.types == ["ferrt"])
        await #expect(throws: TokenError.refreshTokenInvalid) { try await exchange(house, child) }
    }

    @Test("Inside the leeway ten at once succeed, and siblings do not live on side by side")
    func leeway() async throws {
        let house = try await House()
        let parent = try await house.signIn().response.refreshToken
        let children = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<10 { group.addTask { try await exchange(house, parent).refreshToken } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(children.compactMap { $0 }).count == 10)
        await #expect(throws: TokenError.refreshTokenInvalid) { try await exchange(house, parent) }
        // The eleventh was refused, and the family lives.
        _ = try await exchange(house, children[0])
        house.pass(seconds: 10)
        await #expect(throws: TokenError.refreshTokenInvalid) { try await exchange(house, children[1]) }
        #expect(house.store.now.families.values.allSatisfy { $0.revokedAt != nil })
    }

    @Test("With a leeway of 0 exactly one of many succeeds, and the family is revoked")
    func strict() async throws {
        let house = try await House { $0.client.refreshToken.leeway = 0 }
        let parent = try await house.signIn().response.refreshToken
        let succeeded = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 { group.addTask { (try? await exchange(house, parent)) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(succeeded == 1)
        #expect(house.store.now.families.values.allSatisfy { $0.revokedAt != nil })
    }

    @Test("What is no token of ours, or has a bit wrong anywhere, is refused and changes nothing")
    func forged() async throws {
        let house = try await House()
        let token = try #require(try await house.signIn().response.refreshToken)
        let bytes = try Base64URL.decode(Array(token.utf8)[3...])
        for bit in stride(from: 0, to: bytes.count * 8, by: 1) {
            var spoiled = bytes
            spoiled[bit / 8] ^= 1 << UInt8(bit % 8)
            await #expect(throws: TokenError.refreshTokenInvalid) {
                try await exchange(house, "v1." + Base64URL.encode(spoiled))
            }
        }
        for count in 0..<token.utf8.count {
            await #expect(throws: TokenError.refreshTokenInvalid) {
                try await exchange(house, String(token.prefix(count)))
            }
        }
        for text in ["v2" + token.dropFirst(2), token + "A", token + "=", String(repeating: "A", count: 10000)] {
            await #expect(throws: TokenError.refreshTokenInvalid) { try await exchange(house, text) }
        }
        _ = try await exchange(house, token)
    }

    @Test("Another client, a revoked session or family, the absolute and the idle end refuse it")
    func ends() async throws {
        let other = House.client("Other000000000000000000000000000")
        let house = try await House { $0.otherClients = [other] }
        func refuses(_ token: String?, client: Client? = nil) async {
            await #expect(throws: TokenError.refreshTokenInvalid) { try await exchange(house, token, client: client) }
        }
        let foreign = try await house.signIn().response.refreshToken
        await refuses(foreign, client: other)
        _ = try await exchange(house, foreign)

        let ended = try await house.signIn()
        house.store.change { $0.sessions[ended.session.id]?.revokedAt = UnixTime(seconds: 1) }
        await refuses(ended.response.refreshToken)
        let idle = try await house.signIn().response.refreshToken
        house.pass(seconds: 1_296_000)
        await refuses(idle)
        // The absolute end is fixed when the family starts; a later setting does not move it.
        house.set { $0.client.refreshToken.hasInfiniteIdleLifetime = true }
        let old = try await house.signIn().response.refreshToken
        house.set { $0.client.refreshToken.hasInfiniteLifetime = true }
        house.pass(seconds: 2_592_000)
        await refuses(old)
    }

    @Test("A token outlives a session that came to its end in time")
    func outlivesItsSession() async throws {
        let house = try await House()
        let signIn = try await house.signIn()
        house.store.change { $0.sessions[signIn.session.id] = nil }
        house.pass(seconds: 168 * 3600)
        let response = try await exchange(house, signIn.response.refreshToken)
        let claims = try await house.verified(try #require(response.idToken)).claims
        #expect(claims["sid"] == .string(signIn.session.id.text))
        #expect(claims["auth_time"] == .integer(signIn.session.authenticatedAt.seconds))
        #expect(claims["amr"] == nil)
    }

    @Test("A deleted and a blocked user are told apart, and only to the holder of the token")
    func users() async throws {
        let house = try await House()
        let token = try await house.signIn().response.refreshToken
        house.store.change { $0.users[House.user.id]?.blockedAt = UnixTime(seconds: 1) }
        await #expect(throws: TokenError.userBlocked) { try await exchange(house, token) }
        house.store.change { $0.users[House.user.id] = nil }
        await #expect(throws: TokenError.refreshTokenUserDeleted) { try await exchange(house, token) }
        house.store.change { $0.users[House.user.id] = House.user }
        _ = try await exchange(house, token)
    }

    @Test("A subset of the scopes narrows this answer only; more is refused")
    func scopes() async throws {
        let house = try await House()
        let signIn = try await house.signIn(scope: "openid read:things offline_access")
        let narrowed = try await exchange(house, signIn.response.refreshToken, scope: "read:things")
        #expect(narrowed.scope == ["read:things"])
        #expect(narrowed.idToken == nil)
        await #expect(throws: TokenError.invalidScope) {
            try await exchange(house, narrowed.refreshToken, scope: "read:things write:things")
        }
        // The refusal took nothing, and the family still has all of it.
        let whole = try await exchange(house, narrowed.refreshToken, scope: "")
        #expect(whole.scope == ["openid", "read:things", "offline_access"])
    }

    @Test("Another API needs a policy of the client that names it")
    func policies() async throws {
        let scope = "create:me:authentication_methods"
        let house = try await House {
            $0.servers.append(House.server("/me/", system: .myAccount, scopes: [scope, "read:me:factors"]))
            $0.servers.append(House.server("https://other.example/", scopes: ["a"]))
            $0.otherDomains = [House.domain("auth.example.net")]
            $0.client.refreshToken.policies = [RefreshPolicy(audience: "https://login.example.com/me/", scope: [scope])]
        }
        var token = try await house.signIn().response.refreshToken
        // By either of the tenant's domains, one API is meant.
        for base in ["https://login.example.com", "https://auth.example.net"] {
            let response = try await exchange(
                house,
                token,
                audience: base + "/me/",
                scope: "openid \(scope) read:me:factors"
            )
            #expect(response.scope == ["openid", scope])
            let claims = try await house.verified(response.accessToken).claims
            #expect(claims["aud"]?.array?.first?.string == base + "/me/")
            token = response.refreshToken
        }
        let all = try await exchange(house, token, audience: "https://login.example.com/me/")
        #expect(all.scope == [scope])
        for audience in ["https://other.example/", "https://nowhere.example/"] {
            await #expect(throws: TokenError.audienceNotInPolicy) {
                try await exchange(house, all.refreshToken, audience: audience)
            }
        }
        // The original one needs none.
        _ = try await exchange(house, all.refreshToken, audience: House.audience)
    }

    @Test("A refusal is told to the log, with its reason")
    func notes() async throws {
        let house = try await House()
        let noted = Lock<[AuditEvent]>([])
        let refresh = RefreshExchange(
            store: house.store,
            issuer: house.issuer,
            random: { _ in [] },
            note: { event in noted.withLock { $0.append(event) } }
        )
        await #expect(throws: TokenError.refreshTokenInvalid) {
            try await refresh.exchange("x", audience: nil, scope: nil, client: house.client, in: house.context)
        }
        #expect(noted.withLock { $0.map(\.types) } == [["fertft"]])
        #expect(noted.withLock { $0.first?.details["reason"] } == "malformed")
    }

    @Test("The session's idle end moves, and never past its absolute end")
    func sessionMoves() async throws {
        let house = try await House()
        let signIn = try await house.signIn()
        house.pass(seconds: 3600)
        let child = try await exchange(house, signIn.response.refreshToken).refreshToken
        #expect(
            house.store.now.sessions[signIn.session.id]?.idleExpiresAt
                == house.setting.now.adding(seconds: 72 * 3600)
        )
        house.pass(seconds: 160 * 3600)
        _ = try await exchange(house, child)
        #expect(house.store.now.sessions[signIn.session.id]?.idleExpiresAt == signIn.session.expiresAt)
    }
}

@Suite("HTTP contract 5.5: revoking a refresh token")
struct RevocationTests {
    @Test("One token revokes its family; unknown ones and a second time are no error")
    func revokes() async throws {
        let house = try await House()
        let revocation = Revocation(store: house.store)
        let token = try #require(try await house.signIn().response.refreshToken)
        let other = try #require(try await house.signIn().response.refreshToken)
        for text in [token, token, "x", "", "a.b.c", "v1." + String(repeating: "A", count: 64)] {
            try await revocation.revoke(text, client: house.client, in: house.context)
        }
        #expect(house.store.now.events.map(\.types) == [["srrt"]])
        await #expect(throws: TokenError.refreshTokenInvalid) {
            try await house.refresh.exchange(token, audience: nil, scope: nil, client: house.client, in: house.context)
        }
        _ = try await house.refresh.exchange(other, audience: nil, scope: nil, client: house.client, in: house.context)
    }

    @Test("With the tenant's flag all of the user's tokens for client and API go")
    func revokesGrant() async throws {
        let house = try await House { $0.tenant.revokeRefreshTokenGrant = true }
        let token = try #require(try await house.signIn().response.refreshToken)
        try await house.signIn()
        try await house.signIn(audience: nil)
        try await Revocation(store: house.store).revoke(token, client: house.client, in: house.context)
        #expect(house.store.now.families.values.count { $0.revokedAt == nil } == 1)
    }

    @Test("Another client's token, and an access token, are refused")
    func refuses() async throws {
        let house = try await House()
        let response = try await house.signIn().response
        let revocation = Revocation(store: house.store)
        let other = House.client("Other000000000000000000000000000")
        await #expect(throws: TokenError.foreignToken) {
            try await revocation.revoke(try #require(response.refreshToken), client: other, in: house.context)
        }
        await #expect(throws: TokenError.unsupportedTokenType) {
            try await revocation.revoke(response.accessToken, client: house.client, in: house.context)
        }
        #expect(house.store.now.families.values.allSatisfy { $0.revokedAt == nil })
    }
}
