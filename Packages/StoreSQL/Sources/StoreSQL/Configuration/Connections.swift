import Encodings
import Identity

extension SQLStore {
    /// The connection itself, then its list of clients.
    static func set(_ connection: Connection, replacing old: UnixTime) -> [SQLStatement] {
        let update = SQLStatement(
            updateConnection,
            [
                .text(ifAny: connection.displayName), .document(connection.options.document),
                .details(connection.stored), .time(connection.updatedAt), .tenant(connection.tenant),
                .text(connection.id.text), .time(old),
            ]
        )
        let forget = SQLStatement(
            deleteConnectionClients,
            [.tenant(connection.tenant), .text(connection.id.text)]
        )
        return [update, forget] + enabledClients(of: connection, in: connection.tenant)
    }

    /// The connection itself, unless somebody is in it, then its list of clients.
    static func remove(_ connection: ConnectionID, of tenant: TenantID) -> [SQLStatement] {
        let place: [SQLValue] = [.tenant(tenant), .text(connection.text)]
        return [
            SQLStatement(deleteConnection, place + place), SQLStatement(deleteConnectionClients, place),
        ]
    }

    static func insert(_ connection: Connection, into tenant: TenantID) -> [SQLStatement] {
        let insert = SQLStatement(
            insertConnection,
            [
                .tenant(tenant), .text(connection.id.text), .text(connection.name),
                .text(ifAny: connection.displayName), .document(connection.options.document),
                .details(connection.stored), .time(connection.createdAt), .time(connection.updatedAt),
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
        let stored = try row.details()
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
        connection.stored = stored
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
        INSERT INTO connection (tenant_id, id, name, display_name, options, stored, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let updateConnection = SQL(
        """
        UPDATE connection SET display_name = ?, options = ?, stored = ?, updated_at = ?
        WHERE tenant_id = ? AND id = ? AND updated_at = ?
        """
    )
    static let selectConnections = SQL(
        """
        SELECT tenant_id, id, name, display_name, options, stored, created_at, updated_at FROM connection
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
    /// Every user has an identifier.
    private static let deleteConnection = SQL(
        """
        DELETE FROM connection WHERE tenant_id = ? AND id = ?
        AND NOT EXISTS (SELECT 1 FROM identifier i WHERE i.tenant_id = ? AND i.connection_id = ?)
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
