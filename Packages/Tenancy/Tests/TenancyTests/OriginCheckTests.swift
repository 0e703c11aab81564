import Encodings
import Identity
import Testing

@testable import Tenancy

@Suite("Pages of applications, and the RP IDs that they may use")
struct OriginCheckTests {
    private static let now = UnixTime(seconds: 1_800_000_000)
    private static let tenant = TenantID(number: 1)

    private static func client(_ name: String, _ origins: [String], grants: [JSONValue]) throws -> Client {
        try Client(
            document: [
                "name": .string(name), "web_origins": .array(origins.map { .string($0) }),
                "grant_types": .array(grants),
            ],
            id: ClientID(name),
            tenant: tenant,
            secretHash: nil,
            createdAt: now,
            updatedAt: now
        )
    }

    private static func domain(_ host: String, _ id: String, related: [String] = [], isReady: Bool = true) -> Domain {
        Domain(
            id: DomainID(host),
            tenant: tenant,
            host: host,
            isCanonical: false,
            status: isReady ? .ready : .pendingVerification,
            relyingPartyID: id,
            relatedOrigins: related,
            createdAt: now
        )
    }

    private func uncovered(_ origins: [String], grants: [JSONValue] = [.string(GrantType.webAuthn.rawValue)]) throws
        -> [String]
    {
        let client = try Self.client("App", origins, grants: grants)
        let configuration = TenantConfiguration(
            tenant: Tenant(
                id: Self.tenant,
                name: "acme",
                settings: TenantSettings(),
                createdAt: Self.now,
                updatedAt: Self.now
            ),
            domains: [
                Self.domain("login.acme.example", "acme.example", related: ["https://shop.example"]),
                Self.domain("id.other.example", "id.other.example", isReady: false),
            ],
            clients: [client.id: client],
            connections: [],
            resourceServers: [],
            grants: [],
            version: 1
        )
        return OriginCheck.uncovered(in: configuration).map { finding in
            #expect(finding.client == "App" && finding.relyingPartyIDs == ["acme.example"])
            #expect(finding.isLoopback == finding.origin.contains("localhost"))
            return finding.origin
        }
    }

    @Test("Under an RP ID, or related to it, is covered; a name that ends alike or is not proven is not")
    func covered() throws {
        #expect(try uncovered(["https://acme.example", "https://www.acme.example", "https://shop.example"]) == [])
        #expect(try uncovered(["https://notacme.example"]) == ["https://notacme.example"])
        #expect(try uncovered(["https://id.other.example"]) == ["https://id.other.example"])
        #expect(try uncovered(["https://www.shop.example"]) == ["https://www.shop.example"])
        #expect(try uncovered(["http://localhost:5173"]) == ["http://localhost:5173"])
    }

    @Test("An application without passkeys, and one's own web view, are not asked about")
    func others() throws {
        #expect(try uncovered(["https://elsewhere.example"], grants: ["client_credentials"]) == [])
        #expect(try uncovered(["capacitor://localhost"]) == [])
    }
}
