/// The rules of a relying party that may refuse a ceremony which the standard would let pass: a closed list, whose raw
/// values are the members of `options.passkey_options.webauthn` in the HTTP contract, section 11.5.
public enum CeremonyPolicy: String, Hashable, Sendable, CaseIterable {
    case userVerification = "user_verification"
    case allowCrossOrigin = "allow_cross_origin"
    case allowedTopOrigins = "allowed_top_origins"
    case algorithms
    case attestationFormats = "attestation_formats"
    case unknownAttestation = "unknown_attestation"
    case allowSHA1Attestation = "allow_sha1_attestation"
    /// Also that a chain must hold, and the model's status.
    case requireTrustedAttestation = "require_trusted_attestation"
    case allowedAAGUIDs = "allowed_aaguids"
    case deniedAAGUIDs = "denied_aaguids"
    case requireBackupEligible = "require_backup_eligible"
    case backupEligibility = "backup_eligibility"
    case counterPolicy = "counter_policy"
    case maximumPerUser = "max_passkeys_per_user"
    case unprovenUserVerificationLogin = "uv_unproven_login"
}
