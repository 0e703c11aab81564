/// Why a ceremony was refused: a closed list, whose raw values are the `reason` words of the HTTP contract.
///
/// Several faults may share one word, where telling them apart would tell who exists; ``CeremonyError/step`` and its
/// evidence keep them apart for the operator.
public enum CeremonyReason: String, Hashable, Sendable, CaseIterable {
    /// The response is not one: JSON members, base64url, client data, CBOR, lengths, keys.
    case invalidResponse = "invalid_authn_response"
    case typeMismatch = "type_mismatch"
    case challengeMismatch = "challenge_mismatch"
    case originMismatch = "origin_mismatch"
    case crossOrigin = "cross_origin"
    case rpIDMismatch = "rp_id_mismatch"
    case userPresenceMissing = "user_presence_missing"
    case userVerificationMissing = "user_verification_missing"
    /// BS without BE, or BE changed since registration.
    case backupFlagsInvalid = "backup_flags_invalid"
    case algorithmNotAllowed = "algorithm_not_allowed"
    case attestationInvalid = "attestation_invalid"
    /// The attestation is valid, and policy refuses the authenticator.
    case authenticatorNotAllowed = "authenticator_not_allowed"
    /// The store knows the credential id already.
    case credentialExists = "credential_exists"
    /// The store knows no such credential.
    case unknownCredential = "unknown_credential"
    case userHandleMismatch = "user_handle_mismatch"
    /// The signature is wrong, or the credential was not among those listed.
    case signatureInvalid = "signature_invalid"
    case counterRegression = "counter_regression"
    case userBlocked = "user_blocked"
    case userVerificationUnproven = "user_verification_unproven"

    /// The steps of WebAuthn L3 that refuse so, as `7.1 step 9`; empty where only this server's rules do.
    public var steps: [String] {
        switch self {
        case .invalidResponse:
            ["7.1 step 3", "7.1 step 6", "7.1 step 13", "7.2 step 3", "7.2 step 6", "7.2 step 7", "7.2 step 9"]
        case .typeMismatch: ["7.1 step 7", "7.2 step 10"]
        case .challengeMismatch: ["7.1 step 8", "7.2 step 11"]
        case .originMismatch: ["7.1 step 9", "7.2 step 12"]
        case .crossOrigin: ["7.1 step 10", "7.1 step 11", "7.2 step 13", "7.2 step 14"]
        case .rpIDMismatch: ["7.1 step 14", "7.2 step 15"]
        case .userPresenceMissing: ["7.1 step 15", "7.2 step 16"]
        case .userVerificationMissing: ["7.1 step 16", "7.2 step 17"]
        case .backupFlagsInvalid: ["7.1 step 17", "7.2 step 18", "7.2 step 19"]
        case .algorithmNotAllowed: ["7.1 step 20"]
        case .attestationInvalid: ["7.1 step 22"]
        case .authenticatorNotAllowed: ["7.1 step 18", "7.1 step 21", "7.1 step 24"]
        case .credentialExists: ["7.1 step 26"]
        case .unknownCredential, .userHandleMismatch: ["7.2 step 6"]
        case .signatureInvalid: ["7.2 step 5", "7.2 step 21"]
        case .counterRegression: ["7.2 step 22"]
        case .userBlocked, .userVerificationUnproven: []
        }
    }
}
