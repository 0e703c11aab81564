public import COSE

/// What a relying party fixed when it began a registration: all that the answer is judged by.
public struct IssuedRegistration: Hashable, Sendable {
    /// The random bytes that the options carried.
    public var challenge: [UInt8]
    public var rpID: String
    /// The origins that may answer, compared byte for byte.
    public var origins: [String]
    /// The pages that may frame the ceremony; `nil`: a framed ceremony is refused.
    public var allowedTopOrigins: [String]?
    public var userVerification: UserVerificationRequirement
    /// Whether UP may be 0: only in a conditional create that the server itself began (step 15).
    public var mayOmitUserPresence: Bool
    /// The `pubKeyCredParams` that were offered.
    public var algorithms: [COSEAlgorithm]
    public var attestation: AttestationPolicy
    /// Whether a device-bound credential is refused (step 18).
    public var requiresBackupEligible: Bool

    public init(
        challenge: [UInt8],
        rpID: String,
        origins: [String],
        allowedTopOrigins: [String]? = nil,
        userVerification: UserVerificationRequirement = .preferred,
        mayOmitUserPresence: Bool = false,
        algorithms: [COSEAlgorithm],
        attestation: AttestationPolicy = .none,
        requiresBackupEligible: Bool = false
    ) {
        self.challenge = challenge
        self.rpID = rpID
        self.origins = origins
        self.allowedTopOrigins = allowedTopOrigins
        self.userVerification = userVerification
        self.mayOmitUserPresence = mayOmitUserPresence
        self.algorithms = algorithms
        self.attestation = attestation
        self.requiresBackupEligible = requiresBackupEligible
    }
}
