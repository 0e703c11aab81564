public import Identity
public import WebAuthn

/// What a connection's passkey policy says of an authenticator, without a ceremony: the same rules, by the same functions,
/// as sign-up and sign-in.
public enum PolicyTrial {
    /// - Parameters:
    ///   - facts: of the authenticator.
    ///   - policy: the connection's.
    ///   - surface: where the ceremony would begin; the default of `user_verification` depends on it.
    /// - Returns: the refusal of a sign-up; `nil` when it would be accepted.
    public static func registration(
        _ facts: AuthenticatorFacts,
        by policy: PasskeyOptions,
        at surface: CeremonySurface = .token
    ) -> CeremonyError? {
        var issued = IssuedRegistration(
            challenge: [],
            rpID: "",
            origins: [],
            userVerification: policy.userVerification(at: surface),
            algorithms: [],
            attestation: policy.attestationPolicy,
            requiresBackupEligible: policy.requireBackupEligible
        )
        issued.algorithmNumbers = policy.algorithms
        do throws(CeremonyError) {
            try RelyingParty.judge(facts, answering: issued)
            return nil
        } catch { return error }
    }

    /// The same of a sign-in.
    public static func authentication(
        _ facts: AuthenticatorFacts,
        by policy: PasskeyOptions,
        at surface: CeremonySurface = .token
    ) -> CeremonyError? {
        let issued = IssuedAuthentication(
            challenge: [],
            rpID: "",
            origins: [],
            userVerification: policy.userVerification(at: surface)
        )
        do throws(CeremonyError) {
            try RelyingParty.judge(facts, answering: issued)
            return nil
        } catch { return error }
    }
}

extension PasskeyOptions {
    /// What attestations are judged by.
    var attestationPolicy: AttestationPolicy {
        AttestationPolicy(
            preference: attestation,
            trust: requireTrustedAttestation ? .required : .recorded,
            allowedFormats: attestationFormats,
            allowedAAGUIDs: allowedAAGUIDs,
            deniedAAGUIDs: deniedAAGUIDs,
            unknownFormat: unknownAttestation,
            allowsSHA1: allowSHA1Attestation
        )
    }

    /// `preferred` in the APIs of apps and `required` in the browser API, unless it is set.
    func userVerification(at surface: CeremonySurface) -> UserVerificationRequirement {
        userVerification ?? (surface == .token || surface == .account ? .preferred : .required)
    }
}
