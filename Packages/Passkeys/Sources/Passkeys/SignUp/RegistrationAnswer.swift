internal import Encodings
internal import Identity
internal import WebAuthn

extension Ceremonies {
    /// Verifies a registration, and writes a refusal down.
    ///
    /// - Throws: `.refused`.
    func verify(
        _ json: JSONObject,
        as form: ResponseForm = .interoperable,
        answering issued: IssuedRegistration,
        _ outcome: CeremonyOutcome,
        user: UserID? = nil
    ) async throws(PasskeyError) -> (VerifiedRegistration, JSONObject) {
        let response: RegistrationResponse
        do throws(ResponseError) {
            response = try RegistrationResponse(json, form: form)
        } catch {
            throw refuse(CeremonyError(error, in: .registration), outcome, user: user)
        }
        let details = CeremonyDetails.of(response, issued)
        do throws(CeremonyError) {
            let verified = try RelyingParty.verify(
                response,
                answering: issued,
                knowing: metadata?.current,
                at: outcome.context.now.seconds
            )
            var named = details
            if let name = metadata?.current?.name(verified.credential.aaguid)
                ?? WellKnownProviders.name(verified.credential.aaguid)
            {
                named["authenticator"] = .string(CeremonyDetails.printable(name))
            }
            named["attestation_trusted"] = .bool(verified.credential.attestationTrusted)
            return (verified, named)
        } catch {
            // The client made the key, and it will never be of use.
            let signal = await signal(response.id, issued.rpID)
            throw refuse(error, outcome, user: user, details: details, unknownCredential: signal)
        }
    }
}

extension CeremonyError {
    /// The store has the credential id already, whoever's it is (WebAuthn L3 §7.1 step 26).
    static func credentialExists(_ passkey: Passkey) -> CeremonyError {
        CeremonyError(
            .credentialExists,
            step: "7.1 step 26",
            expected: "a credential id that nobody has",
            got: "credential \(Hex.encode(passkey.record.id.prefix(64)))"
        )
    }
}
