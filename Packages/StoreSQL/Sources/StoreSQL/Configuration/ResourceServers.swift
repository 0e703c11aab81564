import Encodings
public import Identity

extension SQLStore {
    public func add(_ server: ResourceServer) async throws(StoreError) {
        try await database.write(.commit([Self.insert(server, into: server.tenant), Self.raiseVersion], ()))
    }

    public func add(_ grant: ClientGrant) async throws(StoreError) {
        try await database.write(.commit([Self.insert(grant, into: grant.tenant), Self.raiseVersion], ()))
    }

    public func update(_ grant: ClientGrant) async throws(StoreError) -> Bool {
        let update = SQLStatement(
            Self.updateGrant,
            [.words(grant.scope), .bool(grant.allowAllScopes), .tenant(grant.tenant), .text(grant.id.text)]
        )
        return try await database.write(Self.raisingVersion(after: update))
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
