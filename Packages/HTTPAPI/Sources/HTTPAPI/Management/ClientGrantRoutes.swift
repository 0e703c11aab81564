import Encodings
import HTTPServer
import Identity
import Tenancy

/// Client grants (contract 11.8).
struct ClientGrantRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/api/v2/client-grants", shape: .management, run: api.action("read:client_grants", list)),
            Endpoint(
                .post,
                "/api/v2/client-grants",
                shape: .management,
                run: api.action("create:client_grants", create)
            ),
            Endpoint(
                .get,
                "/api/v2/client-grants/{id}",
                shape: .management,
                run: api.action("read:client_grants", read)
            ),
            Endpoint(
                .patch,
                "/api/v2/client-grants/{id}",
                shape: .management,
                run: api.action("update:client_grants", update)
            ),
            Endpoint(
                .delete,
                "/api/v2/client-grants/{id}",
                shape: .management,
                run: api.action("delete:client_grants", delete)
            ),
        ]
    }

    private func list(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let client = call.query.text("client_id").map(ClientID.init)
        let audience = call.query.text("audience")
        let subject = try call.query.text("subject_type").map { (text) throws(APIError) in
            guard let subject = ClientGrant.Subject(rawValue: text) else {
                throw call.query.invalid("subject_type", text)
            }
            return subject
        }
        let identifier = audience.map { call.configuration.resourceServer(audience: $0)?.identifier ?? $0 }
        let grants = call.configuration.grants.filter { grant in
            client ?? grant.client == grant.client && subject ?? grant.subject == grant.subject
                && identifier.map { $0.utf8.elementsEqual(grant.audience.utf8) } ?? true
        }
        let shown = call
        return try call.page(grants, "client_grants", .offset, .checkpoint) {
            PagePlace(createdAt: $0.createdAt, id: $0.id.text)
        } document: {
            Self.document($0, shown)
        }
    }

    private func create(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let body = try call.body()
        try ManagementCall.only("client_id", "audience", "scope", "subject_type", "allow_all_scopes", in: body)
        let client = try ManagementCall.required("client_id", try ManagementCall.text("client_id", of: body))
        let audience = try ManagementCall.required("audience", try ManagementCall.text("audience", of: body))
        let scope = try ManagementCall.texts("scope", of: body, atMost: 1000)
        let allowAll = try ManagementCall.bool("allow_all_scopes", of: body) ?? false
        var subject = ClientGrant.Subject.client
        if let text = try ManagementCall.text("subject_type", of: body) {
            guard let named = ClientGrant.Subject(rawValue: text) else {
                throw ManagementCall.invalid("subject_type", .string(text))
            }
            subject = named
        }
        guard scope != nil || allowAll else { throw .body(.missingMember(path: "scope")) }
        if call.configuration.resourceServer(audience: audience)?.system == .management {
            try checkMayGive(scope ?? [], all: allowAll, call)
        }
        let (configuration, now, kind) = (call.configuration, call.now, subject)
        let created = try await call.changing(status: 201) { (administration) throws(TenancyError) in
            try await administration.createGrant(
                client: ClientID(client),
                audience: audience,
                subject: kind,
                scope: scope ?? [],
                allowAllScopes: allowAll,
                in: configuration,
                now: now
            )
        }
        return try call.answer(Self.document(created, call), status: 201)
    }

    private func read(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        try call.answer(Self.document(try grant(call), call))
    }

    private func update(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let grant = try grant(call)
        let body = try call.body()
        try ManagementCall.only("scope", "allow_all_scopes", in: body)
        let scope = try ManagementCall.texts("scope", of: body, atMost: 1000)
        let allowAll = try ManagementCall.bool("allow_all_scopes", of: body)
        if SystemAPI(rawValue: grant.audience) == .management {
            try checkMayGive(scope ?? [], all: allowAll ?? false, call)
        }
        let configuration = call.configuration
        let changed = try await call.changing(missing: .noClientGrant) { (administration) throws(TenancyError) in
            try await administration.setGrant(
                grant.id,
                scope: scope,
                allowAllScopes: allowAll,
                in: configuration
            )
        }
        return try call.answer(Self.document(changed, call))
    }

    private func delete(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let id = ClientGrantID(call.path("id"))
        let configuration = call.configuration
        try await call.changing(status: 204, missing: .noClientGrant) { (administration) throws(TenancyError) in
            try await administration.removeGrant(id, in: configuration)
        }
        return try call.nothing()
    }

    private func grant(_ call: ManagementCall) throws(APIError) -> ClientGrant {
        let id = ClientGrantID(call.path("id"))
        guard let grant = call.configuration.grants.first(where: { $0.id == id }) else { throw .noClientGrant }
        return grant
    }

    /// Nobody gives a scope of the Management API that their own token lacks (contract 11.16). Scopes that this server has
    /// no use for mean nothing, and may be given by all.
    private func checkMayGive(_ scope: [String], all: Bool, _ call: ManagementCall) throws(APIError) {
        let known = SystemAPI.management.scopes.map(\.value)
        let asked = all ? known : known.filter(Set(scope).contains)
        let missing = asked.filter { !call.has($0) }
        guard missing.isEmpty else {
            throw .insufficientScope(missing, all: true, base: call.exchange.context.base)
        }
    }

    private static func document(_ grant: ClientGrant, _ call: ManagementCall) -> JSONObject {
        [
            "id": .string(grant.id.text), "client_id": .string(grant.client.text),
            "audience": .string(call.audience(grant.audience)), "scope": .array(grant.scope.map { .string($0) }),
            "subject_type": .string(grant.subject.rawValue), "allow_all_scopes": .bool(grant.allowAllScopes),
        ]
    }
}
