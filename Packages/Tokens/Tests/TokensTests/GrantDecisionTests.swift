import Identity
import Testing

@testable import Tokens

@Suite("HTTP contract 5.3, 6.3 and 7.1: audience and scope")
struct GrantDecisionTests {
    private func decide(
        _ house: House,
        _ audience: String?,
        _ scope: String?
    ) throws -> GrantDecision {
        try GrantDecision.user(audience: audience, scope: scope, client: house.client, in: house.context)
    }

    @Test("Without a scope nothing is assumed")
    func noScope() async throws {
        let house = try await House()
        for scope in [nil, "", "  "] {
            let decision = try decide(house, nil, scope)
            #expect(decision.scope.isEmpty)
            #expect(!decision.givesIDToken)
            #expect(!decision.givesRefreshToken)
        }
    }

    @Test("Scopes keep their order, count once, and unknown ones are dropped")
    func scopes() async throws {
        let house = try await House()
        let decision = try decide(house, House.audience, "write:things openid nothing openid read:things profile")
        #expect(decision.scope == ["write:things", "openid", "read:things", "profile"])
        #expect(try decide(house, nil, "openid read:things email").scope == ["openid", "email"])
    }

    @Test("offline_access needs the client's grant and the API's leave")
    func offlineAccess() async throws {
        let house = try await House()
        #expect(try decide(house, House.audience, "offline_access").givesRefreshToken)
        #expect(try decide(house, nil, "offline_access").givesRefreshToken)
        house.set { $0.servers[0].allowOfflineAccess = false }
        #expect(try decide(house, House.audience, "openid offline_access").scope == ["openid"])
        house.set { $0.client.grantTypes = [.webAuthn] }
        #expect(try decide(house, nil, "openid offline_access").scope == ["openid"])
    }

    @Test("The audience is the request's, or the tenant's default, and must exist")
    func audience() async throws {
        let house = try await House()
        #expect(throws: TokenError.unknownAudience("https://api.example.com")) {
            try decide(house, "https://api.example.com", nil)
        }
        #expect(try decide(house, "", nil).audience == nil)
        house.set { $0.tenant.defaultAudience = House.audience }
        #expect(try decide(house, nil, "read:things").scope == ["read:things"])
        #expect(try decide(house, "", nil).audience == House.audience)
    }

    @Test("An API that wants a client grant gives what the grant lists")
    func clientGrant() async throws {
        let house = try await House { $0.servers[0].userAccess = .requireClientGrant }
        let missing = TokenError.clientGrantMissing(audience: House.audience)
        #expect(throws: missing) { try decide(house, House.audience, nil) }
        house.set { [grant = house.grant(House.audience, ["read:things"])] in $0.grants = [grant] }
        #expect(
            try decide(house, House.audience, "openid read:things write:things").scope == ["openid", "read:things"]
        )
        house.set { $0.grants[0].allowAllScopes = true }
        #expect(try decide(house, House.audience, "read:things write:things").scope == ["read:things", "write:things"])
        house.set { $0.servers[0].userAccess = .denyAll }
        #expect(throws: missing) { try decide(house, House.audience, nil) }
    }

    @Test("The tenant's own APIs go by the base of any of its ready domains")
    func systemAPIs() async throws {
        let scope = "create:me:authentication_methods"
        let house = try await House {
            $0.servers.append(
                House.server("/me/", system: .myAccount, scopes: [scope], userAccess: .requireClientGrant)
            )
            $0.otherDomains = [
                House.domain("auth.example.net"), House.domain("new.example.net", status: .pendingVerification),
            ]
        }
        house.set { [grant = house.grant("/me/", [scope])] in $0.grants = [grant] }
        for base in ["https://login.example.com", "https://auth.example.net"] {
            let decision = try decide(house, base + "/me/", "openid \(scope)")
            #expect(decision.scope == ["openid", scope])
            #expect(decision.audience == base + "/me/")
        }
        for audience in [
            "https://new.example.net/me/", "http://login.example.com/me/", "/me/", "https://login.example.com/me",
        ] {
            #expect(throws: TokenError.unknownAudience(audience)) { try decide(house, audience, scope) }
        }
        // Third-party clients never get it.
        house.set { $0.client.isFirstParty = false }
        let missing = TokenError.clientGrantMissing(audience: "https://login.example.com/me/")
        #expect(throws: missing) { try decide(house, "https://login.example.com/me/", scope) }
        house.set { $0.servers[1].userAccess = .allowAll }
        #expect(throws: missing) { try decide(house, "https://login.example.com/me/", scope) }
    }
}
