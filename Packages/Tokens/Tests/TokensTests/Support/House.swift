import Cryptography
import Encodings
import Identity
import JOSE
import Threads

@testable import Tokens

/// One tenant with a client and an API, its keys and its token service over a store in memory.
final class House: Sendable {
    let store = MemoryStore()
    let keys: KeyRing
    let pool: BlockingPool
    private let settings = Lock(Setting())

    struct Setting: Sendable {
        var now = UnixTime(seconds: 1_800_000_000)
        var tenantID = House.tenant
        var tenant = TenantSettings()
        var client = House.client("App00000000000000000000000000000")
        var otherClients: [Client] = []
        var domain = House.domain("login.example.com")
        var otherDomains: [Domain] = []
        var servers = [House.api]
        var grants: [ClientGrant] = []
        var version: Int64 = 1
    }

    static let tenant = TenantID(number: 7)
    static let audience = "https://api.example.com/"
    static let masterKeys = "a \(Base64URL.encode([UInt8](repeating: 1, count: 32)))"

    static var api: ResourceServer {
        server(audience, scopes: ["read:things", "write:things"], allowOfflineAccess: true)
    }

    init(_ change: (inout Setting) -> Void = { _ in }) async throws {
        pool = try BlockingPool(name: "test", threadCount: 2)
        let deployment = try await DeploymentKeys.open(
            MasterKeys(parsing: House.masterKeys),
            store: store,
            now: UnixTime(seconds: 1_700_000_000),
            random: { Random.bytes($0) }
        )
        keys = KeyRing(store: store, deployment: deployment, pool: pool, random: { Random.bytes($0) })
        set(change)
    }

    func set(_ change: (inout Setting) -> Void) {
        settings.withLock { change(&$0) }
    }

    func pass(seconds: Int64) {
        set { $0.now = $0.now.adding(seconds: seconds) }
    }

    var setting: Setting { settings.withLock { $0 } }
    var client: Client { setting.client }

    var context: RequestContext {
        let setting = setting
        let clients = [setting.client] + setting.otherClients
        return RequestContext(
            configuration: TenantConfiguration(
                tenant: Tenant(
                    id: setting.tenantID,
                    name: "acme",
                    settings: setting.tenant,
                    createdAt: UnixTime(seconds: 0),
                    updatedAt: UnixTime(seconds: 0)
                ),
                domains: [setting.domain] + setting.otherDomains,
                clients: Dictionary(uniqueKeysWithValues: clients.map { ($0.id, $0) }),
                connections: [],
                resourceServers: setting.servers,
                grants: setting.grants,
                version: setting.version
            ),
            domain: setting.domain,
            base: "https://" + setting.domain.host,
            device: Device(address: "192.0.2.1", userAgent: "Test/1"),
            now: setting.now
        )
    }

    var issuer: TokenIssuer { TokenIssuer(keys: keys, random: { Random.bytes($0) }) }
    var refresh: RefreshExchange { RefreshExchange(store: store, issuer: issuer, random: { Random.bytes($0) }) }

    static func client(_ id: String, _ method: ClientAuthenticationMethod = .none) -> Client {
        var client = Client(
            id: ClientID(id),
            tenant: tenant,
            name: "App",
            appType: "native",
            grantTypes: [.webAuthn, .refreshToken],
            authenticationMethod: method,
            refreshToken: .publicDefault,
            createdAt: UnixTime(seconds: 0)
        )
        // ES256 where a test does not care: it signs 25 times faster.
        client.idTokenAlgorithm = .es256
        return client
    }

    static func domain(_ host: String, status: DomainStatus = .ready) -> Domain {
        Domain(
            id: DomainID("cd_" + host),
            tenant: tenant,
            host: host,
            isCanonical: true,
            status: status,
            relyingPartyID: HostName.withoutPort(host),
            createdAt: UnixTime(seconds: 0)
        )
    }

    static func server(
        _ identifier: String,
        system: SystemAPI? = nil,
        scopes: [String] = [],
        _ algorithm: TokenAlgorithm = .es256,
        dialect: TokenDialect = .accessToken,
        allowOfflineAccess: Bool = false,
        clientAccess: AccessPolicy = .requireClientGrant,
        userAccess: AccessPolicy = .allowAll
    ) -> ResourceServer {
        ResourceServer(
            id: ResourceServerID("rs_" + identifier),
            tenant: tenant,
            name: identifier,
            identifier: identifier,
            system: system,
            scopes: scopes.map { ResourceServer.Scope(value: $0) },
            signingAlgorithm: algorithm,
            allowOfflineAccess: allowOfflineAccess,
            dialect: dialect,
            clientAccess: clientAccess,
            userAccess: userAccess,
            createdAt: UnixTime(seconds: 0)
        )
    }

    func grant(
        _ audience: String,
        _ scope: [String],
        subject: ClientGrant.Subject = .user
    ) -> ClientGrant {
        ClientGrant(
            id: ClientGrantID("cgr_" + audience),
            tenant: House.tenant,
            client: client.id,
            audience: audience,
            subject: subject,
            scope: scope,
            createdAt: UnixTime(seconds: 0)
        )
    }

    static let user = User(
        id: UserID(now: UnixTime(seconds: 1_700_000_000), random: [1, 2, 3, 4, 5, 6, 7, 8]),
        tenant: tenant,
        connection: ConnectionID("con_0000000000000000"),
        identifiers: [
            UserIdentifier(kind: .email, canonical: "ana@example.com", entered: "Ana@example.com", isVerified: false),
            UserIdentifier(kind: .phoneNumber, canonical: "+4670", entered: "+4670", isVerified: true),
        ],
        profile: UserProfile(name: "Ana \"A\"", givenName: "Ana"),
        createdAt: UnixTime(seconds: 1_700_000_000),
        updatedAt: UnixTime(milliseconds: 1_700_000_000_123)
    )

    var authentication: Authentication {
        Authentication(
            user: House.user,
            amr: ["phr", "pop", "user", "mfa"],
            acr: "phr",
            passkey: PasskeyNumber(number: 5),
            at: setting.now
        )
    }

    // MARK: - Whole sign-ins

    struct SignIn {
        let prepared: PreparedTokens
        let response: TokenResponse
        var session: Session { prepared.session }
    }

    /// A sign-in that is decided, stored and signed.
    @discardableResult
    func signIn(
        scope: String? = "openid profile email offline_access",
        audience: String? = House.audience,
        cookieHash: [UInt8]? = nil
    ) async throws -> SignIn {
        let decision = try GrantDecision.user(audience: audience, scope: scope, client: client, in: context)
        let prepared = try await issuer.prepare(decision, for: authentication, client: client, in: context)
        store.change { $0.users[House.user.id] = $0.users[House.user.id] ?? House.user }
        store.begin(prepared.session, prepared.refresh, cookieHash: cookieHash)
        return SignIn(prepared: prepared, response: try await issuer.sign(prepared))
    }

    /// The header and the claims of a token, verified by the published key set.
    func verified(_ token: String) async throws -> (header: JSONObject, claims: JSONObject) {
        let body = try await keys.keySet(in: context).body
        let document = try JSON.parse(body).object ?? JSONObject()
        let keys = try JWKSet(document).keys.map { try JWSKey($0) }
        let jws = try JWS.verify(token, with: JWSKeySet(keys))
        return (jws.header, try JSON.parse(jws.payload).object ?? JSONObject())
    }
}
