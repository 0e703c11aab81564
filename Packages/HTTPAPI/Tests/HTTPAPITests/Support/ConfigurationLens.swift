import Identity
import Synchronization

/// The real store's configuration, seen through changes that no administration of this build can make.
final class ConfigurationLens: TenantStore {
    /// The parts that tests change.
    struct View: Sendable {
        var settings = TenantSettings()
        var isSuspended = false
        /// Whether nothing is changed at all, for tests of what changes the store.
        var isClear = false
        var status = DomainStatus.ready
        var relatedOrigins: [String] = []
        /// Hosts of further domains, each its own RP ID.
        var otherHosts: [String] = []
        /// Changes every client.
        var client: @Sendable (inout Client) -> Void = { _ in }
        var options: @Sendable (inout ConnectionOptions) -> Void = { _ in }
        /// Clients that only the view has.
        var clients: [Client] = []
        /// What the store throws instead of answering.
        var failure: StoreError?

        init() { settings.defaultDirectory = Connection.defaultName }
    }

    private let store: any TenantStore
    private let view = Mutex(View())

    init(_ store: any TenantStore) { self.store = store }

    func change(_ change: (inout View) -> Void) { view.withLock { change(&$0) } }

    private func look() throws(StoreError) -> View {
        let view = view.withLock { $0 }
        if let failure = view.failure { throw failure }
        return view
    }

    func configuration(of tenant: TenantID) async throws(StoreError) -> TenantConfiguration? {
        let view = try look()
        guard let real = try await store.configuration(of: tenant) else { return nil }
        if view.isClear { return real }
        let clients = (Array(real.clients.values) + view.clients).map { client in
            var client = client
            view.client(&client)
            return client
        }
        let ids = clients.map(\.id)
        return TenantConfiguration(
            tenant: Tenant(
                id: tenant,
                name: real.tenant.name,
                settings: view.settings,
                suspendedAt: view.isSuspended ? real.tenant.createdAt : nil,
                createdAt: real.tenant.createdAt,
                updatedAt: real.tenant.updatedAt
            ),
            domains: real.domains.map { domain in
                var domain = domain
                domain.status = view.status
                domain.relatedOrigins = view.relatedOrigins
                return domain
            }
                + view.otherHosts.map { host in
                    Domain(
                        id: DomainID("cd_" + host),
                        tenant: tenant,
                        host: host,
                        isCanonical: false,
                        status: .ready,
                        relyingPartyID: HostName.withoutPort(host),
                        createdAt: real.tenant.createdAt
                    )
                },
            clients: Dictionary(uniqueKeysWithValues: clients.map { ($0.id, $0) }),
            connections: real.connections.map { connection in
                var connection = connection
                connection.enabledClients = ids
                view.options(&connection.options)
                return connection
            },
            resourceServers: real.resourceServers,
            grants: real.grants,
            version: real.version
        )
    }

    func version() async throws(StoreError) -> Int64 {
        _ = try look()
        return try await store.version()
    }

    func tenant(host: String) async throws(StoreError) -> TenantID? {
        let view = try look()
        return try await store.tenant(host: view.otherHosts.contains(host) ? House.host : host)
    }

    func tenant(named name: String) async throws(StoreError) -> TenantID? { try await store.tenant(named: name) }

    func tenants() async throws(StoreError) -> [Tenant] { try await store.tenants() }

    func create(_ tenant: NewTenant) async throws(StoreError) -> TenantID { try await store.create(tenant) }
}
