internal import COSE
internal import Cryptography

extension RelyingParty {
    /// Verifies a registration response (WebAuthn L3 §7.1, whose step numbers the comments carry).
    ///
    /// - Parameters:
    ///   - response: what the client sent, taken apart (steps 5, 6, 13 and 25 are in that).
    ///   - issued: what the server fixed when the ceremony began.
    ///   - metadata: what is known of models now: their roots, and whether one was revoked.
    ///   - time: Unix seconds, by which certificates are judged.
    /// - Returns: the proof, with the record to store.
    /// - Throws: the first fault, in the order of the HTTP contract, section 2.2.
    public static func verify(
        _ response: RegistrationResponse,
        answering issued: IssuedRegistration,
        knowing metadata: AuthenticatorMetadata? = nil,
        at time: Int64
    ) throws(CeremonyError) -> VerifiedRegistration {
        // 7-11 and 14-17. Type, challenge, origin, frame, RP ID, UP, UV, BS.
        try checkClaims(
            response.clientData,
            response.attestationObject.authenticatorData,
            of: .registration,
            against: ClaimRules(
                challenge: issued.challenge,
                rpID: issued.rpID,
                origins: issued.origins,
                allowedTopOrigins: issued.allowedTopOrigins,
                userVerification: issued.userVerification,
                mayOmitUserPresence: issued.mayOmitUserPresence
            )
        )
        // 20. The key's algorithm was offered.
        let algorithm = response.credential.algorithm
        try checkAlgorithm(algorithm, offeredIn: issued)
        guard let key = response.credential.key else { throw algorithmNotAllowed(algorithm, issued) }
        // 12 and 21-24. The attestation is right, and as much as the policy asks for.
        let attestation = try judgeAttestation(response, key: key, by: issued.attestation, metadata, at: time)
        // 18. Policy may ask for a credential that can be backed up.
        try checkBackupEligibility(response.attestationObject.authenticatorData.flags, askedIn: issued)
        // 26-29. Uniqueness, storing and extension outputs go to the caller.
        return VerifiedRegistration(response, attestation: attestation)
    }

    static func checkAlgorithm(
        _ algorithm: COSEAlgorithm,
        offeredIn issued: IssuedRegistration
    ) throws(CeremonyError) {
        guard issued.algorithms.contains(algorithm) else { throw algorithmNotAllowed(algorithm, issued) }
    }

    private static func algorithmNotAllowed(_ algorithm: COSEAlgorithm, _ issued: IssuedRegistration) -> CeremonyError {
        CeremonyError(
            .algorithmNotAllowed,
            step: "7.1 step 20",
            expected: issued.algorithms.map { "\($0.rawValue)" }.joined(separator: " "),
            got: "\(algorithm.rawValue)",
            policy: .algorithms
        )
    }

    static func checkBackupEligibility(
        _ flags: AuthenticatorFlags,
        askedIn issued: IssuedRegistration
    ) throws(CeremonyError) {
        guard flags.contains(.backupEligible) || !issued.requiresBackupEligible else {
            throw notAllowed("7.1 step 18", "BE 1", "BE 0", .requireBackupEligible)
        }
    }

    private static func judgeAttestation(
        _ response: RegistrationResponse,
        key: COSEKey,
        by policy: AttestationPolicy,
        _ metadata: AuthenticatorMetadata?,
        at time: Int64
    ) throws(CeremonyError) -> AttestationVerdict {
        let object = response.attestationObject
        // 21. The format is one that is built; the statement of another one says nothing that could be judged.
        guard let format = AttestationFormats.named(object.format) else {
            switch policy.unknownFormat {
            case .refuse: throw unknownFormat(object.format)
            case .asNone:
                let verdict = AttestationVerdict(format: "none", type: .none, isTrusted: false)
                try apply(policy, to: verdict, response.credential.aaguid)
                return verdict
            }
        }
        // 12 and 22. The statement verifies, with the hash of the client data as it came.
        let outcome: AttestationOutcome
        do throws(AttestationFault) {
            outcome = try format.verify(
                Attested(
                    statement: object.statement,
                    authenticatorData: object.authenticatorData,
                    credential: response.credential,
                    key: key,
                    clientDataHash: SHA256.hash(response.clientData.bytes),
                    requiresHardwareKeys: policy.requiresHardwareKeys,
                    acceptsTestTPMs: policy.acceptsTestTPMs,
                    time: time
                )
            )
        } catch {
            throw CeremonyError(.attestationInvalid, step: "7.1 step 22", got: "\(format.identifier): \(error.reason)")
        }
        // The statements of a compound one are judged by the same policy, each as if it stood alone.
        let parts = outcome.parts.isEmpty ? [outcome] : outcome.parts
        for part in outcome.parts {
            guard policy.unknownFormat == .asNone || AttestationFormats.named(part.format) != nil else {
                throw unknownFormat(part.format)
            }
            try checkAllowed(part.format, by: policy)
        }
        if !policy.allowsSHA1, let part = parts.first(where: \.usesSHA1) {
            throw notAllowed("7.1 step 24", "no SHA-1", "\(part.format) with SHA-1", .allowSHA1Attestation)
        }
        // 23 and 24. A chain ends at an anchor. Where no attestation was asked for, one that comes gives no trust.
        let trusted = try trusted(
            parts,
            of: response.credential,
            AttestationTrust(policy: policy, metadata: metadata, time: time)
        )
        let weightiest = trusted ?? parts.first { !$0.trustPath.isEmpty } ?? parts.first ?? outcome
        let verdict = AttestationVerdict(format: format.identifier, type: weightiest.type, isTrusted: trusted != nil)
        try apply(policy, to: verdict, response.credential.aaguid)
        return verdict
    }

    /// The first of the statements whose chain ends at an anchor; one is enough. When there is none, and policy judges
    /// chains, one that does not hold is a refusal.
    private static func trusted(
        _ parts: [AttestationOutcome],
        of credential: AttestedCredentialData,
        _ trust: AttestationTrust
    ) throws(CeremonyError) -> AttestationOutcome? {
        guard trust.policy.preference != .none else { return nil }
        var fault: AttestationFault?
        for part in parts {
            do throws(AttestationFault) {
                if try trust.judge(part, of: credential) { return part }
            } catch {
                fault = fault ?? error
            }
        }
        if let fault, trust.policy.trust != .recorded {
            throw notAllowed(
                "7.1 step 24",
                "an attestation that can be trusted",
                fault.reason,
                .requireTrustedAttestation
            )
        }
        return nil
    }

    private static func checkAllowed(_ format: String, by policy: AttestationPolicy) throws(CeremonyError) {
        let allowed = policy.allowedFormats ?? AttestationFormats.standard
        // One that is not built was taken as none.
        guard allowed.contains(where: format.hasSameBytes) || AttestationFormats.named(format) == nil else {
            throw notAllowed("7.1 step 21", allowed.joined(separator: " "), "format \(format)", .attestationFormats)
        }
    }

    /// 24, the rest: formats, models and trust as policy has them.
    static func apply(
        _ policy: AttestationPolicy,
        to verdict: AttestationVerdict,
        _ aaguid: AAGUID
    ) throws(CeremonyError) {
        try checkAllowed(verdict.format, by: policy)
        guard verdict.isTrusted || policy.trust != .required else {
            throw notAllowed(
                "7.1 step 24",
                "a trusted attestation",
                "\(verdict.type.rawValue), not trusted",
                .requireTrustedAttestation
            )
        }
        guard !policy.deniedAAGUIDs.contains(aaguid) else {
            throw notAllowed("7.1 step 24", "no denied model", "AAGUID \(aaguid)", .deniedAAGUIDs)
        }
        guard policy.allowedAAGUIDs.isEmpty || (verdict.isTrusted && policy.allowedAAGUIDs.contains(aaguid)) else {
            throw notAllowed(
                "7.1 step 24",
                "an allowed model, proven by its attestation",
                "AAGUID \(aaguid)\(verdict.isTrusted ? "" : ", not proven")",
                .allowedAAGUIDs
            )
        }
    }

    static func unknownFormat(_ format: String) -> CeremonyError {
        notAllowed("7.1 step 21", "a format that is built", "format \(format)", .unknownAttestation)
    }

    private static func notAllowed(
        _ step: String,
        _ expected: String,
        _ got: String,
        _ policy: CeremonyPolicy
    ) -> CeremonyError {
        CeremonyError(.authenticatorNotAllowed, step: step, expected: expected, got: got, policy: policy)
    }
}
