import Encodings
import Identity
import WebAuthn

/// One way of a user to sign in, as the My Account API shows it (contract 10.4, 10.5).
enum AccountMethod {
    case passkey(Passkey)
    case password(of: User, changedAt: UnixTime)
    case recoveryCodes(RecoveryCodeSet)

    /// As paths and lists name it (contract 10.1).
    var id: String {
        switch self {
        case .passkey(let passkey): "passkey|" + passkey.id.text
        case .password(let user, _): "password|" + user.id.hex
        case .recoveryCodes(let set): "recovery-code|" + set.id.text
        }
    }

    var type: String {
        switch self {
        case .passkey: "passkey"
        case .password: "password"
        case .recoveryCodes: "recovery-code"
        }
    }

    var createdAt: UnixTime {
        switch self {
        case .passkey(let passkey): passkey.createdAt
        case .password(let user, _): user.createdAt
        case .recoveryCodes(let set): set.createdAt
        }
    }

    /// A code is for who lost everything else.
    private var usage: JSONValue {
        if case .recoveryCodes = self { return ["secondary"] }
        return ["primary"]
    }

    /// Both mobile clients need all members but `name`, `last_auth_at`, `transports` and `user_agent`.
    var document: JSONObject {
        var document: JSONObject = [
            "id": .string(id), "type": .string(type), "created_at": .string(createdAt.rfc3339), "usage": usage,
        ]
        switch self {
        case .passkey(let passkey): Self.describe(passkey, &document)
        case .password(let user, let changedAt):
            document.set("identity_user_id", .string(user.id.hex))
            if changedAt > user.createdAt { document.set("last_password_reset", .string(changedAt.rfc3339)) }
        case .recoveryCodes(let set): document.set("identity_user_id", .string(set.user.hex))
        }
        return document
    }

    private static func describe(_ passkey: Passkey, _ document: inout JSONObject) {
        let record = passkey.record
        // Of an import that did not say: what is backed up is eligible for it.
        let isMultiDevice = record.backupEligible ?? record.backupState
        document.set("identity_user_id", .string(passkey.user.hex))
        document.set("user_handle", .string(Base64URL.encode(passkey.userHandle)))
        document.set("key_id", .string(Base64URL.encode(record.id)))
        document.set("public_key", .string(Base64.encode(record.publicKey)))
        document.set("credential_device_type", .string(isMultiDevice ? "multi_device" : "single_device"))
        document.set("credential_backed_up", .bool(record.backupState))
        document.set("transports", .array(record.transports.map { .string($0) }))
        if let agent = passkey.userAgent { document.set("user_agent", .string(agent)) }
        document.set("aaguid", .string(record.aaguid.description))
        document.set("relying_party_id", .string(passkey.relyingPartyID))
        if let name = passkey.name { document.set("name", .string(name)) }
        if let used = passkey.lastUsedAt { document.set("last_auth_at", .string(used.rfc3339)) }
    }
}
