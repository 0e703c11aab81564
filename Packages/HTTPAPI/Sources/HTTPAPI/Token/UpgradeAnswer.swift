import Encodings
import Passkeys
import WebAuthn

/// The member `passkey_upgrade` of an answer to a right password (contract 9.4): the ceremony that a client may try
/// without asking its user.
struct UpgradeAnswer {
    let begun: Begun<CreationOptions>

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.name("eligible")
        json.bool(true)
        json.name("has_passkey")
        json.bool(false)
        json.member("auth_session", begun.session)
        json.name("authn_params_public_key")
        begun.options.write(to: &json)
        json.member("mediation", "conditional")
        json.endObject()
    }
}
