public import Identity

extension SQLStore {
    public func change(
        _ tenant: TenantID,
        _ changes: [ConfigurationChange],
        events: [AuditEvent]
    ) async throws(StoreError) -> Bool {
        var statements: [SQLStatement] = []
        /// Which of them have to find something.
        var decisive: [Int] = []
        for change in changes {
            decisive.append(statements.count)
            statements += Self.statements(of: change, in: tenant)
        }
        let (all, deciding) = (statements, decisive)
        return try await database.write(
            .run(all) { (results) throws(StoreError) in
                guard deciding.allSatisfy({ results[$0].changes > 0 }) else { return .rollBack(false) }
                return .commit(events.map(Self.insert) + [Self.raiseVersion], true)
            }
        )
    }

    /// Holds the row that every change raises, so that of two that read one version one is refused.
    private static let holdVersion = SQL(
        """
        UPDATE deployment SET configuration_version = configuration_version
        WHERE id = 1 AND configuration_version = ?
        """
    )

    /// What one change does; the first statement finds the thing or makes it.
    private static func statements(of change: ConfigurationChange, in tenant: TenantID) -> [SQLStatement] {
        switch change {
        case .unchanged(let version): [SQLStatement(holdVersion, [.integer(version)])]
        case .addClient(let client, let connections): add(client, enabling: connections)
        case .setClient(let client, let old): [set(client, replacing: old)]
        case .removeClient(let client): remove(client, of: tenant)
        case .addConnection(let connection): insert(connection, into: tenant)
        case .setConnection(let connection, let old): set(connection, replacing: old)
        case .removeConnection(let connection): remove(connection, of: tenant)
        case .addResourceServer(let server): [insert(server, into: tenant)]
        case .setResourceServer(let server, let old): [set(server, replacing: old)]
        case .removeResourceServer(let server): remove(server)
        case .addGrant(let grant): [insert(grant, into: tenant)]
        case .setGrant(let grant): [set(grant)]
        case .removeGrant(let grant): [remove(grant, of: tenant)]
        case .setSettings(let settings, let old, let now): [set(settings, of: tenant, replacing: old, at: now)]
        case .setSuspension(let since, let old, let now): [suspend(tenant, since: since, replacing: old, at: now)]
        case .addDomain(let domain): insert(domain, into: tenant)
        case .setDomain(let domain, let old): set(domain, replacing: old)
        case .removeDomain(let domain): remove(domain)
        }
    }
}
