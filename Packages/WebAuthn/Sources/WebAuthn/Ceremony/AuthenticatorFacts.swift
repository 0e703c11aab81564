internal import COSE

/// What an authenticator says of itself and of its user, without the ceremony around it: what policy judges.
public struct AuthenticatorFacts: Hashable, Sendable {
    /// The attestation statement's format.
    public var format: String
    /// Whether the attestation's chain ends at an anchor.
    public var isTrusted: Bool
    /// The COSE number of the credential's algorithm.
    public var algorithm: Int
    public var aaguid: AAGUID
    public var userVerified: Bool
    public var backupEligible: Bool
    public var backedUp: Bool

    public init(
        format: String = "none",
        isTrusted: Bool = false,
        algorithm: Int = -7,
        aaguid: AAGUID = .zero,
        userVerified: Bool = true,
        backupEligible: Bool = true,
        backedUp: Bool = true
    ) {
        self.format = format
        self.isTrusted = isTrusted
        self.algorithm = algorithm
        self.aaguid = aaguid
        self.userVerified = userVerified
        self.backupEligible = backupEligible
        self.backedUp = backedUp
    }

    fileprivate var flags: AuthenticatorFlags {
        var flags: AuthenticatorFlags = [.userPresent]
        if userVerified { flags.insert(.userVerified) }
        if backupEligible { flags.insert(.backupEligible) }
        if backedUp { flags.insert(.backupState) }
        return flags
    }
}

extension RelyingParty {
    /// What policy says of a new credential whose ceremony and statement are right, by the very steps of
    /// ``verify(_:answering:knowing:at:)``.
    ///
    /// - Throws: the refusal that a sign-up would meet.
    public static func judge(
        _ facts: AuthenticatorFacts,
        answering issued: IssuedRegistration
    ) throws(CeremonyError) {
        try checkFlags(
            facts.flags,
            of: .registration,
            userVerification: issued.userVerification,
            mayOmitUserPresence: issued.mayOmitUserPresence
        )
        try checkAlgorithm(COSEAlgorithm(rawValue: facts.algorithm), offeredIn: issued)
        let policy = issued.attestation
        var verdict = AttestationVerdict(format: "none", type: .none, isTrusted: false)
        if AttestationFormats.named(facts.format) != nil {
            // Where no attestation was asked for, one that comes gives no trust.
            let isTrusted = facts.isTrusted && policy.preference != .none
            verdict = AttestationVerdict(format: facts.format, type: isTrusted ? .basic : .none, isTrusted: isTrusted)
        } else if policy.unknownFormat == .refuse {
            throw unknownFormat(facts.format)
        }
        try apply(policy, to: verdict, facts.aaguid)
        try checkBackupEligibility(facts.flags, askedIn: issued)
    }

    /// What policy says of a sign-in whose ceremony and signature are right, by the very steps of ``check(_:answering:)``.
    ///
    /// - Throws: the refusal that a sign-in would meet.
    public static func judge(
        _ facts: AuthenticatorFacts,
        answering issued: IssuedAuthentication
    ) throws(CeremonyError) {
        try checkFlags(
            facts.flags,
            of: .authentication,
            userVerification: issued.userVerification,
            mayOmitUserPresence: false
        )
    }
}
