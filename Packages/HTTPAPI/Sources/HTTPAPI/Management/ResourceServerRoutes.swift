import Encodings
import HTTPServer
import Identity
import Tenancy

/// APIs (contract 11.7). `{id}` is the id, or the percent-encoded identifier.
struct ResourceServerRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                "/api/v2/resource-servers",
                shape: .management,
                run: api.action("read:resource_servers", list)
            ),
            Endpoint(
                .post,
                "/api/v2/resource-servers",
                shape: .management,
                run: api.action("create:resource_servers", create)
            ),
            Endpoint(
                .get,
                "/api/v2/resource-servers/{id}",
                shape: .management,
                run: api.action("read:resource_servers", read)
            ),
            Endpoint(
                .patch,
                "/api/v2/resource-servers/{id}",
                shape: .management,
                run: api.action("update:resource_servers", update)
            ),
            Endpoint(
                .delete,
                "/api/v2/resource-servers/{id}",
                shape: .management,
                run: api.action("delete:resource_servers", delete)
            ),
        ]
    }

    private func list(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let shown = call
        return try call.page(call.configuration.resourceServers, "resource_servers", .offset) {
            PagePlace(createdAt: $0.createdAt, id: $0.id.text)
        } document: {
            Self.document($0, shown)
        }
    }

    private func create(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let body = try call.body()
        let (configuration, now) = (call.configuration, call.now)
        let created = try await call.changing(status: 201) { (administration) throws(TenancyError) in
            try await administration.createResourceServer(body, in: configuration, now: now)
        }
        return try call.answer(Self.document(created, call), status: 201)
    }

    private func read(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        try call.answer(Self.document(try server(call), call))
    }

    private func update(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let id = try server(call).id
        let patch = DocumentPatch(try call.body())
        let (configuration, now) = (call.configuration, call.now)
        let server = try await call.changing { (administration) throws(TenancyError) in
            try await administration.setResourceServer(id, patch, in: configuration, now: now)
        }
        return try call.answer(Self.document(server, call))
    }

    private func delete(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let id = try server(call).id
        let configuration = call.configuration
        try await call.changing(status: 204) { (administration) throws(TenancyError) in
            try await administration.removeResourceServer(id, in: configuration)
        }
        return try call.nothing()
    }

    private func server(_ call: ManagementCall) throws(APIError) -> ResourceServer {
        let name = call.path("id")
        let byID = call.configuration.resourceServers.first { $0.id.text.utf8.elementsEqual(name.utf8) }
        guard let server = byID ?? call.configuration.resourceServer(audience: name) else { throw .noResourceServer }
        return server
    }

    private static func document(_ server: ResourceServer, _ call: ManagementCall) -> JSONObject {
        var document: JSONObject = ["id": .string(server.id.text)]
        for member in server.document.members { document.set(member.name, member.value) }
        document.set("identifier", .string(call.audience(server.identifier)))
        document.set("is_system", .bool(server.system != nil))
        return document
    }
}
