/// Keeps tenants and everything that is configured in them.
///
/// Each writing method is one transaction, and raises the version that ``version()`` gives.
public protocol TenantStore: Sendable {
    /// A number that grows with every change of any tenant's configuration or keys.
    func version() async throws(StoreError) -> Int64
    /// The tenant that `host` belongs to: by one of its domains (any status), or as an RP ID that is the tenant's.
    func tenant(host: String) async throws(StoreError) -> TenantID?
    func tenant(named name: String) async throws(StoreError) -> TenantID?
    func tenants() async throws(StoreError) -> [Tenant]
    /// All of the tenant's configuration, from one consistent read.
    func configuration(of tenant: TenantID) async throws(StoreError) -> TenantConfiguration?
    /// Makes a tenant whole, or nothing: `.unique(.tenantName)`, `.domainHost` and `.relyingPartyID` (it belongs to
    /// another tenant) say what is taken.
    func create(_ tenant: NewTenant) async throws(StoreError) -> TenantID
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

/// Moves signing keys through their lives, and seals the deployment's secret anew. Each method is one transaction.
public protocol KeyRotationStore: Sendable {
    /// Every key of every tenant that is not retired, in the order of tenants and ids.
    func signingKeys(after last: SigningKeyPlace?, limit: Int) async throws(StoreError) -> [SigningKeyRecord]
    /// Puts `change.next` in the place of `change.current`, and publishes `change.new`.
    ///
    /// - Returns: false, with nothing done, when one of the two is no longer in the state that this begins from.
    func rotate(_ change: SigningKeyChange, audit: AuditEvent) async throws(StoreError) -> Bool
    /// Takes a key that is not active out of the key set and out of use, for ever.
    ///
    /// - Returns: false, with nothing done, when there is no such key or it is active, retired or revoked.
    func revoke(_ key: KeyID, of tenant: TenantID, at now: UnixTime, audit: AuditEvent) async throws(StoreError) -> Bool
    /// Retires keys that are retiring; others stay as they are.
    func retire(_ keys: [SigningKeyPlace]) async throws(StoreError)
    /// Notes that the key may have signed tokens that live as long as `seconds`; a longer life that is known stays.
    func lengthen(_ key: SigningKeyPlace, tokenLifetime seconds: Int64) async throws(StoreError)
    /// Puts `new` in the place of `old`, the same data key under another seal.
    ///
    /// - Returns: false, with nothing done, when the store has another secret than `old`.
    func reseal(_ old: DeploymentSecret, as new: DeploymentSecret) async throws(StoreError) -> Bool
    /// What the store holds that a lost master key takes with it.
    func sealedThings() async throws(StoreError) -> SealedThings
    /// Begins anew after the master key was lost: a new secret in the place of `old`; private keys emptied, and those that
    /// signed now retiring from `now`; every session and refresh family ended.
    ///
    /// - Returns: false, with nothing done, when the store has another secret than `old`.
    func replaceLost(
        _ old: DeploymentSecret,
        with new: DeploymentSecret,
        at now: UnixTime
    ) async throws(StoreError) -> Bool
}

/// Where a signing key lies.
public struct SigningKeyPlace: Hashable, Sendable {
    public let tenant: TenantID
    public let key: KeyID

    public init(tenant: TenantID, key: KeyID) {
        self.tenant = tenant
        self.key = key
    }
}

/// One step of a tenant's keys of one algorithm.
public struct SigningKeyChange: Sendable {
    public let tenant: TenantID
    /// The active key, which signs no more from `at` on; `nil` when there is none.
    public let current: KeyID?
    /// The published key, which signs from `at` on.
    public let next: KeyID
    /// The key that is published now.
    public let new: SigningKeyRecord
    public let at: UnixTime

    public init(tenant: TenantID, current: KeyID?, next: KeyID, new: SigningKeyRecord, at: UnixTime) {
        self.tenant = tenant
        self.current = current
        self.next = next
        self.new = new
        self.at = at
    }
}

/// How much depends on the data key, by kind.
public struct SealedThings: Hashable, Sendable {
    public let signingKeys: Int
    public let sessions: Int
    public let refreshFamilies: Int

    public init(signingKeys: Int, sessions: Int, refreshFamilies: Int) {
        self.signingKeys = signingKeys
        self.sessions = sessions
        self.refreshFamilies = refreshFamilies
    }
}
