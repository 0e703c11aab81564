import Audit
import Encodings
import Identity
import Tenancy

/// Tenants, domains, clients, connections and grants as the Management API writes them.
enum Shape {
    static func tenant(_ configuration: TenantConfiguration) -> JSONObject {
        let tenant = configuration.tenant
        var object: JSONObject = ["tenant": .string(tenant.name)]
        if let domain = configuration.canonicalDomain {
            object.set("domain", .string(domain.host))
            object.set("rp_id", .string(domain.relyingPartyID))
            object.set("issuer", .string(domain.base + "/"))
        }
        object.set("suspended", .bool(tenant.suspendedAt != nil))
        object.set("created_at", .string(tenant.createdAt.rfc3339))
        object.set("updated_at", .string(tenant.updatedAt.rfc3339))
        return object
    }

    /// With everything that hangs on it by name, and its settings.
    /// - Parameters:
    ///   - configuration: the tenant.
    ///   - auditKey: what signed the newest seal of its audit log.
    /// - Returns: the members.
    static func tenantInFull(_ configuration: TenantConfiguration, auditKey: [UInt8]?) -> JSONObject {
        var object = tenant(configuration)
        object.set("domains", .array(configuration.domains.map { .string($0.host) }))
        object.set("connections", .array(configuration.connections.map { .string($0.name) }))
        object.set("clients", .integer(Int64(configuration.clients.count)))
        object.set(
            "resource_servers",
            .array(configuration.resourceServers.map { .string(configuration.audience($0.identifier)) })
        )
        if let auditKey { object.set("audit_key", .string(AuditKey.thumbprint(auditKey))) }
        object.set("settings", .object(configuration.tenant.settings.document))
        return object
    }

    /// As the Management API gives it; the canonical domain counts as primary.
    static func domain(_ domain: Domain) -> JSONObject { domain.document }

    static func client(_ client: Client, of tenant: Tenant) -> JSONObject {
        var object: JSONObject = [
            "tenant": .string(tenant.name), "global": false, "client_id": .string(client.id.text),
        ]
        for member in client.document.members { object.set(member.name, member.value) }
        return object
    }

    static func connection(_ connection: Connection) -> JSONObject {
        var object: JSONObject = ["id": .string(connection.id.text), "name": .string(connection.name)]
        if let name = connection.displayName { object.set("display_name", .string(name)) }
        object.set("strategy", "auth0")
        object.set("realms", [.string(connection.name)])
        object.set("is_domain_connection", false)
        object.set("enabled_clients", .array(connection.enabledClients.map { .string($0.text) }))
        object.set("metadata", [:])
        object.set("options", .object(connection.options.document))
        return object
    }

    static func grant(_ grant: ClientGrant, in configuration: TenantConfiguration) -> JSONObject {
        [
            "id": .string(grant.id.text), "client_id": .string(grant.client.text),
            "audience": .string(configuration.audience(grant.audience)),
            "scope": .array(grant.scope.map { .string($0) }), "subject_type": .string(grant.subject.rawValue),
            "allow_all_scopes": .bool(grant.allowAllScopes),
        ]
    }
}
