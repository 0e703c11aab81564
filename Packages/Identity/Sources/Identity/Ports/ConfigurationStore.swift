/// Keeps tenants and everything that is configured in them.
///
/// Each writing method is one transaction, and raises the version that ``version()`` gives.
public protocol TenantStore: Sendable {
    /// A number that grows with every change of any tenant's configuration or keys.
    func version() async throws(StoreError) -> Int64
    /// The tenant that `host` belongs to (any status), by one of its domains.
    func tenant(host: String) async throws(StoreError) -> TenantID?
    func tenant(named name: String) async throws(StoreError) -> TenantID?
    func tenants() async throws(StoreError) -> [Tenant]
    /// All of the tenant's configuration, from one consistent read.
    func configuration(of tenant: TenantID) async throws(StoreError) -> TenantConfiguration?
    /// Makes a tenant whole, or nothing: `.unique(.tenantName)`, `.domainHost` and `.relyingPartyID` (it belongs to
    /// another tenant) say what is taken.
    func create(_ tenant: NewTenant) async throws(StoreError) -> TenantID
    func update(_ settings: TenantSettings, of tenant: TenantID, now: UnixTime) async throws(StoreError)
    /// `.unique(.domainHost)` and `.relyingPartyID` as above.
    func add(_ domain: Domain) async throws(StoreError)
    func update(_ domain: Domain) async throws(StoreError)
}

/// All that a new tenant begins with; its parts carry ``TenantID`` 0 until the store numbers them.
public struct NewTenant: Sendable {
    public let name: String
    public let settings: TenantSettings
    public let domain: Domain
    public let connections: [Connection]
    public let clients: [Client]
    public let resourceServers: [ResourceServer]
    public let grants: [ClientGrant]
    public let createdAt: UnixTime

    public init(
        name: String,
        settings: TenantSettings,
        domain: Domain,
        connections: [Connection],
        clients: [Client],
        resourceServers: [ResourceServer],
        grants: [ClientGrant],
        createdAt: UnixTime
    ) {
        self.name = name
        self.settings = settings
        self.domain = domain
        self.connections = connections
        self.clients = clients
        self.resourceServers = resourceServers
        self.grants = grants
        self.createdAt = createdAt
    }
}

/// Keeps applications, user directories, APIs and grants. Each method is one transaction.
public protocol ClientStore: Sendable {
    /// Adds a client and lets it use `connections`.
    func add(_ client: Client, enabling connections: [ConnectionID]) async throws(StoreError)
    /// - Returns: false when there is no such client.
    func update(_ client: Client) async throws(StoreError) -> Bool
    /// Adds a connection; `.unique(.connectionName)` when the tenant has one of that name.
    func add(_ connection: Connection) async throws(StoreError)
    /// - Returns: false when there is no such connection.
    func update(_ connection: Connection) async throws(StoreError) -> Bool
    func add(_ server: ResourceServer) async throws(StoreError)
    func add(_ grant: ClientGrant) async throws(StoreError)
    /// - Returns: false when there is no such grant.
    func update(_ grant: ClientGrant) async throws(StoreError) -> Bool
}

/// Keeps the deployment's secret and the tenants' signing keys.
public protocol SigningKeyStore: Sendable {
    /// The deployment's sealed data key; `new` is stored when there is none yet, by one caller only.
    func deploymentSecret(orStoring new: DeploymentSecret) async throws(StoreError) -> DeploymentSecret
    /// The sealed data key, if the store has one.
    func deploymentSecret() async throws(StoreError) -> DeploymentSecret?
    /// Every key of the tenant that is not retired, oldest first.
    func signingKeys(of tenant: TenantID) async throws(StoreError) -> [SigningKeyRecord]
    /// Adds `keys`; `.unique(.signingKey)` when one of these algorithms already has an active key and a new one would be
    /// active too, so that of two servers that make a tenant's first keys one wins.
    func add(_ keys: [SigningKeyRecord]) async throws(StoreError)
}
