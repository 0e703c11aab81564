import Encodings
import HTTPServer
import Identity

/// Sessions, refresh tokens and device credentials (contract 11.11).
struct AccessRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] { tokens + sessions + devices }

    private var tokens: [Endpoint] {
        let (read, delete) = ("read:refresh_tokens", "delete:refresh_tokens")
        return [
            Endpoint(.get, "/api/v2/refresh-tokens", shape: .management, run: api.action(read, listTokens)),
            Endpoint(.post, "/api/v2/refresh-tokens/revoke", shape: .management, run: api.action(delete, revokeTokens)),
            Endpoint(.get, "/api/v2/refresh-tokens/{id}", shape: .management, run: api.action(read, readToken)),
            Endpoint(.delete, "/api/v2/refresh-tokens/{id}", shape: .management, run: api.action(delete, deleteToken)),
            Endpoint(
                .get,
                "/api/v2/users/{id}/refresh-tokens",
                shape: .management,
                run: api.action(read, listTokensOfUser)
            ),
            Endpoint(
                .delete,
                "/api/v2/users/{id}/refresh-tokens",
                shape: .management,
                run: api.action(delete, deleteTokensOfUser)
            ),
        ]
    }

    private var sessions: [Endpoint] {
        let (read, delete) = ("read:sessions", "delete:sessions")
        let both = ManagementAPI.Needs.all(["delete:sessions", "delete:refresh_tokens"])
        return [
            Endpoint(.get, "/api/v2/sessions/{id}", shape: .management, run: api.action(read, readSession)),
            Endpoint(.delete, "/api/v2/sessions/{id}", shape: .management, run: api.action(delete, deleteSession)),
            Endpoint(
                .post,
                "/api/v2/sessions/{id}/revoke",
                shape: .management,
                run: api.action(both, revokeSession)
            ),
            Endpoint(
                .get,
                "/api/v2/users/{id}/sessions",
                shape: .management,
                run: api.action(read, listSessions)
            ),
            Endpoint(
                .delete,
                "/api/v2/users/{id}/sessions",
                shape: .management,
                run: api.action(delete, deleteSessions)
            ),
            Endpoint(
                .post,
                "/api/v2/users/{id}/revoke-access",
                shape: .management,
                run: api.action(both, revokeAccess)
            ),
        ]
    }

    private var devices: [Endpoint] {
        [
            Endpoint(
                .get,
                "/api/v2/device-credentials",
                shape: .management,
                run: api.action("read:device_credentials", listDevices)
            ),
            Endpoint(
                .delete,
                "/api/v2/device-credentials/{id}",
                shape: .management,
                run: api.action("delete:device_credentials", deleteDevice)
            ),
        ]
    }

    // MARK: Refresh tokens

    private func listTokens(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        guard let text = call.query.text("user_id") else { throw .query("Missing required property: user_id") }
        guard let user = UserID(text) else { throw call.query.invalid("user_id", text) }
        return try await tokens(of: user, "refresh_tokens", &call)
    }

    private func listTokensOfUser(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let user = try await call.user().user
        return try await tokens(of: user.id, "tokens", &call)
    }

    private func tokens(
        of user: UserID,
        _ name: String,
        _ call: inout ManagementCall
    ) async throws(APIError) -> HTTPResponse {
        guard case .checkpoint(let from, let take) = try Paging(&call.query, [.checkpoint]) else {
            throw .internalError
        }
        let fields = try call.fields()
        var last: RefreshFamilyID?
        if let from {
            guard let id = TimeOrderedID(base62: from.utf8) else { throw .invalidPaging }
            last = RefreshFamilyID(id)
        }
        let found = try await families(of: user, after: last, limit: take + 1, call)
        let shown = call
        var answer = JSONObject()
        answer.set(
            name,
            .array(found.prefix(take).map { .object(fields.selected(from: Self.document($0, shown))) })
        )
        if found.count > take { answer.set("next", .string(found[take - 1].id.id.base62)) }
        return .json { $0.value(.object(answer)) }
    }

    private func readToken(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        try call.answer(Self.document(try await family(call), call))
    }

    private func deleteToken(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let family = try await family(call)
        try await withdraw(.families([family.id]), status: 204, user: family.user, call)
        return try call.nothing()
    }

    private func revokeTokens(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let body = try call.body()
        try ManagementCall.only("ids", "user_id", "client_id", "audience", in: body)
        if let ids = try ManagementCall.texts("ids", of: body, atMost: 100) {
            guard body.count == 1 else {
                throw .management(400, "invalid_body", "Payload validation error: ids stands alone.")
            }
            var families: [RefreshFamilyID] = []
            for id in ids {
                guard let known = TimeOrderedID(base62: id.utf8) else {
                    throw ManagementCall.invalid("ids", .string(id))
                }
                families.append(RefreshFamilyID(known))
            }
            try await withdraw(.families(families), status: 202, user: nil, call)
            return try call.nothing(status: 202)
        }
        let text = try ManagementCall.required("user_id", try ManagementCall.text("user_id", of: body))
        guard let user = UserID(text) else { throw ManagementCall.invalid("user_id", .string(text)) }
        let client = try ManagementCall.text("client_id", of: body).map(ClientID.init)
        let audience = try ManagementCall.text("audience", of: body)
        // The log tells of this tenant's users alone, whatever was asked.
        let isThere: Bool
        do throws(StoreError) {
            isThere = try await call.services.people.details(of: user, tenant: call.tenant) != nil
        } catch { throw APIError(error) }
        let owner = isThere ? user : nil
        try await withdraw(.tokens(of: user, client: client, audience: audience), status: 202, user: owner, call)
        return try call.nothing(status: 202)
    }

    private func deleteTokensOfUser(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let user = try await call.user().user.id
        try await withdraw(.tokens(of: user, client: nil, audience: nil), status: 202, user: user, call)
        return try call.nothing(status: 202)
    }

    // MARK: Sessions

    private func listSessions(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let user = try await call.user().user
        guard case .checkpoint(let from, let take) = try Paging(&call.query, [.checkpoint]) else {
            throw .internalError
        }
        let fields = try call.fields()
        var last: SessionID?
        if let from {
            guard let id = SessionID(from) else { throw .invalidPaging }
            last = id
        }
        let found: [Session]
        do throws(StoreError) {
            found = try await call.services.access.sessions(
                of: user.id,
                after: last,
                limit: take + 1,
                tenant: call.tenant,
                now: call.now
            )
        } catch { throw APIError(error) }
        var answer = JSONObject()
        answer.set(
            "sessions",
            .array(found.prefix(take).map { .object(fields.selected(from: Self.document($0))) })
        )
        if found.count > take { answer.set("next", .string(found[take - 1].id.text)) }
        return .json { $0.value(.object(answer)) }
    }

    private func readSession(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        try call.answer(Self.document(try await session(call)))
    }

    private func deleteSession(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        try await end(&call, tokens: false)
    }

    private func revokeSession(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        try await end(&call, tokens: true)
    }

    private func end(_ call: inout ManagementCall, tokens: Bool) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let session = try await session(call)
        try await withdraw(.session(session.id, tokens: tokens), status: 202, user: session.user, call)
        return try call.nothing(status: 202)
    }

    private func deleteSessions(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let user = try await call.user().user.id
        try await withdraw(.sessions(of: user, tokens: false), status: 202, user: user, call)
        return try call.nothing(status: 202)
    }

    private func revokeAccess(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let user = try await call.user().user.id
        // Everything may be left out, the body too.
        let body = call.exchange.request.body.isEmpty ? JSONObject() : try call.body()
        try ManagementCall.only("session_id", "preserve_refresh_tokens", in: body)
        let tokens = !(try ManagementCall.bool("preserve_refresh_tokens", of: body) ?? false)
        var withdrawal = Withdrawal.sessions(of: user, tokens: tokens)
        if let text = try ManagementCall.text("session_id", of: body) {
            guard let id = SessionID(text), let session = try await session(id, call), session.user == user else {
                throw ManagementCall.invalid("session_id", .string(text))
            }
            withdrawal = .session(id, tokens: tokens)
        }
        try await withdraw(withdrawal, status: 204, user: user, call)
        return try call.nothing()
    }

    // MARK: Device credentials

    private func listDevices(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        guard let text = call.query.text("user_id") else { throw .query("Missing required property: user_id") }
        guard let user = UserID(text) else { throw call.query.invalid("user_id", text) }
        let client = call.query.text("client_id").map(ClientID.init)
        let type = call.query.text("type")
        if let type, !["refresh_token", "rotating_refresh_token", "public_key"].contains(type) {
            throw call.query.invalid("type", type)
        }
        // Without a type Auth0 lists public keys, of which there are none; all kinds are more use.
        let found = try await families(of: user, after: nil, limit: 1000, call).filter { family in
            client ?? family.client == family.client && type ?? Self.type(family) == Self.type(family)
        }
        return try call.page(found, "device_credentials", .offset) {
            PagePlace(createdAt: $0.createdAt, id: $0.id.id.base62)
        } document: {
            let agent = String(decoding: $0.lastDevice.userAgent.utf8.prefix(100), as: UTF8.self)
            return [
                "id": .string($0.id.id.base62), "device_name": .string(agent), "device_id": .string($0.id.id.base62),
                "type": .string(Self.type($0)), "user_id": .string($0.user.subject),
                "client_id": .string($0.client.text),
            ]
        }
    }

    private func deleteDevice(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        try await deleteToken(&call)
    }

    private static func type(_ family: RefreshFamily) -> String {
        family.rotates ? "rotating_refresh_token" : "refresh_token"
    }

    // MARK: Parts

    private func family(_ call: ManagementCall) async throws(APIError) -> RefreshFamily {
        guard let id = TimeOrderedID(base62: call.path("id").utf8) else { throw .nothingThere }
        let family: RefreshFamily?
        do throws(StoreError) {
            family = try await call.services.access.refreshFamily(RefreshFamilyID(id), of: call.tenant)
        } catch { throw APIError(error) }
        guard let family, family.revokedAt == nil, family.expiresAt.map({ $0 > call.now }) ?? true else {
            throw .nothingThere
        }
        return family
    }

    private func families(
        of user: UserID,
        after last: RefreshFamilyID?,
        limit: Int,
        _ call: ManagementCall
    ) async throws(APIError) -> [RefreshFamily] {
        do throws(StoreError) {
            return try await call.services.access.refreshFamilies(
                of: user,
                after: last,
                limit: limit,
                tenant: call.tenant,
                now: call.now
            )
        } catch { throw APIError(error) }
    }

    private func session(_ call: ManagementCall) async throws(APIError) -> Session {
        guard let id = SessionID(call.path("id")), let session = try await session(id, call) else {
            throw .nothingThere
        }
        return session
    }

    private func session(_ id: SessionID, _ call: ManagementCall) async throws(APIError) -> Session? {
        let session: Session?
        do throws(StoreError) { session = try await call.services.sessionStore.session(id, of: call.tenant) } catch {
            throw APIError(error)
        }
        guard let session, session.isLive(at: call.now) else { return nil }
        return session
    }

    private func withdraw(
        _ withdrawal: Withdrawal,
        status: Int,
        user: UserID?,
        _ call: ManagementCall
    ) async throws(APIError) {
        do throws(StoreError) {
            try await call.services.access.withdraw(
                withdrawal,
                of: call.tenant,
                audit: call.event(status: status, user: user)
            )
        } catch { throw APIError(error) }
    }

    private static func document(_ family: RefreshFamily, _ call: ManagementCall) -> JSONObject {
        let settings = call.configuration.clients[family.client]?.refreshToken
        var idleEnd: UnixTime?
        if let settings, settings.expires, !settings.hasInfiniteIdleLifetime {
            idleEnd = family.lastExchangedAt.adding(seconds: settings.idleLifetime)
        }
        let servers: JSONValue =
            family.audience.map { audience in
                [["audience": .string(audience), "scopes": .string(family.scope.joined(separator: " "))]]
            } ?? []
        return [
            "id": .string(family.id.id.base62), "user_id": .string(family.user.subject),
            "created_at": .string(family.createdAt.rfc3339),
            "idle_expires_at": idleEnd.map { .string($0.rfc3339) } ?? .null,
            "expires_at": family.expiresAt.map { .string($0.rfc3339) } ?? .null,
            "client_id": .string(family.client.text), "session_id": .string(family.session.text),
            "rotating": .bool(family.rotates), "resource_servers": servers,
            "device": [
                "initial_ip": .string(family.initialDevice.address),
                "initial_user_agent": .string(family.initialDevice.userAgent),
                "last_ip": .string(family.lastDevice.address),
                "last_user_agent": .string(family.lastDevice.userAgent),
            ],
            "last_exchanged_at": .string(family.lastExchangedAt.rfc3339),
        ]
    }

    private static func document(_ session: Session) -> JSONObject {
        let isPassword = session.amr.contains("pwd")
        var method: JSONObject = [
            "name": .string(isPassword ? "pwd" : "passkey"), "timestamp": .string(session.authenticatedAt.rfc3339),
        ]
        if !isPassword, let type = session.amr.first { method.set("type", .string(type)) }
        return [
            "id": .string(session.id.text), "user_id": .string(session.user.subject),
            "created_at": .string(session.createdAt.rfc3339), "updated_at": .string(session.lastInteraction.rfc3339),
            "authenticated_at": .string(session.authenticatedAt.rfc3339),
            "idle_expires_at": .string(session.idleExpiresAt.rfc3339),
            "expires_at": .string(session.expiresAt.rfc3339),
            "last_interacted_at": .string(session.lastInteraction.rfc3339),
            "device": [
                "initial_ip": .string(session.device.address),
                "initial_user_agent": .string(session.device.userAgent),
                "last_ip": .string(session.device.address), "last_user_agent": .string(session.device.userAgent),
            ],
            "clients": [["client_id": .string(session.client.text)]],
            "authentication": ["methods": [.object(method)]],
        ]
    }
}
