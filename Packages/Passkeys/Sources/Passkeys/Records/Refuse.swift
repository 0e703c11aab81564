internal import Encodings
internal import Identity
internal import WebAuthn

extension Ceremonies {
    /// Writes a refusal down, and makes the error that the answer is made from.
    func refuse(
        _ error: CeremonyError,
        _ outcome: CeremonyOutcome,
        user: UserID? = nil,
        details: JSONObject = JSONObject(),
        unknownCredential: Refusal.UnknownCredential? = nil
    ) -> PasskeyError {
        let (record, event) = outcome.refused(error, user: user, details: details)
        refusals.add(record, event)
        return .refused(
            Refusal(error: error, ceremony: outcome.ceremony.id, unknownCredential: unknownCredential)
        )
    }

    /// Writes down that a rule of this server, not of the ceremony, ended it.
    func note(
        _ reason: String,
        policy: CeremonyPolicy? = nil,
        _ outcome: CeremonyOutcome,
        user: UserID? = nil,
        details: JSONObject = JSONObject()
    ) {
        let (record, event) = outcome.refused(reason, policy: policy, user: user, details: details)
        refusals.add(record, event)
    }

    /// The signal for a key that was made in vain (HTTP contract 9.6): only when surely nobody has it. A store that does
    /// not answer gives none.
    func signal(_ credentialID: [UInt8], _ relyingPartyID: String) async -> Refusal.UnknownCredential? {
        let isKnown = try? await credentials.isKnown(credentialID: credentialID, relyingPartyID: relyingPartyID)
        guard isKnown == false else { return nil }
        return Refusal.UnknownCredential(relyingPartyID: relyingPartyID, credentialID: credentialID)
    }
}
