import Encodings
import Identity
import WebAuthn

extension Shape {
    static func user(_ user: User, in configuration: TenantConfiguration) -> JSONObject {
        let connection = configuration.connection(user.connection)
        var object: JSONObject = ["user_id": .string(user.id.subject)]
        user.writeIdentifiers(to: &object)
        user.writeProfile(to: &object, name: user.displayIdentifier(connection?.options.precedence ?? []))
        object.set("connection", .string(connection?.name ?? user.connection.text))
        user.writeHistory(to: &object)
        user.writeMetadata(to: &object)
        return object
    }

    /// A passkey, with what its model is called by the metadata or as a well-known provider.
    static func passkey(_ passkey: Passkey, _ model: PasskeyModel) -> JSONObject {
        let record = passkey.record
        var object: JSONObject = [
            "id": .string(passkey.id.text), "type": "passkey", "created_at": .string(passkey.createdAt.rfc3339),
        ]
        if let name = passkey.name { object.set("name", .string(name)) }
        object.set("key_id", .string(Base64URL.encode(record.id)))
        object.set("relying_party_identifier", .string(passkey.relyingPartyID))
        object.set("aaguid", .string(record.aaguid.description))
        if let name = model.name { object.set("authenticator", .string(name)) }
        if let icon = model.icon { object.set("icon", .string(icon)) }
        if let eligible = record.backupEligible {
            object.set("credential_device_type", .string(eligible ? "multi_device" : "single_device"))
        }
        object.set("credential_backed_up", .bool(record.backupState))
        object.set("transports", .array(record.transports.map { .string($0) }))
        object.set("sign_count", .integer(Int64(record.signCount)))
        if let isDiscoverable = passkey.isDiscoverable { object.set("discoverable", .bool(isDiscoverable)) }
        object.set("uv_initialized", .bool(record.uvInitialized))
        object.set("attestation_format", .string(record.attestationFormat))
        object.set("attestation_trusted", .bool(record.attestationTrusted))
        object.set("enrolled_by", .string(passkey.enrolledBy.rawValue))
        object.set("user_handle", .string(Base64URL.encode(passkey.userHandle)))
        if let agent = passkey.userAgent { object.set("user_agent", .string(agent)) }
        if let used = passkey.lastUsedAt { object.set("last_auth_at", .string(used.rfc3339)) }
        object.set("suspended", .bool(passkey.suspendedAt != nil))
        return object
    }

    static func signingKey(_ key: SigningKeyRecord) -> JSONObject {
        var object: JSONObject = [
            "kid": .string(key.id.text), "alg": .string(key.algorithm.rawValue), "state": .string(key.state.rawValue),
            "created_at": .string(key.createdAt.rfc3339),
        ]
        for (name, time) in [
            ("activated_at", key.activatedAt), ("retiring_at", key.retiringAt), ("revoked_at", key.revokedAt),
        ] {
            if let time { object.set(name, .string(time.rfc3339)) }
        }
        return object
    }

    static func ceremony(_ ceremony: CeremonyRecord, in configuration: TenantConfiguration) -> JSONObject {
        var object: JSONObject = [
            "id": .string(ceremony.id.text), "ended_at": .string(ceremony.endedAt.rfc3339),
            "purpose": .string(ceremony.purpose), "outcome": .string(ceremony.outcome),
        ]
        if let step = ceremony.step { object.set("step", .string(step)) }
        object.set("client_id", .string(ceremony.client.text))
        if let client = configuration.clients[ceremony.client] { object.set("client", .string(client.name)) }
        if let connection = ceremony.connection {
            object.set("connection", .string(configuration.connection(connection)?.name ?? connection.text))
        }
        if let user = ceremony.user { object.set("user_id", .string(user.subject)) }
        object.set("started_at", .string(ceremony.startedAt.rfc3339))
        object.set("address", .string(ceremony.device.address))
        object.set("user_agent", .string(ceremony.device.userAgent))
        object.set("details", .object(ceremony.details))
        return object
    }
}
