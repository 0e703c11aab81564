import Cryptography
import Encodings
import Identity
import PublicSuffix
import Testing

@testable import Tenancy

@Suite("Making a tenant")
struct TenantCreationTests {
    private let store = MemoryStore()
    private let rules = DomainRules(suffixes: try? PublicSuffixList())
    private let administration: TenantAdministration
    private let now = UnixTime(seconds: 1_800_000_000)

    init() {
        administration = TenantAdministration(store: store) { Random.bytes($0) }
    }

    @Test("It begins with a domain, a connection, the system APIs and a client that may do everything")
    func whole() async throws {
        let created = try await administration.createTenant(
            TenantRequest(name: "acme", domain: "Login.Acme.example:443", relyingPartyID: "acme.example"),
            now: now
        )
        let acme = try #require(store.only())
        #expect(created.domain.host == "login.acme.example" && created.domain.relyingPartyID == "acme.example")
        #expect(acme.domains.first?.isCanonical == true && acme.domains.first?.status == .ready)
        #expect(acme.tenant.settings.defaultDirectory == "Username-Password-Authentication")
        let connection = try #require(acme.connections.first)
        #expect(connection.options.passkeysEnabled && connection.options.passwordsEnabled)
        #expect(connection.name == Connection.defaultName)

        let client = try #require(acme.clients[created.managementClient.id])
        #expect(client.id.text.count == 32 && created.managementSecret.count == 64)
        #expect(client.secretHash == SHA256.hash(Array(created.managementSecret.utf8)))
        #expect(client.grantTypes == [.clientCredentials] && client.appType == "non_interactive")
        let grant = try #require(acme.grant(of: client.id, audience: "/api/v2/", subject: .client))
        #expect(grant.scope.count == 54 && grant.scope.contains("update:tenant_settings"))

        let management = try #require(acme.resourceServer(identifier: "/api/v2/"))
        #expect(management.clientAccess == .requireClientGrant && management.userAccess == .denyAll)
        let account = try #require(acme.resourceServer(identifier: "/me/"))
        #expect(account.clientAccess == .denyAll && account.userAccess == .requireClientGrant)
        #expect(account.scopes.map(\.value).contains("create:me:authentication_methods"))
    }

    @Test("--passkey-only leaves passwords out")
    func passkeyOnly() async throws {
        let created = try await administration.createTenant(
            TenantRequest(name: "a", domain: "localhost:8080", passkeyOnly: true),
            now: now
        )
        #expect(!created.connection.options.passwordsEnabled && created.connection.options.passkeysEnabled)
        #expect(created.domain.relyingPartyID == "localhost" && created.domain.base == "http://localhost:8080")
    }

    @Test(
        "A name has 1 to 63 of a to z, 0 to 9 and -",
        arguments: ["", "Acme", "a_b", "-a", "a-", "ä", String(repeating: "a", count: 64)]
    )
    func names(_ name: String) async {
        await #expect(throws: TenancyError.self) {
            try await administration.createTenant(TenantRequest(name: name, domain: "a.example"), now: now)
        }
        #expect(store.only() == nil)
    }

    @Test(
        "A domain is HOST[:PORT] in one spelling",
        arguments: [
            ("Login.Example.com", "login.example.com"), ("a.example:443", "a.example"),
            ("a.example:80", "a.example:80"),
            ("localhost:80", "localhost"), ("localhost:8080", "localhost:8080"),
            ("bücher.example", "xn--bcher-kva.example"),
        ]
    )
    func hosts(_ entered: String, _ host: String) throws {
        #expect(try DomainRules.host(entered) == host)
    }

    @Test(
        "What cannot be a relying party is no domain",
        arguments: [
            "", "https://a.example", "a.example/", "a..example", ".a.example", "a.example.", "127.0.0.1",
            "127.0.0.1:8080",
            "[::1]:8080", "10.1", "1.2.3.0x7f", "a.example:", "a.example:0", "a.example:99999", "a b.example",
            "*.a.example",
        ]
    )
    func badHosts(_ entered: String) {
        #expect(throws: TenancyError.self) { try DomainRules.host(entered) }
    }

    @Test(
        "An RP ID is the host's name or a parent of it",
        arguments: [
            ("login.acme.example:8443", nil, "login.acme.example"),
            ("login.acme.example", "acme.example", "acme.example"),
            ("login.acme.example", "Login.ACME.example", "login.acme.example"),
            ("localhost:8080", "localhost", "localhost"),
        ] as [(String, String?, String)]
    )
    func relyingPartyIDs(_ host: String, _ entered: String?, _ id: String) throws {
        #expect(try rules.relyingPartyID(entered, host: host) == id)
    }

    @Test(
        "Nothing else is one",
        arguments: [
            ("login.acme.example", "example"), ("login.acme.example", "cme.example"),
            ("login.acme.example", "other.example"), ("login.acme.example", "a.login.acme.example"),
            ("login.acme.example", "https://acme.example"), ("login.acme.example", "acme.example:443"),
            ("login.acme.example", ".acme.example"), ("login.acme.example", "acme.example."),
            ("login.acme.example", ""),
            ("app.localhost", "localhost"), ("login.acme.co.uk", "co.uk"), ("acme.github.io", "github.io"),
            ("login.acme.example", "127.0.0.1"),
        ]
    )
    func badRelyingPartyIDs(_ host: String, _ entered: String) {
        #expect(throws: TenancyError.self) { try rules.relyingPartyID(entered, host: host) }
    }

    @Test("Related origins are kept in one spelling, once")
    func relatedOrigins() throws {
        let origins = try rules.relatedOrigins(
            ["https://Shop.example:443/", "https://shop.example", "https://shop.example:8443"],
            relyingPartyID: "acme.example"
        )
        #expect(origins == ["https://shop.example", "https://shop.example:8443"])
        #expect(
            try rules.relatedOrigins(["http://localhost:3000"], relyingPartyID: "localhost")
                == ["http://localhost:3000"]
        )
    }

    @Test(
        "An origin that no browser signs, or that is not safe, is refused",
        arguments: [
            "shop.example", "https://shop.example/path", "https://*.shop.example", "http://shop.example",
            "http://localhost:3000", "app://shop.example", "https://u@shop.example",
        ]
    )
    func badRelatedOrigins(_ origin: String) {
        #expect(throws: TenancyError.self) {
            try rules.relatedOrigins([origin], relyingPartyID: "acme.example")
        }
    }

    @Test("More than five registrable labels are refused")
    func tooManyLabels() throws {
        let five = (1...5).flatMap { ["https://a\($0).example", "https://www.a\($0).example"] }
        #expect(try rules.relatedOrigins(five, relyingPartyID: "acme.example").count == 10)
        #expect(throws: TenancyError.self) {
            try rules.relatedOrigins(five + ["https://a6.example"], relyingPartyID: "acme.example")
        }
    }

    @Test("What is taken is named")
    func conflicts() async throws {
        _ = try await administration.createTenant(
            TenantRequest(name: "acme", domain: "login.acme.example", relyingPartyID: "acme.example"),
            now: now
        )
        await #expect(throws: TenancyError.exists(what: "tenant", name: "acme")) {
            try await administration.createTenant(TenantRequest(name: "acme", domain: "b.example"), now: now)
        }
        await #expect(throws: TenancyError.exists(what: "domain", name: "login.acme.example")) {
            try await administration.createTenant(TenantRequest(name: "b", domain: "login.acme.example"), now: now)
        }
        await #expect(throws: TenancyError.exists(what: "RP ID", name: "acme.example")) {
            try await administration.createTenant(
                TenantRequest(name: "b", domain: "x.acme.example", relyingPartyID: "acme.example"),
                now: now
            )
        }
    }

    @Test("A domain is added ready, and not under an API's identifier")
    func addDomain() async throws {
        _ = try await administration.createTenant(TenantRequest(name: "acme", domain: "a.acme.example"), now: now)
        var acme = try #require(store.only())
        let domain = try await administration.addDomain(
            "b.acme.example",
            relyingPartyID: "acme.example",
            legacyRelyingPartyIDs: ["a.acme.example"],
            in: acme,
            now: now
        )
        #expect(!domain.isCanonical && domain.status == .ready && domain.legacyRelyingPartyIDs == ["a.acme.example"])
        await #expect(throws: TenancyError.exists(what: "domain", name: "b.acme.example")) {
            try await administration.addDomain("b.acme.example", in: acme, now: now)
        }
        await #expect(throws: TenancyError.self) {
            try await administration.addDomain(
                "c.acme.example",
                legacyRelyingPartyIDs: ["c.acme.example"],
                in: acme,
                now: now
            )
        }
        _ = try await administration.createResourceServer(
            ["identifier": "https://api.acme.example/"],
            in: acme,
            now: now
        )
        acme = try #require(store.only())
        await #expect(throws: TenancyError.self) {
            try await administration.addDomain("api.acme.example", in: acme, now: now)
        }
    }
}
