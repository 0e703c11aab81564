import Encodings
import Identity
import Passkeys

/// The member `signals`: ready arguments for the browser's signal methods (contract 9.6).
enum Signals {
    /// In a refusal: for `signalUnknownCredential`.
    static func write(_ unknown: Refusal.UnknownCredential, to json: inout JSONWriter) {
        json.name("signals")
        json.beginObject()
        json.name("unknown_credential")
        json.beginObject()
        json.member("rpId", unknown.relyingPartyID)
        json.name("credentialId")
        json.base64URL(unknown.credentialID)
        json.endObject()
        json.endObject()
    }

    /// In an answer to a signed-in user: for `signalAllAcceptedCredentials` and `signalCurrentUserDetails`. One object,
    /// or an array of them where passkeys are of several RP IDs.
    static func write(_ signals: AccountSignals, to json: inout JSONWriter) {
        json.name("signals")
        json.beginObject()
        write("all_accepted_credentials", signals, to: &json) { account, json in
            json.name("allAcceptedCredentialIds")
            json.beginArray()
            for id in account.credentialIDs { json.base64URL(id) }
            json.endArray()
        }
        write("current_user_details", signals, to: &json) { account, json in
            json.member("name", account.names.name)
            json.member("displayName", account.names.displayName)
        }
        json.endObject()
    }

    private static func write(
        _ name: String,
        _ signals: AccountSignals,
        to json: inout JSONWriter,
        _ members: (AccountSignals.Account, inout JSONWriter) -> Void
    ) {
        json.name(name)
        let isList = signals.accounts.count != 1
        if isList { json.beginArray() }
        for account in signals.accounts {
            json.beginObject()
            json.member("rpId", account.relyingPartyID)
            json.name("userId")
            json.base64URL(account.userHandle)
            members(account, &json)
            json.endObject()
        }
        if isList { json.endArray() }
    }
}
