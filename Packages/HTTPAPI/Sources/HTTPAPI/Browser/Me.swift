import Encodings
import Identity
import Passkeys
import WebAuthn

/// The answer of `GET /api/me` (contract 12.5).
struct Me {
    let user: User
    let session: Session
    let passkeys: [Passkey]
    let precedence: [IdentifierKind]
    let signals: AccountSignals?

    func write(to json: inout JSONWriter) {
        let username = user.displayIdentifier(precedence)
        json.beginObject()
        json.name("user")
        json.beginObject()
        json.member("id", user.id.subject)
        json.member("username", username)
        if let email = user.identifier(.email) { json.member("email", email.entered) }
        json.member("displayName", user.profile.name ?? username)
        json.member("createdAt", user.createdAt.rfc3339)
        json.endObject()
        json.name("session")
        json.beginObject()
        json.member("id", session.id.text)
        json.member("createdAt", session.createdAt.rfc3339)
        json.member("expiresAt", session.expiresAt.rfc3339)
        json.member("amr", session.amr)
        json.endObject()
        json.name("passkeys")
        json.beginArray()
        for passkey in passkeys { write(passkey, to: &json) }
        json.endArray()
        if let signals { Signals.write(signals, to: &json) }
        json.endObject()
    }

    private func write(_ passkey: Passkey, to json: inout JSONWriter) {
        json.beginObject()
        // As an authentication method of the user is called everywhere (contract 10.1).
        json.member("id", "passkey|" + passkey.id.text)
        if let name = passkey.name { json.member("name", name) }
        json.member("createdAt", passkey.createdAt.rfc3339)
        if let used = passkey.lastUsedAt { json.member("lastUsedAt", used.rfc3339) }
        json.member("deviceType", passkey.record.backupEligible == true ? "multiDevice" : "singleDevice")
        json.name("backedUp")
        json.bool(passkey.record.backupState)
        // Beyond the contract: what a page needs to name the provider and to mark the one that was used.
        json.member("aaguid", passkey.record.aaguid.description)
        json.name("credentialId")
        json.base64URL(passkey.record.id)
        json.endObject()
    }
}
