import Identity
import Synchronization

/// A store of tenants in memory, which counts what it is asked and fails when it is told to.
final class MemoryStore: TenantStore, ClientStore {
    struct State {
        var tenants: [TenantConfiguration] = []
        var version: Int64 = 0
        var reads = 0
        var versionReads = 0
        var failure: StoreError?
    }

    let state = Mutex(State())

    var reads: Int { state.withLock { $0.reads } }
    var versionReads: Int { state.withLock { $0.versionReads } }

    func fail(with error: StoreError?) { state.withLock { $0.failure = error } }

    func only() -> TenantConfiguration? { state.withLock { $0.tenants.first } }

    private func read<Value>(_ body: (inout State) -> Value) throws(StoreError) -> Value {
        try state.withLock { (state) throws(StoreError) in
            if let failure = state.failure { throw failure }
            return body(&state)
        }
    }

    private func change(_ tenant: TenantID, _ body: (inout Parts) throws(StoreError) -> Void) throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            if let failure = state.failure { throw failure }
            guard let index = state.tenants.firstIndex(where: { $0.tenant.id == tenant }) else { return }
            var parts = Parts(state.tenants[index])
            try body(&parts)
            state.version += 1
            state.tenants[index] = parts.configuration(version: state.version)
        }
    }

    func version() async throws(StoreError) -> Int64 {
        try read {
            $0.versionReads += 1
            return $0.version
        }
    }

    func tenant(host: String) async throws(StoreError) -> TenantID? {
        try read {
            $0.reads += 1
            return $0.tenants.first { $0.domain(host: host) != nil }?.tenant.id
        }
    }

    func tenant(named name: String) async throws(StoreError) -> TenantID? {
        try read { $0.tenants.first { $0.tenant.name == name }?.tenant.id }
    }

    func tenants() async throws(StoreError) -> [Tenant] { try read { $0.tenants.map(\.tenant) } }

    func configuration(of tenant: TenantID) async throws(StoreError) -> TenantConfiguration? {
        try read { state in
            guard let found = state.tenants.first(where: { $0.tenant.id == tenant }) else { return nil }
            return Parts(found).configuration(version: state.version)
        }
    }

    func create(_ new: NewTenant) async throws(StoreError) -> TenantID {
        try state.withLock { (state) throws(StoreError) in
            if let failure = state.failure { throw failure }
            guard !state.tenants.contains(where: { $0.tenant.name == new.name }) else { throw .unique(.tenantName) }
            guard !state.tenants.contains(where: { $0.domain(host: new.domain.host) != nil }) else {
                throw .unique(.domainHost)
            }
            guard !state.tenants.contains(where: { Self.uses(new.domain.relyingPartyID, $0) }) else {
                throw .unique(.relyingPartyID)
            }
            state.version += 1
            let id = TenantID(number: Int64(state.tenants.count + 1))
            let tenant = Tenant(
                id: id,
                name: new.name,
                settings: new.settings,
                createdAt: new.createdAt,
                updatedAt: new.createdAt
            )
            state.tenants.append(
                TenantConfiguration(
                    tenant: tenant,
                    domains: [new.domain],
                    clients: Dictionary(uniqueKeysWithValues: new.clients.map { ($0.id, $0) }),
                    connections: new.connections,
                    resourceServers: new.resourceServers,
                    grants: new.grants,
                    version: state.version
                )
            )
            return id
        }
    }

    private static func uses(_ relyingPartyID: String, _ tenant: TenantConfiguration) -> Bool {
        tenant.domains.contains {
            $0.relyingPartyID == relyingPartyID || $0.legacyRelyingPartyIDs.contains(relyingPartyID)
        }
    }

    func update(_ settings: TenantSettings, of tenant: TenantID, now: UnixTime) async throws(StoreError) {
        try change(tenant) { (parts) throws(StoreError) in parts.tenant.settings = settings }
    }

    func add(_ domain: Domain) async throws(StoreError) {
        let others = try read { $0.tenants.filter { $0.tenant.id != domain.tenant } }
        guard !others.contains(where: { $0.domain(host: domain.host) != nil }) else { throw .unique(.domainHost) }
        guard !others.contains(where: { Self.uses(domain.relyingPartyID, $0) }) else { throw .unique(.relyingPartyID) }
        try change(domain.tenant) { (parts) throws(StoreError) in
            guard !parts.domains.contains(where: { $0.host == domain.host }) else { throw .unique(.domainHost) }
            parts.domains.append(domain)
        }
    }

    func update(_ domain: Domain) async throws(StoreError) {
        try change(domain.tenant) { (parts) throws(StoreError) in
            parts.domains = parts.domains.map { $0.id == domain.id ? domain : $0 }
        }
    }

    func add(_ client: Client, enabling connections: [ConnectionID]) async throws(StoreError) {
        try change(client.tenant) { (parts) throws(StoreError) in
            parts.clients[client.id] = client
            for index in parts.connections.indices where connections.contains(parts.connections[index].id) {
                parts.connections[index].enabledClients.append(client.id)
            }
        }
    }

    func add(_ connection: Connection) async throws(StoreError) {
        try change(connection.tenant) { (parts) throws(StoreError) in
            guard !parts.connections.contains(where: { $0.name == connection.name }) else {
                throw .unique(.connectionName)
            }
            parts.connections.append(connection)
        }
    }

    func update(_ client: Client) async throws(StoreError) -> Bool {
        try change(client.tenant) { (parts) throws(StoreError) in parts.clients[client.id] = client }
        return true
    }

    func update(_ connection: Connection) async throws(StoreError) -> Bool {
        let tenant = connection.tenant.number == 0 ? TenantID(number: 1) : connection.tenant
        try change(tenant) { (parts) throws(StoreError) in
            parts.connections = parts.connections.map { $0.id == connection.id ? connection : $0 }
        }
        return true
    }

    func add(_ server: ResourceServer) async throws(StoreError) {
        try change(server.tenant) { (parts) throws(StoreError) in
            guard !parts.servers.contains(where: { $0.identifier == server.identifier }) else {
                throw .unique(.resourceServer)
            }
            parts.servers.append(server)
        }
    }

    func add(_ grant: ClientGrant) async throws(StoreError) {
        try change(grant.tenant) { (parts) throws(StoreError) in
            guard
                !parts.grants.contains(where: {
                    $0.client == grant.client && $0.audience == grant.audience && $0.subject == grant.subject
                })
            else { throw .unique(.clientGrant) }
            parts.grants.append(grant)
        }
    }

    func update(_ grant: ClientGrant) async throws(StoreError) -> Bool { false }
}

private struct Parts {
    var tenant: Tenant
    var domains: [Domain]
    var clients: [ClientID: Client]
    var connections: [Connection]
    var servers: [ResourceServer]
    var grants: [ClientGrant]

    init(_ whole: TenantConfiguration) {
        tenant = whole.tenant
        domains = whole.domains
        clients = whole.clients
        connections = whole.connections
        servers = whole.resourceServers
        grants = whole.grants
    }

    func configuration(version: Int64) -> TenantConfiguration {
        TenantConfiguration(
            tenant: tenant,
            domains: domains,
            clients: clients,
            connections: connections,
            resourceServers: servers,
            grants: grants,
            version: version
        )
    }
}

/// A store of which only the revision of its metadata is asked.
struct Metadata: MetadataStore {
    let revision: Int64

    func metadataRevision() -> Int64 { revision }
    func metadata() -> StoredMetadata? { nil }
    func keep(_ metadata: StoredMetadata) -> Bool { false }
    func passkeys(of tenant: TenantID, after cursor: PasskeyNumber?, limit: Int) -> [Passkey] { [] }
    func attestationObject(of passkey: PasskeyNumber, tenant: TenantID) -> [UInt8]? { nil }
}
