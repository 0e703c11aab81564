import Encodings
import HTTPServer
import Identity
import Tenancy
import Tokens

/// Applications (contract 11.4).
struct ClientRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/api/v2/clients", shape: .management, run: api.action("read:clients", list)),
            Endpoint(.post, "/api/v2/clients", shape: .management, run: api.action("create:clients", create)),
            Endpoint(.get, "/api/v2/clients/{id}", shape: .management, run: api.action("read:clients", read)),
            Endpoint(.patch, "/api/v2/clients/{id}", shape: .management, run: api.action("update:clients", update)),
            Endpoint(.delete, "/api/v2/clients/{id}", shape: .management, run: api.action("delete:clients", delete)),
            Endpoint(
                .post,
                "/api/v2/clients/{id}/rotate-secret",
                shape: .management,
                run: api.action("update:client_keys", rotateSecret)
            ),
        ]
    }

    private func list(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let isGlobal = try call.query.bool("is_global")
        let isFirstParty = try call.query.bool("is_first_party")
        let types = call.query.text("app_type").map { Set($0.split(separator: ",").map(String.init)) }
        let shapes = try await ClientShape.make(call)
        let clients = call.configuration.clients.values.filter { client in
            isGlobal != true && isFirstParty ?? client.isFirstParty == client.isFirstParty
                && types.map { $0.contains(client.appType ?? "") } ?? true
        }
        return try call.page(Array(clients), "clients", .offset, .checkpoint) {
            PagePlace(createdAt: $0.createdAt, id: $0.id.text)
        } document: {
            shapes.document($0)
        }
    }

    private func create(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let body = try call.body()
        let (configuration, now) = (call.configuration, call.now)
        let created = try await call.changing(status: 201) { (administration) throws(TenancyError) in
            try await administration.createClient(body, enabling: [], in: configuration, now: now)
        }
        let shape = try await ClientShape.make(call, withKeys: true)
        return try call.answer(shape.document(created.client, secret: created.secret), status: 201)
    }

    private func read(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        guard let client = call.configuration.clients[ClientID(call.path("id"))] else { throw .noClient }
        return try call.answer(try await ClientShape.make(call).document(client))
    }

    private func update(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let id = ClientID(call.path("id"))
        guard let old = call.configuration.clients[id] else { throw .noClient }
        let body = try call.body()
        // Whoever sets how a client proves itself can be that client.
        if ClientKeys.members.contains(where: { body[$0] != nil && body[$0] != old.document[$0] }) {
            guard call.has(ClientKeys.scope) else {
                throw .insufficientScope([ClientKeys.scope], all: true, base: call.exchange.context.base)
            }
        }
        let patch = DocumentPatch(body)
        let (configuration, now) = (call.configuration, call.now)
        let client = try await call.changing(missing: .noClient) { (administration) throws(TenancyError) in
            try await administration.setClient(id, patch, in: configuration, now: now)
        }
        return try call.answer(try await ClientShape.make(call).document(client))
    }

    private func delete(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let id = ClientID(call.path("id"))
        let (configuration, now) = (call.configuration, call.now)
        try await call.changing(status: 204, missing: .noClient) { (administration) throws(TenancyError) in
            try await administration.removeClient(id, in: configuration, now: now)
        }
        return try call.nothing()
    }

    private func rotateSecret(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let id = ClientID(call.path("id"))
        let (configuration, now) = (call.configuration, call.now)
        let changed = try await call.changing(missing: .noClient) { (administration) throws(TenancyError) in
            try await administration.newSecret(of: id, in: configuration, now: now)
        }
        let shape = try await ClientShape.make(call, withKeys: true)
        return try call.answer(shape.document(changed.client, secret: changed.secret))
    }
}

/// What in an application says how it proves itself, and the scope that changing it needs, as a new secret does.
enum ClientKeys {
    static let members = ["client_authentication_methods", "token_endpoint_auth_method"]
    static let scope = "update:client_keys"
}

/// An application as the API shows it.
struct ClientShape {
    private let tenant: String
    /// The certificates of the keys that sign ID tokens by default; `nil` where the caller may not see them.
    private let signingKeys: JSONValue?

    /// - Parameters:
    ///   - call: whose caller sees the keys with `read:client_keys`.
    ///   - withKeys: whether they are shown to all, as where a secret is.
    /// - Returns: the shape.
    /// - Throws: the refusal of a store that does not answer.
    static func make(_ call: ManagementCall, withKeys: Bool = false) async throws(APIError) -> ClientShape {
        let tenant = call.configuration.tenant.name
        guard withKeys || call.has("read:client_keys") else { return ClientShape(tenant: tenant, signingKeys: nil) }
        let keys: [SigningKeyRecord]
        do throws(StoreError) {
            keys = try await call.services.signingKeys.signingKeys(of: call.tenant)
        } catch { throw APIError(error) }
        let current = keys.filter { $0.algorithm == .rs256 && $0.state == .active }.map { key -> JSONValue in
            let certificate = SigningKeyCertificate(of: key)
            return [
                "cert": .string(certificate.pem), "pkcs7": .string(certificate.pkcs7),
                "subject": .string("/CN=" + tenant),
            ]
        }
        return ClientShape(tenant: tenant, signingKeys: .array(current))
    }

    /// - Parameters:
    ///   - client: the application.
    ///   - secret: shown when it was made just now; only its hash is kept.
    /// - Returns: the members of the contract.
    func document(_ client: Client, secret: String? = nil) -> JSONObject {
        var document: JSONObject = [
            "tenant": .string(tenant), "global": false, "client_id": .string(client.id.text),
        ]
        if let secret { document.set("client_secret", .string(secret)) }
        for member in client.document.members { document.set(member.name, member.value) }
        if let signingKeys { document.set("signing_keys", signingKeys) }
        return document
    }
}
