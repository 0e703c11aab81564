import Encodings
import Identity

extension SQLStore {
    static func set(_ server: ResourceServer, replacing old: UnixTime) -> SQLStatement {
        SQLStatement(
            updateResourceServer,
            [
                .document(server.document), .time(server.updatedAt), .tenant(server.tenant), .text(server.id.text),
                .time(old),
            ]
        )
    }

    /// The API itself, then the grants for it.
    static func remove(_ server: ResourceServer) -> [SQLStatement] {
        [
            SQLStatement(deleteResourceServer, [.tenant(server.tenant), .text(server.id.text)]),
            SQLStatement(deleteGrants, [.tenant(server.tenant), .text(server.identifier)]),
        ]
    }

    static func remove(_ grant: ClientGrantID, of tenant: TenantID) -> SQLStatement {
        SQLStatement(deleteGrant, [.tenant(tenant), .text(grant.text)])
    }

    static func set(_ grant: ClientGrant) -> SQLStatement {
        SQLStatement(
            updateGrant,
            [.words(grant.scope), .bool(grant.allowAllScopes), .tenant(grant.tenant), .text(grant.id.text)]
        )
    }

    static func insert(_ server: ResourceServer, into tenant: TenantID) -> SQLStatement {
        SQLStatement(
            insertResourceServer,
            [
                .tenant(tenant), .text(server.id.text), .text(server.identifier), .document(server.document),
                .time(server.createdAt), .time(server.updatedAt),
            ],
            conflict: .resourceServer
        )
    }

    static func insert(_ grant: ClientGrant, into tenant: TenantID) -> SQLStatement {
        SQLStatement(
            insertGrant,
            [
                .tenant(tenant), .text(grant.id.text), .text(grant.client.text), .text(grant.audience),
                .text(grant.subject.rawValue), .words(grant.scope), .bool(grant.allowAllScopes),
                .time(grant.createdAt),
            ],
            conflict: .clientGrant
        )
    }

    static func resourceServer(_ row: inout SQLRow) throws(StoreError) -> ResourceServer {
        let (tenant, id) = (try row.tenant(), ResourceServerID(try row.text()))
        let (document, createdAt, updatedAt) = (try row.document(), try row.time(), try row.time())
        do throws(DocumentError) {
            return try ResourceServer(
                document: document,
                id: id,
                tenant: tenant,
                createdAt: createdAt,
                updatedAt: updatedAt
            )
        } catch {
            throw .corrupt(reason: "the settings of an API cannot be read: \(error.path)")
        }
    }

    static func grant(_ row: inout SQLRow) throws(StoreError) -> ClientGrant {
        let (tenant, id) = (try row.tenant(), ClientGrantID(try row.text()))
        return ClientGrant(
            id: id,
            tenant: tenant,
            client: try row.client(),
            audience: try row.text(),
            subject: try row.word(),
            scope: try row.words(),
            allowAllScopes: try row.bool(),
            createdAt: try row.time()
        )
    }

    private static let insertResourceServer = SQL(
        """
        INSERT INTO resource_server (tenant_id, id, identifier, settings, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    )
    static let selectResourceServers = SQL(
        """
        SELECT tenant_id, id, settings, created_at, updated_at FROM resource_server
        WHERE tenant_id = ? ORDER BY created_at, id
        """
    )
    private static let updateResourceServer = SQL(
        """
        UPDATE resource_server SET settings = ?, updated_at = ?
        WHERE tenant_id = ? AND id = ? AND updated_at = ?
        """
    )
    private static let deleteResourceServer = SQL("DELETE FROM resource_server WHERE tenant_id = ? AND id = ?")
    private static let deleteGrants = SQL("DELETE FROM client_grant WHERE tenant_id = ? AND audience = ?")
    private static let deleteGrant = SQL("DELETE FROM client_grant WHERE tenant_id = ? AND id = ?")
    private static let insertGrant = SQL(
        """
        INSERT INTO client_grant
            (tenant_id, id, client_id, audience, subject, scope, allows_all_scopes, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let updateGrant = SQL(
        "UPDATE client_grant SET scope = ?, allows_all_scopes = ? WHERE tenant_id = ? AND id = ?"
    )
    static let selectGrants = SQL(
        """
        SELECT tenant_id, id, client_id, audience, subject, scope, allows_all_scopes, created_at FROM client_grant
        WHERE tenant_id = ? ORDER BY created_at, id
        """
    )
}
