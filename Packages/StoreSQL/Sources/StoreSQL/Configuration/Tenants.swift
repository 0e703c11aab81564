import Encodings
public import Identity

extension SQLStore {
    public func version() async throws(StoreError) -> Int64 {
        try await database.read(
            .query(SQLStatement(Self.selectVersion, [])) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in try row.integer() } ?? 0
            }
        )
    }

    public func tenant(host: String) async throws(StoreError) -> TenantID? {
        try await database.read(
            .query(SQLStatement(Self.selectTenantByHost, [.text(host)])) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in try row.tenant() }
            }
        )
    }

    public func tenant(named name: String) async throws(StoreError) -> TenantID? {
        try await database.read(
            .query(SQLStatement(Self.selectTenantByName, [.text(name)])) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in try row.tenant() }
            }
        )
    }

    public func tenants() async throws(StoreError) -> [Tenant] {
        try await database.read(
            .query(SQLStatement(Self.selectTenants, [])) { (results) throws(StoreError) in
                try results.first.map(Self.tenant)
            }
        )
    }

    public func create(_ new: NewTenant) async throws(StoreError) -> TenantID {
        let insert = SQLStatement(
            Self.insertTenant,
            [.text(new.name), .document(new.settings.document), .time(new.createdAt), .time(new.createdAt)],
            conflict: .tenantName
        )
        return try await database.write(
            .run(insert) { (results) throws(StoreError) in
                guard let tenant = try results.first.first({ (row) throws(StoreError) in try row.tenant() }) else {
                    throw .unique(.tenantName)
                }
                return .commit(
                    Self.insert(new.domain, into: tenant)
                        + new.clients.map { Self.insert($0, into: tenant) }
                        + new.connections.flatMap { Self.insert($0, into: tenant) }
                        + new.resourceServers.map { Self.insert($0, into: tenant) }
                        + new.grants.map { Self.insert($0, into: tenant) }
                        + [Self.raiseVersion],
                    tenant
                )
            }
        )
    }

    static func set(
        _ settings: TenantSettings,
        of tenant: TenantID,
        replacing old: UnixTime,
        at now: UnixTime
    ) -> SQLStatement {
        SQLStatement(updateTenant, [.document(settings.document), .time(now), .tenant(tenant), .time(old)])
    }

    /// The domain itself, then its claim to RP IDs.
    static func set(_ domain: Domain) -> [SQLStatement] {
        let update = SQLStatement(
            updateDomain,
            [
                .text(domain.host), .bool(domain.isCanonical), .text(domain.status.rawValue),
                .text(domain.relyingPartyID), .list(domain.legacyRelyingPartyIDs), .list(domain.relatedOrigins),
                .tenant(domain.tenant), .text(domain.id.text),
            ],
            conflict: .domainHost
        )
        return [update] + claimRelyingParties(of: domain, for: domain.tenant)
    }

    static func insert(_ domain: Domain, into tenant: TenantID) -> [SQLStatement] {
        let insert = SQLStatement(
            insertDomain,
            [
                .tenant(tenant), .text(domain.id.text), .text(domain.host), .bool(domain.isCanonical),
                .text(domain.status.rawValue), .text(domain.relyingPartyID), .list(domain.legacyRelyingPartyIDs),
                .list(domain.relatedOrigins), .time(domain.createdAt),
            ],
            conflict: .domainHost
        )
        return [insert] + claimRelyingParties(of: domain, for: tenant)
    }

    /// Makes the RP IDs that the domain names the tenant's own, unless another tenant has one. They stay the tenant's:
    /// passkeys may exist under them.
    private static func claimRelyingParties(of domain: Domain, for tenant: TenantID) -> [SQLStatement] {
        ([domain.relyingPartyID] + domain.legacyRelyingPartyIDs).map { id in
            SQLStatement(
                claimRelyingParty,
                [.text(id), .tenant(tenant)],
                conflict: .relyingPartyID,
                otherwise: .unique(.relyingPartyID)
            )
        }
    }

    static func tenant(_ row: inout SQLRow) throws(StoreError) -> Tenant {
        let (id, name) = (try row.tenant(), try row.text())
        return Tenant(
            id: id,
            name: name,
            settings: try settings(row.document()),
            suspendedAt: try row.timeIfAny(),
            createdAt: try row.time(),
            updatedAt: try row.time()
        )
    }

    private static func settings(_ document: JSONObject) throws(StoreError) -> TenantSettings {
        do throws(DocumentError) {
            return try TenantSettings(document: document)
        } catch {
            throw .corrupt(reason: "the settings of a tenant cannot be read: \(error.path)")
        }
    }

    static func domain(_ row: inout SQLRow) throws(StoreError) -> Domain {
        let (tenant, id) = (try row.tenant(), try row.text())
        return Domain(
            id: DomainID(id),
            tenant: tenant,
            host: try row.text(),
            isCanonical: try row.bool(),
            status: try row.word(),
            relyingPartyID: try row.text(),
            legacyRelyingPartyIDs: try row.list(),
            relatedOrigins: try row.list(),
            createdAt: try row.time()
        )
    }

    /// Every change of configuration or keys ends with it.
    static var raiseVersion: SQLStatement { SQLStatement(updateVersion, []) }

    private static let updateVersion = SQL(
        "UPDATE deployment SET configuration_version = configuration_version + 1 WHERE id = 1"
    )
    static let selectVersion = SQL("SELECT configuration_version FROM deployment WHERE id = 1")
    private static let selectTenantByHost = SQL("SELECT tenant_id FROM domain WHERE host = ?")
    private static let selectTenantByName = SQL("SELECT id FROM tenant WHERE name = ?")
    private static let selectTenants = SQL(
        "SELECT id, name, settings, suspended_at, created_at, updated_at FROM tenant ORDER BY id"
    )
    static let selectTenant = SQL(
        "SELECT id, name, settings, suspended_at, created_at, updated_at FROM tenant WHERE id = ?"
    )
    private static let insertTenant = SQL(
        """
        INSERT INTO tenant (name, settings, created_at, updated_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (name) DO NOTHING RETURNING id
        """
    )
    private static let updateTenant = SQL(
        "UPDATE tenant SET settings = ?, updated_at = ? WHERE id = ? AND updated_at = ?"
    )
    static let selectDomains = SQL(
        """
        SELECT tenant_id, id, host, is_canonical, status, rp_id, legacy_rp_ids, related_origins, created_at
        FROM domain WHERE tenant_id = ? ORDER BY is_canonical DESC, created_at, id
        """
    )
    private static let insertDomain = SQL(
        """
        INSERT INTO domain
            (tenant_id, id, host, is_canonical, status, rp_id, legacy_rp_ids, related_origins, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let updateDomain = SQL(
        """
        UPDATE domain SET host = ?, is_canonical = ?, status = ?, rp_id = ?, legacy_rp_ids = ?, related_origins = ?
        WHERE tenant_id = ? AND id = ?
        """
    )
    private static let claimRelyingParty = SQL(
        """
        INSERT INTO relying_party (rp_id, tenant_id) VALUES (?, ?)
        ON CONFLICT (rp_id) DO UPDATE SET tenant_id = excluded.tenant_id
        WHERE relying_party.tenant_id = excluded.tenant_id
        """
    )
}
