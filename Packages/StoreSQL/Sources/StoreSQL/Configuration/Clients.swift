import Encodings
import Identity

extension SQLStore {
    static func add(_ client: Client, enabling connections: [ConnectionID]) -> [SQLStatement] {
        [insert(client, into: client.tenant)]
            + connections.map { connection in
                SQLStatement(
                    enableClient,
                    [
                        .text(client.id.text), .tenant(client.tenant), .text(connection.text), .tenant(client.tenant),
                        .text(connection.text),
                    ],
                    otherwise: .constraint(reason: "there is no such connection")
                )
            }
    }

    static func set(_ client: Client, replacing old: UnixTime) -> SQLStatement {
        SQLStatement(
            updateClient,
            [
                .bytes(ifAny: client.secretHash), .document(client.document), .time(client.updatedAt),
                .tenant(client.tenant), .text(client.id.text), .time(old),
            ]
        )
    }

    /// The client itself, then what belongs to it.
    static func remove(_ client: ClientID, of tenant: TenantID) -> [SQLStatement] {
        [deleteClient, deleteClientConnections, deleteClientGrants].map {
            SQLStatement($0, [.tenant(tenant), .text(client.text)])
        }
    }

    static func insert(_ client: Client, into tenant: TenantID) -> SQLStatement {
        SQLStatement(
            insertClient,
            [
                .tenant(tenant), .text(client.id.text), .bytes(ifAny: client.secretHash), .document(client.document),
                .time(client.createdAt), .time(client.updatedAt),
            ],
            conflict: .clientID
        )
    }

    static func client(_ row: inout SQLRow) throws(StoreError) -> Client {
        let (tenant, id) = (try row.tenant(), try row.client())
        let (secretHash, document) = (try row.bytesIfAny(), try row.document())
        let (createdAt, updatedAt) = (try row.time(), try row.time())
        do throws(DocumentError) {
            return try Client(
                document: document,
                id: id,
                tenant: tenant,
                secretHash: secretHash,
                createdAt: createdAt,
                updatedAt: updatedAt
            )
        } catch {
            throw .corrupt(reason: "the settings of a client cannot be read: \(error.path)")
        }
    }

    private static let insertClient = SQL(
        """
        INSERT INTO client (tenant_id, id, secret_hash, settings, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
        """
    )
    private static let updateClient = SQL(
        """
        UPDATE client SET secret_hash = ?, settings = ?, updated_at = ?
        WHERE tenant_id = ? AND id = ? AND updated_at = ?
        """
    )
    private static let deleteClient = SQL("DELETE FROM client WHERE tenant_id = ? AND id = ?")
    private static let deleteClientConnections = SQL(
        "DELETE FROM connection_client WHERE tenant_id = ? AND client_id = ?"
    )
    private static let deleteClientGrants = SQL("DELETE FROM client_grant WHERE tenant_id = ? AND client_id = ?")
    static let selectClients = SQL(
        """
        SELECT tenant_id, id, secret_hash, settings, created_at, updated_at FROM client
        WHERE tenant_id = ? ORDER BY created_at, id
        """
    )
    /// Puts the client at the end of the connection's list; inserts nothing when there is no such connection.
    private static let enableClient = SQL(
        """
        INSERT INTO connection_client (tenant_id, connection_id, client_id, position)
        SELECT c.tenant_id, c.id, ?,
            (SELECT COALESCE(MAX(o.position) + 1, 0) FROM connection_client o
                WHERE o.tenant_id = ? AND o.connection_id = ?)
        FROM connection c WHERE c.tenant_id = ? AND c.id = ?
        """
    )
}
