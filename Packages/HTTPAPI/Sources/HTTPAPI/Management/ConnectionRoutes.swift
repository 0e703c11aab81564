import Encodings
import HTTPServer
import Identity
import Tenancy

/// User directories (contract 11.5).
struct ConnectionRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/api/v2/connections", shape: .management, run: api.action("read:connections", list)),
            Endpoint(.post, "/api/v2/connections", shape: .management, run: api.action("create:connections", create)),
            Endpoint(.get, "/api/v2/connections/{id}", shape: .management, run: api.action("read:connections", read)),
            Endpoint(
                .patch,
                "/api/v2/connections/{id}",
                shape: .management,
                run: api.action("update:connections", update)
            ),
            Endpoint(
                .delete,
                "/api/v2/connections/{id}",
                shape: .management,
                run: api.action("delete:connections", delete)
            ),
            Endpoint(
                .get,
                "/api/v2/connections/{id}/clients",
                shape: .management,
                run: api.action("read:connections", listClients)
            ),
            Endpoint(
                .patch,
                "/api/v2/connections/{id}/clients",
                shape: .management,
                run: api.action("update:connections", setClients)
            ),
        ]
    }

    private func list(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let name = call.query.text("name")
        // Whatever else is asked for, there are connections of one kind.
        let isServed = call.query.text("strategy").map { $0.split(separator: ",").contains("auth0") } ?? true
        let connections = call.configuration.connections.filter { connection in
            isServed && name.map { $0.utf8.elementsEqual(connection.name.utf8) } ?? true
        }
        return try call.page(connections, "connections", .offset, .checkpoint) {
            PagePlace(createdAt: $0.createdAt, id: $0.id.text)
        } document: {
            Self.document($0)
        }
    }

    private func create(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let body = try call.body()
        let (configuration, now) = (call.configuration, call.now)
        let created = try await call.changing(status: 201) { (administration) throws(TenancyError) in
            try await administration.createConnection(body, in: configuration, now: now)
        }
        return try call.answer(Self.document(created), status: 201)
    }

    private func read(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        guard let connection = call.configuration.connection(ConnectionID(call.path("id"))) else {
            throw .noConnection
        }
        return try call.answer(Self.document(connection))
    }

    private func update(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let id = ConnectionID(call.path("id"))
        guard call.configuration.connection(id) != nil else { throw .noConnection }
        let patch = DocumentPatch(try call.body())
        let (configuration, now) = (call.configuration, call.now)
        let connection = try await call.changing(missing: .noConnection) { (administration) throws(TenancyError) in
            try await administration.setConnection(id, patch, in: configuration, now: now)
        }
        return try call.answer(Self.document(connection))
    }

    private func delete(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let id = ConnectionID(call.path("id"))
        let configuration = call.configuration
        try await call.changing(status: 204, missing: .noConnection) { (administration) throws(TenancyError) in
            try await administration.removeConnection(id, in: configuration)
        }
        return try call.nothing()
    }

    private func listClients(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        guard let connection = call.configuration.connection(ConnectionID(call.path("id"))) else {
            throw .noConnection
        }
        let clients = call.configuration.clients
        return try call.page(connection.enabledClients.compactMap { clients[$0] }, "clients", .checkpoint) {
            PagePlace(createdAt: $0.createdAt, id: $0.id.text)
        } document: {
            ["client_id": .string($0.id.text)]
        }
    }

    /// The body is a list: `[{"client_id": "…", "status": true}]`.
    private func setClients(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let id = ConnectionID(call.path("id"))
        guard call.configuration.connection(id) != nil else { throw .noConnection }
        let elements = try call.exchange.json().array
        guard let elements, (1...500).contains(elements.count) else {
            throw .management(400, "invalid_body", "Payload validation error: 'Expected an array of 1 to 500 items'.")
        }
        var changes: [(client: ClientID, isEnabled: Bool)] = []
        for element in elements {
            guard let member = element.object else { throw ManagementCall.invalid("[]", element) }
            try ManagementCall.only("client_id", "status", in: member)
            let client = try ManagementCall.required("client_id", try ManagementCall.text("client_id", of: member))
            let status = try ManagementCall.required("status", try ManagementCall.bool("status", of: member))
            changes.append((ClientID(client), status))
        }
        let (configuration, now, all) = (call.configuration, call.now, changes)
        try await call.changing(status: 204, missing: .noConnection) { (administration) throws(TenancyError) in
            try await administration.setClients(all, of: id, in: configuration, now: now)
        }
        return try call.nothing()
    }

    private static func document(_ connection: Connection) -> JSONObject {
        var document: JSONObject = ["id": .string(connection.id.text)]
        for member in connection.document.members { document.set(member.name, member.value) }
        return document
    }
}
