import Encodings
import Identity
import Testing

@testable import Tokens

@Suite("HTTP contract 5.4: client_credentials")
struct ClientCredentialsTests {
    private static let management = "https://login.example.com/api/v2/"

    /// A confidential client with grants for the API and for the Management API.
    private func house(_ change: (inout House.Setting) -> Void = { _ in }) async throws -> House {
        let house = try await House {
            $0.client = House.client("Backend0000000000000000000000000", .secretPost)
            $0.client.grantTypes = [.clientCredentials]
            $0.servers.append(
                House.server("/api/v2/", system: .management, scopes: ["read:clients", "read:users"])
            )
        }
        house.set { [api = house.grant(House.audience, ["read:things", "gone"], subject: .client)] in
            $0.grants = [api]
        }
        house.set { [grant = house.grant("/api/v2/", ["read:clients", "read:actions"], subject: .client)] in
            $0.grants.append(grant)
        }
        house.set(change)
        return house
    }

    private func decide(_ house: House, _ audience: String?, _ scope: String?) throws -> GrantDecision {
        try GrantDecision.client(audience: audience, scope: scope, client: house.client, in: house.context)
    }

    @Test("The scope is what the grant lists and the API has, or a part of it that is asked for")
    func scope() async throws {
        let house = try await house()
        #expect(try decide(house, House.audience, nil).scope == ["read:things"])
        #expect(try decide(house, House.audience, "").scope == ["read:things"])
        #expect(try decide(house, House.audience, "read:things").scope == ["read:things"])
        for asked in ["write:things", "gone", "openid", "offline_access", "read:things write:things"] {
            #expect(throws: TokenError.invalidScope) { try decide(house, House.audience, asked) }
        }
        house.set { $0.grants[0].allowAllScopes = true }
        #expect(try decide(house, House.audience, nil).scope == ["read:things", "write:things"])
        // What the Management API has no use for round-trips.
        #expect(try decide(house, Self.management, nil).scope == ["read:clients", "read:actions"])
    }

    @Test("Without an audience it is the tenant's default, which must be there")
    func audience() async throws {
        let house = try await house()
        #expect(throws: TokenError.missingParameter("audience")) { try decide(house, nil, nil) }
        #expect(throws: TokenError.missingParameter("audience")) { try decide(house, "", nil) }
        house.set { $0.tenant.defaultAudience = House.audience }
        #expect(try decide(house, "", nil).audience == House.audience)
        #expect(throws: TokenError.unknownAudience("https://nobody.example/")) {
            try decide(house, "https://nobody.example/", nil)
        }
    }

    @Test("The API's policy for clients decides whether a grant is needed")
    func policy() async throws {
        let house = try await house { $0.servers[0].clientAccess = .denyAll }
        let missing = TokenError.clientGrantMissing(audience: House.audience)
        #expect(throws: missing) { try decide(house, House.audience, nil) }
        house.set {
            $0.servers[0].clientAccess = .allowAll
            $0.grants = []
        }
        #expect(try decide(house, House.audience, nil).scope == ["read:things", "write:things"])
        house.set { $0.servers[0].clientAccess = .requireClientGrant }
        #expect(throws: missing) { try decide(house, House.audience, nil) }
        // A grant for users gives the client itself nothing.
        house.set { [user = house.grant(House.audience, ["read:things"])] in $0.grants = [user] }
        #expect(throws: missing) { try decide(house, House.audience, nil) }
    }

    @Test("A public client has no such grant, whatever its grant types say")
    func publicClient() async throws {
        let house = try await house { $0.client.authenticationMethod = .none }
        #expect(throws: TokenError.grantNotAllowed(.clientCredentials)) {
            try ClientAuthentication.grant("client_credentials", of: house.client)
        }
    }

    @Test("The token speaks for the client, in either dialect (6.3)")
    func claims() async throws {
        let house = try await house()
        for dialect in [TokenDialect.accessToken, .rfc9068] {
            house.set { $0.servers[0].dialect = dialect }
            let decision = try decide(house, House.audience, nil)
            let answer = try await house.issuer.clientToken(decision, of: house.client, in: house.context)
            #expect(answer.idToken == nil && answer.refreshToken == nil)
            #expect(answer.scope == ["read:things"] && answer.expiresIn == 86400)
            let (header, claims) = try await house.verified(answer.accessToken)
            #expect(header["typ"] == (dialect == .accessToken ? "JWT" : "at+jwt"))
            #expect(claims["sub"] == .string(house.client.id.text + "@clients"))
            #expect(claims["aud"] == .string(House.audience))
            #expect(claims["scope"] == "read:things")
            #expect(claims["gty"] == (dialect == .accessToken ? "client-credentials" : nil))
            #expect(claims["azp"] == (dialect == .accessToken ? .string(house.client.id.text) : nil))
            for name in ["sid", "auth_time", "amr", "acr"] { #expect(claims[name] == nil) }
        }
    }

    @Test("An RSA-signed API gets its token by the pool")
    func rsa() async throws {
        let house = try await house { $0.servers[0].signingAlgorithm = .rs256 }
        let answer = try await house.issuer.clientToken(
            try decide(house, House.audience, nil),
            of: house.client,
            in: house.context
        )
        #expect(try await house.verified(answer.accessToken).header["alg"] == "RS256")
    }

    @Test("At the Management API a token counts as far as its client is still there and still has the grant")
    func management() async throws {
        let house = try await house()
        let access = ManagementAccess(verifier: AccessTokenVerifier(keys: house.keys))
        let decision = try decide(house, Self.management, nil)
        let token = try await house.issuer.clientToken(decision, of: house.client, in: house.context).accessToken
        let caller = try await access.caller(token, in: house.context)
        #expect(caller.client == house.client && caller.scope == ["read:clients", "read:actions"])
        await #expect(throws: TokenError.notSignedIn) { try await access.caller(nil, in: house.context) }
        await #expect(throws: TokenError.invalidToken) { try await access.caller("no", in: house.context) }
        // For another API.
        let other = try await house.issuer.clientToken(
            try decide(house, House.audience, nil),
            of: house.client,
            in: house.context
        ).accessToken
        await #expect(throws: TokenError.invalidToken) { try await access.caller(other, in: house.context) }
        // A scope taken out of the grant, the grant, the client.
        house.set { $0.grants[1].scope = ["read:actions"] }
        #expect(try await access.caller(token, in: house.context).scope == ["read:actions"])
        let grants = house.setting.grants
        house.set { $0.grants = [] }
        await #expect(throws: TokenError.invalidToken) { try await access.caller(token, in: house.context) }
        house.set {
            $0.grants = grants
            $0.client = House.client("Other000000000000000000000000000", .secretPost)
        }
        await #expect(throws: TokenError.invalidToken) { try await access.caller(token, in: house.context) }
    }

    @Test("It is told apart whether a token is over; a user's token manages nothing")
    func refusals() async throws {
        let house = try await house { $0.servers[1].userAccess = .allowAll }
        let access = ManagementAccess(verifier: AccessTokenVerifier(keys: house.keys))
        let token = try await house.issuer.clientToken(
            try decide(house, Self.management, nil),
            of: house.client,
            in: house.context
        ).accessToken
        house.pass(seconds: 86405)
        await #expect(throws: TokenError.expiredToken) { try await access.caller(token, in: house.context) }
        let user = try await house.signIn(scope: "read:clients", audience: Self.management).response.accessToken
        await #expect(throws: TokenError.invalidToken) { try await access.caller(user, in: house.context) }
    }
}
