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
            .query(SQLStatement(Self.selectTenantByHost, [.text(host), .text(host), .text(host)])) {
                (results) throws(StoreError) in
                try Self.tenantIfAny(results.first)
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

    static func suspend(
        _ tenant: TenantID,
        since: UnixTime?,
        replacing old: UnixTime,
        at now: UnixTime
    ) -> SQLStatement {
        SQLStatement(
            updateSuspension,
            [since.map(SQLValue.time) ?? .null, .time(now), .tenant(tenant), .time(old)]
        )
    }

    /// The domain itself, then its claim to names.
    static func set(_ domain: Domain, replacing old: UnixTime) -> [SQLStatement] {
        let update = SQLStatement(
            updateDomain,
            [
                .text(domain.host), .bool(domain.isCanonical), .text(domain.status.rawValue),
                .text(domain.relyingPartyID), .list(domain.legacyRelyingPartyIDs), .list(domain.relatedOrigins),
                .bool(domain.isDefault), .details(domain.details), .time(domain.updatedAt),
                .tenant(domain.tenant), .text(domain.id.text), .time(old),
            ],
            conflict: .domainHost
        )
        return [update] + claimNames(of: domain, for: domain.tenant)
    }

    /// The domain itself, then the names that nothing needs any more.
    static func remove(_ domain: Domain) -> [SQLStatement] {
        let delete = SQLStatement(
            deleteDomain,
            [.tenant(domain.tenant), .text(domain.id.text), .time(domain.updatedAt)]
        )
        return [delete]
            + ([domain.name] + domain.relyingPartyIDs).map { name in
                SQLStatement(
                    releaseName,
                    [
                        .text(name), .tenant(domain.tenant), .tenant(domain.tenant), .text(name),
                        .tenant(domain.tenant), .text(name), .text(name), .text(name + ":%"),
                        .text("%\"\(name)\"%"),
                    ]
                )
            }
    }

    static func insert(_ domain: Domain, into tenant: TenantID) -> [SQLStatement] {
        let insert = SQLStatement(
            insertDomain,
            [
                .tenant(tenant), .text(domain.id.text), .text(domain.host), .bool(domain.isCanonical),
                .text(domain.status.rawValue), .text(domain.relyingPartyID), .list(domain.legacyRelyingPartyIDs),
                .list(domain.relatedOrigins), .time(domain.createdAt), .bool(domain.isDefault),
                .details(domain.details), .time(domain.updatedAt),
            ],
            conflict: .domainHost
        )
        return [insert] + claimNames(of: domain, for: tenant)
    }

    /// Makes the name of a domain that is the tenant's, and the RP IDs that it names, the tenant's own, unless another
    /// tenant has one. They stay so as long as passkeys may exist under them. A name that was not proven claims nothing.
    private static func claimNames(of domain: Domain, for tenant: TenantID) -> [SQLStatement] {
        guard domain.status == .ready else { return [] }
        return ([domain.name] + domain.relyingPartyIDs).map { id in
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
        var domain = Domain(
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
        domain.isDefault = try row.bool()
        domain.restore(details: try row.details())
        domain.updatedAt = try row.time()
        return domain
    }

    /// Every change of configuration or keys ends with it.
    static var raiseVersion: SQLStatement { SQLStatement(updateVersion, []) }

    private static let updateVersion = SQL(
        "UPDATE deployment SET configuration_version = configuration_version + 1 WHERE id = 1"
    )
    static let selectVersion = SQL("SELECT configuration_version FROM deployment WHERE id = 1")
    /// Who only asks for a name that is another tenant's RP ID does not come before them.
    private static let selectTenantByHost = SQL(
        """
        SELECT COALESCE(
            (SELECT tenant_id FROM domain WHERE host = ? AND status = 'ready'),
            (SELECT tenant_id FROM relying_party WHERE rp_id = ?), (SELECT tenant_id FROM domain WHERE host = ?)
        )
        """
    )
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
    private static let updateSuspension = SQL(
        "UPDATE tenant SET suspended_at = ?, updated_at = ? WHERE id = ? AND updated_at = ?"
    )
    static let selectDomains = SQL(
        """
        SELECT tenant_id, id, host, is_canonical, status, rp_id, legacy_rp_ids, related_origins, created_at,
            is_default, details, updated_at
        FROM domain WHERE tenant_id = ? ORDER BY is_canonical DESC, created_at, id
        """
    )
    private static let insertDomain = SQL(
        """
        INSERT INTO domain
            (tenant_id, id, host, is_canonical, status, rp_id, legacy_rp_ids, related_origins, created_at,
            is_default, details, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let updateDomain = SQL(
        """
        UPDATE domain SET host = ?, is_canonical = ?, status = ?, rp_id = ?, legacy_rp_ids = ?, related_origins = ?,
            is_default = ?, details = ?, updated_at = ?
        WHERE tenant_id = ? AND id = ? AND updated_at = ?
        """
    )
    private static let deleteDomain = SQL(
        "DELETE FROM domain WHERE tenant_id = ? AND id = ? AND is_canonical = 0 AND updated_at = ?"
    )
    /// As a domain's name with a port, and in a list of legacy RP IDs, it is found by its text; what is found too often
    /// stays the tenant's.
    private static let releaseName = SQL(
        """
        DELETE FROM relying_party WHERE rp_id = ? AND tenant_id = ?
        AND NOT EXISTS (SELECT 1 FROM passkey p WHERE p.tenant_id = ? AND p.rp_id = ?)
        AND NOT EXISTS (
            SELECT 1 FROM domain d WHERE d.tenant_id = ? AND d.status = 'ready'
            AND (d.rp_id = ? OR d.host = ? OR d.host LIKE ? OR d.legacy_rp_ids LIKE ?)
        )
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
