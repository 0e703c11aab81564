import Encodings
import HTTPServer
import Identity
import WebAuthn

/// The passkeys of a user, as an administrator sees and brings them (contract 11.10).
struct AuthenticationMethodRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] {
        func scope(_ verb: String) -> String { "\(verb):authentication_methods" }
        return [
            Endpoint(
                .get,
                "/api/v2/users/{id}/authentication-methods",
                shape: .management,
                run: api.action(scope("read"), list)
            ),
            Endpoint(
                .post,
                "/api/v2/users/{id}/authentication-methods",
                shape: .management,
                run: api.action(scope("create"), bring)
            ),
            Endpoint(
                .put,
                "/api/v2/users/{id}/authentication-methods",
                shape: .management,
                run: api.action(scope("update"), replace)
            ),
            Endpoint(
                .delete,
                "/api/v2/users/{id}/authentication-methods",
                shape: .management,
                run: api.action(scope("delete"), deleteAll)
            ),
            Endpoint(
                .get,
                "/api/v2/users/{id}/authentication-methods/{method_id}",
                shape: .management,
                run: api.action(scope("read"), read)
            ),
            Endpoint(
                .patch,
                "/api/v2/users/{id}/authentication-methods/{method_id}",
                shape: .management,
                run: api.action(scope("update"), rename)
            ),
            Endpoint(
                .delete,
                "/api/v2/users/{id}/authentication-methods/{method_id}",
                shape: .management,
                run: api.action(scope("delete"), delete)
            ),
        ]
    }

    private func list(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let user = try await call.user().user
        // The list is in the order of making, as `page` sorts it.
        return try call.page(try await passkeys(of: user, call), "authenticators", .offset) {
            PagePlace(createdAt: $0.createdAt, id: $0.id.text)
        } document: {
            Self.document($0)
        }
    }

    private func read(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        try call.answer(Self.document(try await passkey(call)))
    }

    private func bring(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let user = try await call.user().user
        let body = try call.body()
        let passkey: Passkey
        let ownHandle: [UInt8]?
        do throws(StoreError) {
            ownHandle = try await call.services.handles.userHandle(of: user.id, tenant: call.tenant)
        } catch { throw APIError(error) }
        guard let ownHandle else { throw .noUser }
        do throws(DocumentError) {
            passkey = try BroughtPasskey(
                document: body,
                relyingPartyIDs: call.configuration.relyingPartyIDs
            ).passkey(
                id: PasskeyID(random: call.services.random(12)),
                of: user.id,
                ownHandle: ownHandle,
                tenant: call.tenant,
                now: call.now
            )
        } catch { throw .body(error) }
        let maximum = call.configuration.connection(user.connection)?.options.passkey.maximumPerUser ?? 20
        let outcome: AddPasskeyOutcome
        do throws(StoreError) {
            outcome = try await call.services.passkeys.bring(
                passkey,
                maximum: maximum,
                audit: call.event(status: 201, user: user.id)
            )
        } catch .unique(.credential) {
            throw .management(409, "conflict", "A passkey with this key_id exists already for the RP ID.")
        } catch .unique(.userHandle) {
            throw .management(409, "conflict", "Another user has this user_handle.")
        } catch { throw APIError(error) }
        switch outcome {
        case .added: return try call.answer(Self.document(passkey), status: 201)
        case .userGone: throw .noUser
        case .tooMany:
            throw .management(400, "too_many_passkeys", "The user has as many passkeys as the connection allows.")
        }
    }

    /// Auth0 has it for the types that are no passkeys.
    private func replace(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try await call.user()
        throw .management(400, "operation_not_supported", "Passkeys cannot be replaced as a whole.")
    }

    private func rename(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let body = try call.body()
        try ManagementCall.only("name", in: body)
        let name = try ManagementCall.required("name", try ManagementCall.text("name", of: body))
        guard name.unicodeScalars.count <= 100 else { throw ManagementCall.invalid("name", .string(name)) }
        var passkey = try await passkey(call)
        let isDone: Bool
        do throws(StoreError) {
            isDone = try await call.services.passkeys.rename(
                passkey.id,
                of: passkey.user,
                to: name,
                tenant: call.tenant,
                audit: call.event(status: 200, user: passkey.user)
            )
        } catch { throw APIError(error) }
        guard isDone else { throw .noAuthenticationMethod }
        passkey.name = name
        return try call.answer(Self.document(passkey))
    }

    private func delete(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let user = try await call.user().user
        guard try await remove(Self.id(call), of: user, call) > 0 else { throw .noAuthenticationMethod }
        return try call.nothing()
    }

    private func deleteAll(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let user = try await call.user().user
        _ = try await remove(nil, of: user, call)
        return try call.nothing()
    }

    private func remove(_ id: PasskeyID?, of user: User, _ call: ManagementCall) async throws(APIError) -> Int {
        do throws(StoreError) {
            return try await call.services.passkeys.removePasskeys(
                of: user.id,
                only: id,
                tenant: call.tenant,
                audit: call.event(status: 204, user: user.id)
            )
        } catch { throw APIError(error) }
    }

    private func passkeys(of user: User, _ call: ManagementCall) async throws(APIError) -> [Passkey] {
        do throws(StoreError) {
            return try await call.services.credentials.passkeys(
                of: user.id,
                relyingPartyID: nil,
                tenant: call.tenant
            )
        } catch { throw APIError(error) }
    }

    private func passkey(_ call: ManagementCall) async throws(APIError) -> Passkey {
        let user = try await call.user().user
        let id = Self.id(call)
        guard let found = try await passkeys(of: user, call).first(where: { $0.id == id }) else {
            throw .noAuthenticationMethod
        }
        return found
    }

    /// With `passkey|` before it or not.
    private static func id(_ call: ManagementCall) -> PasskeyID {
        let text = call.path("method_id")
        return PasskeyID(text.hasPrefix("passkey|") ? String(text.dropFirst(8)) : text)
    }

    static func document(_ passkey: Passkey) -> JSONObject {
        let record = passkey.record
        var document: JSONObject = [
            "id": .string("passkey|" + passkey.id.text), "type": "passkey", "confirmed": true,
            "created_at": .string(passkey.createdAt.rfc3339), "enrolled_at": .string(passkey.createdAt.rfc3339),
        ]
        if let name = passkey.name { document.set("name", .string(name)) }
        document.set("key_id", .string(Base64URL.encode(record.id)))
        document.set("public_key", .string(Base64.encode(record.publicKey)))
        if let eligible = record.backupEligible {
            document.set("credential_device_type", .string(eligible ? "multi_device" : "single_device"))
        }
        document.set("credential_backed_up", .bool(record.backupState))
        document.set("identity_user_id", .string(passkey.user.hex))
        if let agent = passkey.userAgent { document.set("user_agent", .string(agent)) }
        document.set("user_handle", .string(Base64URL.encode(passkey.userHandle)))
        document.set("transports", .array(record.transports.map { .string($0) }))
        document.set("aaguid", .string(record.aaguid.description))
        document.set("relying_party_identifier", .string(passkey.relyingPartyID))
        if let used = passkey.lastUsedAt { document.set("last_auth_at", .string(used.rfc3339)) }
        return document
    }
}
