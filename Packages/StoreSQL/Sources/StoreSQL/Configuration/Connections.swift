import Encodings
public import Identity

extension SQLStore {
    public func update(_ connection: Connection) async throws(StoreError) -> Bool {
        let update = SQLStatement(
            Self.updateConnection,
            [
                .text(ifAny: connection.displayName), .document(connection.options.document),
                .time(connection.updatedAt), .tenant(connection.tenant), .text(connection.id.text),
            ]
        )
        let forget = SQLStatement(
            Self.deleteConnectionClients,
            [.tenant(connection.tenant), .text(connection.id.text)]
        )
        return try await database.write(
            .commitIfChanged(
                update,
                [forget] + Self.enabledClients(of: connection, in: connection.tenant) + [Self.raiseVersion],
                true,
                otherwise: false
            )
        )
    }

    public func add(_ connection: Connection) async throws(StoreError) {
        try await database.write(
            .commit(Self.insert(connection, into: connection.tenant) + [Self.raiseVersion], ())
        )
    }

    static func insert(_ connection: Connection, into tenant: TenantID) -> [SQLStatement] {
        let insert = SQLStatement(
            insertConnection,
            [
                .tenant(tenant), .text(connection.id.text), .text(connection.name),
                .text(ifAny: connection.displayName), .document(connection.options.document),
                .time(connection.createdAt), .time(connection.updatedAt),
            ],
            conflict: .connectionName
        )
        return [insert] + enabledClients(of: connection, in: tenant)
    }

    private static func enabledClients(of connection: Connection, in tenant: TenantID) -> [SQLStatement] {
        connection.enabledClients.enumerated().map { position, client in
            SQLStatement(
                insertConnectionClient,
                [.tenant(tenant), .text(connection.id.text), .text(client.text), .integer(Int64(position))]
            )
        }
    }

    static func connection(
        _ row: inout SQLRow,
        enabled: [(connection: ConnectionID, client: ClientID)]
    ) throws(StoreError) -> Connection {
        let (tenant, id) = (try row.tenant(), ConnectionID(try row.text()))
        let (name, displayName, document) = (try row.text(), try row.textIfAny(), try row.document())
        let (createdAt, updatedAt) = (try row.time(), try row.time())
        var connection = Connection(
            id: id,
            tenant: tenant,
            name: name,
            displayName: displayName,
            enabledClients: enabled.filter { $0.connection == id }.map(\.client),
            options: try options(document),
            createdAt: createdAt
        )
        connection.updatedAt = updatedAt
        return connection
    }

    static func enabledClient(
        _ row: inout SQLRow
    ) throws(StoreError) -> (connection: ConnectionID, client: ClientID) {
        (ConnectionID(try row.text()), try row.client())
    }

    private static func options(_ document: JSONObject) throws(StoreError) -> ConnectionOptions {
        do throws(DocumentError) {
            return try ConnectionOptions(document: document)
        } catch {
            throw .corrupt(reason: "the options of a connection cannot be read: \(error.path)")
        }
    }

    private static let insertConnection = SQL(
        """
        INSERT INTO connection (tenant_id, id, name, display_name, options, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let updateConnection = SQL(
        "UPDATE connection SET display_name = ?, options = ?, updated_at = ? WHERE tenant_id = ? AND id = ?"
    )
    static let selectConnections = SQL(
        """
        SELECT tenant_id, id, name, display_name, options, created_at, updated_at FROM connection
        WHERE tenant_id = ? ORDER BY created_at, id
        """
    )
    /// A client that is named twice counts once.
    private static let insertConnectionClient = SQL(
        """
        INSERT INTO connection_client (tenant_id, connection_id, client_id, position) VALUES (?, ?, ?, ?)
        ON CONFLICT (tenant_id, connection_id, client_id) DO NOTHING
        """
    )
    private static let deleteConnectionClients = SQL(
        "DELETE FROM connection_client WHERE tenant_id = ? AND connection_id = ?"
    )
    static let selectConnectionClients = SQL(
        """
        SELECT connection_id, client_id FROM connection_client
        WHERE tenant_id = ? ORDER BY connection_id, position
        """
    )
}
