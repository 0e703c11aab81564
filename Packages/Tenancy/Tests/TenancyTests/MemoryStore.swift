import Identity
import Synchronization

/// A store of tenants in memory, which counts what it is asked and fails when it is told to.
final class MemoryStore: TenantStore, ConfigurationStore, RelyingPartyStore {
    struct State {
        var tenants: [TenantConfiguration] = []
        var version: Int64 = 0
        var reads = 0
        var versionReads = 0
        var events: [AuditEvent] = []
        var failure: StoreError?
        /// What is said of the users of a legacy RP ID.
        var coverage: [String: RelyingPartyCoverage] = [:]
        /// RP IDs under which somebody has a passkey.
        var used: Set<String> = []
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

    func version() async throws(StoreError) -> Int64 {
        try read {
            $0.versionReads += 1
            return $0.version
        }
    }

    func tenant(host: String) async throws(StoreError) -> TenantID? {
        try read {
            $0.reads += 1
            return
                ($0.tenants.first { $0.domain(host: host) != nil }
                ?? $0.tenants.first { $0.publishingDomain(host: host) != nil })?.tenant.id
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

    func change(
        _ tenant: TenantID,
        _ changes: [ConfigurationChange],
        events: [AuditEvent]
    ) async throws(StoreError) -> Bool {
        try state.withLock { (state) throws(StoreError) in
            if let failure = state.failure { throw failure }
            guard let index = state.tenants.firstIndex(where: { $0.tenant.id == tenant }) else { return false }
            let others = state.tenants.filter { $0.tenant.id != tenant }
            var parts = Parts(state.tenants[index])
            for change in changes {
                if case .unchanged(let version) = change, version != state.version { return false }
                guard try parts.make(change, others: others) else { return false }
            }
            state.version += 1
            state.events += events
            state.tenants[index] = parts.configuration(version: state.version)
            return true
        }
    }

    func owner(ofRelyingParty id: String) async throws(StoreError) -> TenantID? {
        try read { state in
            state.tenants.first { tenant in
                tenant.domains.contains { $0.status == .ready && ($0.name == id || $0.serves(id)) }
            }?.tenant.id
        }
    }

    func hasPasskeys(under relyingPartyID: String, of tenant: TenantID) async throws(StoreError) -> Bool {
        try read { $0.used.contains(relyingPartyID) }
    }

    func coverage(
        of legacy: String,
        by current: String,
        _ others: [String],
        of tenant: TenantID
    ) async throws(StoreError) -> RelyingPartyCoverage {
        try read { $0.coverage[legacy] ?? RelyingPartyCoverage(users: 0, covered: 0) }
    }

    func usersLeftBehind(
        under legacy: String,
        by current: String,
        _ others: [String],
        of tenant: TenantID,
        after last: UserID?,
        limit: Int
    ) async throws(StoreError) -> [User] { [] }

    static func uses(_ relyingPartyID: String, _ tenant: TenantConfiguration) -> Bool {
        tenant.domains.contains {
            $0.relyingPartyID == relyingPartyID || $0.legacyRelyingPartyIDs.contains(relyingPartyID)
        }
    }
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

    /// - Returns: false when what is to be replaced is not there as it was read.
    mutating func make(_ change: ConfigurationChange, others: [TenantConfiguration]) throws(StoreError) -> Bool {
        switch change {
        case .unchanged: break
        case .addClient(let client, let enabled):
            clients[client.id] = client
            for index in connections.indices where enabled.contains(connections[index].id) {
                connections[index].enabledClients.append(client.id)
            }
        case .setClient(let client, let old):
            guard clients[client.id]?.updatedAt == old else { return false }
            clients[client.id] = client
        case .removeClient(let id):
            guard clients.removeValue(forKey: id) != nil else { return false }
            grants.removeAll { $0.client == id }
            for index in connections.indices { connections[index].enabledClients.removeAll { $0 == id } }
        case .addConnection(let connection):
            guard !connections.contains(where: { $0.name == connection.name }) else { throw .unique(.connectionName) }
            connections.append(connection)
        case .setConnection(let connection, let old):
            guard let index = connections.firstIndex(where: { $0.id == connection.id && $0.updatedAt == old }) else {
                return false
            }
            connections[index] = connection
        case .removeConnection(let id):
            guard let index = connections.firstIndex(where: { $0.id == id }) else { return false }
            connections.remove(at: index)
        case .setResourceServer(let server, let old):
            guard let index = servers.firstIndex(where: { $0.id == server.id && $0.updatedAt == old }) else {
                return false
            }
            servers[index] = server
        case .removeResourceServer(let server):
            guard let index = servers.firstIndex(where: { $0.id == server.id }) else { return false }
            servers.remove(at: index)
            grants.removeAll { $0.audience == server.identifier }
        case .removeGrant(let id):
            guard let index = grants.firstIndex(where: { $0.id == id }) else { return false }
            grants.remove(at: index)
        case .addResourceServer(let server):
            guard !servers.contains(where: { $0.identifier == server.identifier }) else {
                throw .unique(.resourceServer)
            }
            servers.append(server)
        case .addGrant(let grant):
            let isTaken = grants.contains {
                $0.client == grant.client && $0.audience == grant.audience && $0.subject == grant.subject
            }
            if isTaken { throw .unique(.clientGrant) }
            grants.append(grant)
        case .setGrant(let grant):
            guard let index = grants.firstIndex(where: { $0.id == grant.id }) else { return false }
            grants[index] = grant
        case .setSettings(let settings, let old, let now):
            guard tenant.updatedAt == old else { return false }
            tenant.settings = settings
            tenant.updatedAt = now
        case .setSuspension(let since, let old, let now):
            guard tenant.updatedAt == old else { return false }
            tenant.suspendedAt = since
            tenant.updatedAt = now
        case .addDomain(let domain):
            let isTaken = ([configuration(version: 0)] + others).contains { $0.domain(host: domain.host) != nil }
            if isTaken { throw .unique(.domainHost) }
            try Self.claim(domain, others)
            domains.append(domain)
        case .setDomain(let domain, let old):
            guard let index = domains.firstIndex(where: { $0.id == domain.id && $0.updatedAt == old }) else {
                return false
            }
            try Self.claim(domain, others)
            domains[index] = domain
        case .removeDomain(let domain):
            guard let index = domains.firstIndex(where: { $0.id == domain.id && $0.updatedAt == domain.updatedAt })
            else { return false }
            domains.remove(at: index)
        }
        return true
    }

    private static func claim(_ domain: Domain, _ others: [TenantConfiguration]) throws(StoreError) {
        guard domain.status == .ready else { return }
        let names = [domain.name] + domain.relyingPartyIDs
        let isTaken = others.contains { other in
            names.contains { name in
                MemoryStore.uses(name, other)
                    || other.domains.contains { $0.status == .ready && $0.name == name }
            }
        }
        if isTaken { throw .unique(.relyingPartyID) }
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
    func keep(_ metadata: StoredMetadata, inPlaceOf number: Int64?) -> Bool { false }
    func passkeys(of tenant: TenantID, after cursor: PasskeyNumber?, limit: Int) -> [Passkey] { [] }
    func attestationObject(of passkey: PasskeyNumber, tenant: TenantID) -> [UInt8]? { nil }
}
