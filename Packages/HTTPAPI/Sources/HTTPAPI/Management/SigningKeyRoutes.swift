import Encodings
import HTTPServer
import Identity
import Tenancy
import Tokens

/// Signing keys (contract 11.12): without `alg` those of RS256.
struct SigningKeyRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/api/v2/keys/signing", shape: .management, run: api.action("read:signing_keys", list)),
            Endpoint(
                .get,
                "/api/v2/keys/signing/{kid}",
                shape: .management,
                run: api.action("read:signing_keys", read)
            ),
            Endpoint(
                .post,
                "/api/v2/keys/signing/rotate",
                shape: .management,
                run: api.action(.all(["create:signing_keys", "update:signing_keys"]), rotate)
            ),
            Endpoint(
                .put,
                "/api/v2/keys/signing/{kid}/revoke",
                shape: .management,
                run: api.action("update:signing_keys", revoke)
            ),
        ]
    }

    private func list(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let algorithm = try algorithm(&call)
        let fields = try call.fields()
        let keys = try await keys(call).filter { $0.algorithm == algorithm }
        // Current, next, then every earlier one, the newest first.
        let sorted = keys.sorted { one, other in
            (Self.rank(one), -one.createdAt.milliseconds) < (Self.rank(other), -other.createdAt.milliseconds)
        }
        let documents = sorted.map { JSONValue.object(fields.selected(from: Self.document($0))) }
        return .json { $0.value(.array(documents)) }
    }

    private func read(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        try call.answer(Self.document(try await key(call)))
    }

    private func rotate(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let algorithm = try algorithm(&call)
        _ = try call.fields()
        let plan: KeyRotation.Plan
        do throws(KeyRotationError) {
            plan = try await call.services.keyRotation.rotate(
                algorithm,
                of: call.configuration,
                now: call.now,
                audit: call.event(status: 201)
            )
        } catch { throw Self.refusal(error) }
        call.services.directory.changed()
        return try call.answer(Self.shortDocument(plan.next), status: 201)
    }

    private func revoke(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let key = try await key(call)
        guard key.state == .retiring else {
            throw .management(400, "invalid_uri", "Only the previous key can be revoked")
        }
        do throws(KeyRotationError) {
            try await call.services.keyRotation.revoke(
                key.id,
                of: call.configuration,
                now: call.now,
                audit: call.event(status: 200)
            )
        } catch { throw Self.refusal(error) }
        call.services.directory.changed()
        return try call.answer(Self.shortDocument(key))
    }

    private func algorithm(_ call: inout ManagementCall) throws(APIError) -> TokenAlgorithm {
        guard let text = call.query.text("alg") else { return .rs256 }
        guard let algorithm = TokenAlgorithm(rawValue: text) else { throw call.query.invalid("alg", text) }
        return algorithm
    }

    private func keys(_ call: ManagementCall) async throws(APIError) -> [SigningKeyRecord] {
        do throws(StoreError) {
            return try await call.services.signingKeys.signingKeys(of: call.tenant)
        } catch { throw APIError(error) }
    }

    private func key(_ call: ManagementCall) async throws(APIError) -> SigningKeyRecord {
        let name = call.path("kid")
        guard let key = try await keys(call).first(where: { $0.id.text.utf8.elementsEqual(name.utf8) }) else {
            throw .nothingThere
        }
        return key
    }

    private static func refusal(_ error: KeyRotationError) -> APIError {
        switch error {
        case .unknownKey: .nothingThere
        case .noNextKey: .nothingThere
        case .tooYoung(_, let allowedAt):
            .management(
                409,
                "conflict",
                "The next key was published so lately that clients may not know it. Rotate from \(allowedAt.rfc3339) on."
            )
        case .changedMeanwhile: .changedMeanwhile
        case .store(let error): APIError(error)
        case .keys(let reason): .internalError.with { $0.detail = reason }
        case .busy: .temporarilyUnavailable(retryAfter: 1)
        }
    }

    private static func rank(_ key: SigningKeyRecord) -> Int {
        switch key.state {
        case .active: 0
        case .published: 1
        case .retiring, .retired: 2
        }
    }

    private static func shortDocument(_ key: SigningKeyRecord) -> JSONObject {
        ["cert": .string(SigningKeyCertificate(of: key).pem), "kid": .string(key.id.text)]
    }

    private static func document(_ key: SigningKeyRecord) -> JSONObject {
        let certificate = SigningKeyCertificate(of: key)
        var document: JSONObject = [
            "kid": .string(key.id.text), "cert": .string(certificate.pem), "pkcs7": .string(certificate.pkcs7),
            "current": .bool(key.state == .active), "next": .bool(key.state == .published),
            "previous": .bool(key.state == .retiring),
        ]
        if let since = key.activatedAt { document.set("current_since", .string(since.rfc3339)) }
        if let until = key.retiringAt { document.set("current_until", .string(until.rfc3339)) }
        document.set("fingerprint", .string(certificate.fingerprint))
        document.set("thumbprint", .string(certificate.thumbprint))
        document.set("revoked", .bool(key.revokedAt != nil))
        if let at = key.revokedAt { document.set("revoked_at", .string(at.rfc3339)) }
        return document
    }
}
