public import Identity

extension SQLStore {
    public func configuration(of tenant: TenantID) async throws(StoreError) -> TenantConfiguration? {
        let key: [SQLValue] = [.tenant(tenant)]
        return try await database.read(
            .query(
                SQLStatement(Self.selectTenant, key),
                SQLStatement(Self.selectVersion, []),
                SQLStatement(Self.selectDomains, key),
                SQLStatement(Self.selectClients, key),
                SQLStatement(Self.selectConnections, key),
                SQLStatement(Self.selectConnectionClients, key),
                SQLStatement(Self.selectResourceServers, key),
                SQLStatement(Self.selectGrants, key)
            ) { (results) throws(StoreError) in
                guard let tenant = try results[0].first(Self.tenant) else { return nil }
                let clients = try results[3].map(Self.client)
                let enabled = try results[5].map(Self.enabledClient)
                return TenantConfiguration(
                    tenant: tenant,
                    domains: try results[2].map(Self.domain),
                    clients: Dictionary(clients.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
                    connections: try results[4].map { (row) throws(StoreError) in
                        try Self.connection(&row, enabled: enabled)
                    },
                    resourceServers: try results[6].map(Self.resourceServer),
                    grants: try results[7].map(Self.grant),
                    version: try results[1].first { (row) throws(StoreError) in try row.integer() } ?? 0
                )
            }
        )
    }
}
