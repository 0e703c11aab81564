internal import COSE
internal import Cryptography

extension RelyingParty {
    /// Checks everything of a login response that needs no credential record (WebAuthn L3 §7.2, whose step numbers
    /// the comments carry).
    ///
    /// - Throws: the first fault, in the order of the HTTP contract, section 2.2.
    public static func check(
        _ response: AuthenticationResponse,
        answering issued: IssuedAuthentication
    ) throws(CeremonyError) -> CheckedAssertion {
        // 6, in part. Who was not known before must be named by the authenticator.
        guard response.userHandle != nil || issued.userIdentified || !issued.allowCredentials.isEmpty else {
            throw CeremonyError(.invalidResponse, step: "7.2 step 6", expected: "a user handle", got: "none")
        }
        // 10-18. Type, challenge, origin, frame, RP ID, UP, UV, BS.
        try checkClaims(
            response.clientData,
            response.authenticatorData,
            of: .authentication,
            against: ClaimRules(
                challenge: issued.challenge,
                rpID: issued.rpID,
                origins: issued.origins,
                allowedTopOrigins: issued.allowedTopOrigins,
                userVerification: issued.userVerification,
                mayOmitUserPresence: false
            )
        )
        // 5. It is one of the credentials that were listed. The answer is the one to a wrong signature, or the list
        // would tell who exists.
        guard issued.allowCredentials.isEmpty || issued.allowCredentials.contains(response.id) else {
            throw CeremonyError(
                .signatureInvalid,
                step: "7.2 step 5",
                expected: "one of \(issued.allowCredentials.count) listed credentials",
                got: "credential \(Evidence.hex(response.id))"
            )
        }
        return CheckedAssertion(response: response)
    }

    /// Verifies a checked login response with the record of its credential (§7.2).
    ///
    /// - Parameters:
    ///   - assertion: what ``check(_:answering:)`` returned.
    ///   - record: the credential that ``CheckedAssertion/credentialID`` names.
    ///   - ownerHandles: the user handles of the credential's owner; one, or one for each identity that was linked. A
    ///     handle in the response must be one of them, as a whole. That the owner is the user whom the ceremony began
    ///     for, where it knew one, is for the caller to see to.
    ///   - counterPolicy: what a counter that did not rise leads to.
    ///   - backupEligibility: what a change of BE leads to.
    /// - Returns: the proof, with the new values of the record.
    /// - Throws: the first fault, in the order of the HTTP contract, section 2.2.
    public static func verify(
        _ assertion: CheckedAssertion,
        with record: CredentialRecord,
        ownerHandles: [[UInt8]],
        counterPolicy: CounterPolicy = .reject,
        backupEligibility: BackupEligibilityPolicy = .strict
    ) throws(CeremonyError) -> VerifiedAssertion {
        let response = assertion.response
        let data = response.authenticatorData
        // 6. The record is the named credential's, and the handle its owner's.
        guard record.id == response.id else {
            throw CeremonyError(
                .unknownCredential,
                step: "7.2 step 6",
                expected: "credential \(Evidence.hex(record.id))",
                got: "credential \(Evidence.hex(response.id))"
            )
        }
        if let userHandle = response.userHandle, !ownerHandles.contains(userHandle) {
            throw CeremonyError(
                .userHandleMismatch,
                step: "7.2 step 6",
                expected: ownerHandles.map(Evidence.hex).joined(separator: " "),
                got: Evidence.hex(userHandle)
            )
        }
        // 19. BE is what it was.
        let backupEligible = data.flags.contains(.backupEligible)
        if let stored = record.backupEligible, stored != backupEligible {
            let accepted =
                switch backupEligibility {
                case .strict: false
                case .allowUpgrade: backupEligible
                case .observe: true
                }
            guard accepted else {
                throw CeremonyError(
                    .backupFlagsInvalid,
                    step: "7.2 step 19",
                    expected: stored ? "BE 1" : "BE 0",
                    got: backupEligible ? "BE 1" : "BE 0",
                    policy: .backupEligibility
                )
            }
        }
        // 20 and 21. The signature covers authenticator data and the hash of the client data.
        // The stored key is checked again each time, so that no store can smuggle a weak one in.
        let key: COSEKey
        do throws(COSEError) {
            key = try COSEKey(decoding: record.publicKey[...])
        } catch {
            throw CeremonyError(.signatureInvalid, step: "7.2 step 21", got: "a stored key that is refused: \(error)")
        }
        // RS1 signs attestations alone.
        guard key.algorithm != .rs1 else {
            throw CeremonyError(.signatureInvalid, step: "7.2 step 21", got: "a stored key for SHA-1")
        }
        let signed = data.bytes + SHA256.hash(response.clientData.bytes)
        guard key.isValid(response.signature[...], over: signed[...]) else {
            throw CeremonyError(.signatureInvalid, step: "7.2 step 21", got: "a wrong signature")
        }
        // 22. A counter that is in use goes up. A passkey that syncs sends 0 for ever.
        let regressed = (data.signCount | record.signCount) != 0 && data.signCount <= record.signCount
        guard !regressed || counterPolicy == .warn else {
            throw CeremonyError(
                .counterRegression,
                step: "7.2 step 22",
                expected: "more than \(record.signCount)",
                got: "\(data.signCount)",
                policy: .counterPolicy
            )
        }
        // 23-25. Extension outputs and the new values of the record go to the caller.
        return VerifiedAssertion(response, record: record, counterRegressed: regressed)
    }
}
