internal import Cryptography
internal import Encodings

/// The relying party's side of the two ceremonies. Pure: all that it judges by is in its arguments.
public enum RelyingParty {
    /// The steps that both ceremonies share, in their order: client data (7.1 steps 7 to 11, 7.2 steps 10 to 14) and
    /// authenticator data (7.1 steps 14 to 17, 7.2 steps 15 to 18).
    static func checkClaims(
        _ clientData: ClientData,
        _ authenticatorData: AuthenticatorData,
        of ceremony: Ceremony,
        against rules: ClaimRules
    ) throws(CeremonyError) {
        let steps = ceremony == .registration ? ClaimSteps.registration : ClaimSteps.authentication

        // 7.1 step 7, 7.2 step 10. The client answered this kind of ceremony.
        guard clientData.type.hasSameBytes(as: ceremony.clientDataType) else {
            throw CeremonyError(
                .typeMismatch,
                step: steps.type,
                expected: ceremony.clientDataType,
                got: clientData.type
            )
        }
        // 7.1 step 8, 7.2 step 11. It answered this challenge; the text is compared, so that there is one spelling.
        let challenge = Base64URL.encode(rules.challenge)
        guard clientData.challenge.hasSameBytes(as: challenge) else {
            throw CeremonyError(
                .challengeMismatch,
                step: steps.challenge,
                expected: challenge,
                got: clientData.challenge
            )
        }
        // 7.1 step 9, 7.2 step 12. It spoke for one of our origins.
        guard rules.origins.contains(where: { clientData.origin.hasSameBytes(as: $0) }) else {
            throw CeremonyError(
                .originMismatch,
                step: steps.origin,
                expected: rules.origins.joined(separator: " "),
                got: clientData.origin
            )
        }
        // 7.1 steps 10 and 11, 7.2 steps 13 and 14. It was framed only where that is expected, and by whom.
        if clientData.crossOrigin, rules.allowedTopOrigins == nil {
            throw CeremonyError(
                .crossOrigin,
                step: steps.crossOrigin,
                expected: "no frame",
                got: "crossOrigin true",
                policy: .allowCrossOrigin
            )
        }
        if let topOrigin = clientData.topOrigin {
            let allowed = rules.allowedTopOrigins ?? []
            guard allowed.contains(where: { topOrigin.hasSameBytes(as: $0) }) else {
                throw CeremonyError(
                    .crossOrigin,
                    step: steps.topOrigin,
                    expected: allowed.isEmpty ? "no frame" : allowed.joined(separator: " "),
                    got: topOrigin,
                    policy: rules.allowedTopOrigins == nil ? .allowCrossOrigin : .allowedTopOrigins
                )
            }
        }
        // 7.1 step 14, 7.2 step 15. The authenticator signed for our RP ID.
        let rpIDHash = SHA256.hash(Array(rules.rpID.utf8))
        guard authenticatorData.rpIDHash == rpIDHash[...] else {
            throw CeremonyError(
                .rpIDMismatch,
                step: steps.rpID,
                expected: "\(Evidence.hex(rpIDHash)) (SHA-256 of \(rules.rpID))",
                got: Evidence.hex(authenticatorData.rpIDHash)
            )
        }
        try checkFlags(
            authenticatorData.flags,
            of: ceremony,
            userVerification: rules.userVerification,
            mayOmitUserPresence: rules.mayOmitUserPresence
        )
    }

    /// The steps about what the authenticator says of the user and of itself (7.1 steps 15 to 17, 7.2 steps 16 to 18).
    static func checkFlags(
        _ flags: AuthenticatorFlags,
        of ceremony: Ceremony,
        userVerification: UserVerificationRequirement,
        mayOmitUserPresence: Bool
    ) throws(CeremonyError) {
        let steps = ceremony == .registration ? ClaimSteps.registration : ClaimSteps.authentication
        // 7.1 step 15, 7.2 step 16. Somebody was there.
        guard flags.contains(.userPresent) || mayOmitUserPresence else {
            throw CeremonyError(.userPresenceMissing, step: steps.userPresence, expected: "UP 1", got: "UP 0")
        }
        // 7.1 step 16, 7.2 step 17. It was the user, where that was required.
        guard flags.contains(.userVerified) || userVerification != .required else {
            throw CeremonyError(
                .userVerificationMissing,
                step: steps.userVerification,
                expected: "UV 1",
                got: "UV 0",
                policy: .userVerification
            )
        }
        // 7.1 step 17, 7.2 step 18. What is not eligible is not backed up.
        guard flags.contains(.backupEligible) || !flags.contains(.backupState) else {
            throw CeremonyError(.backupFlagsInvalid, step: steps.backupState, expected: "BS 0", got: "BE 0, BS 1")
        }
    }
}

/// What the shared steps judge by.
struct ClaimRules {
    let challenge: [UInt8]
    let rpID: String
    let origins: [String]
    let allowedTopOrigins: [String]?
    let userVerification: UserVerificationRequirement
    let mayOmitUserPresence: Bool
}

/// The numbers of the shared steps in either section.
private struct ClaimSteps {
    let type, challenge, origin, crossOrigin, topOrigin: String
    let rpID, userPresence, userVerification, backupState: String

    static let registration = ClaimSteps(
        type: "7.1 step 7",
        challenge: "7.1 step 8",
        origin: "7.1 step 9",
        crossOrigin: "7.1 step 10",
        topOrigin: "7.1 step 11",
        rpID: "7.1 step 14",
        userPresence: "7.1 step 15",
        userVerification: "7.1 step 16",
        backupState: "7.1 step 17"
    )
    static let authentication = ClaimSteps(
        type: "7.2 step 10",
        challenge: "7.2 step 11",
        origin: "7.2 step 12",
        crossOrigin: "7.2 step 13",
        topOrigin: "7.2 step 14",
        rpID: "7.2 step 15",
        userPresence: "7.2 step 16",
        userVerification: "7.2 step 17",
        backupState: "7.2 step 18"
    )
}

extension String {
    /// Byte for byte: `==` would take two spellings of one character for the same.
    func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let (one, other) = (utf8Span.span, other.utf8Span.span)
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }
}
