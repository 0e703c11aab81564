internal import COSE
internal import Cryptography

extension AuthenticatorProfile {
    /// How an authenticator attests what it makes: one case for each format (WebAuthn L3 §8).
    public indirect enum Attestation: Sendable {
        case none
        /// Format `packed`, signed by the credential's own key.
        case packedSelf
        /// Format `packed`, signed by a batch key under a local authority.
        case packed(AttestationAuthority)
        /// Format `fido-u2f`: ES256 alone, and the AAGUID is zero whatever the profile says.
        case fidoU2F(AttestationAuthority)
        /// Format `tpm`, signed by the attestation key of a TPM.
        case tpm(AttestationAuthority, SoftwareTPM)
        /// Format `android-key`, with the key's properties in either list.
        case androidKey(AttestationAuthority, enforcedBy: AndroidKeyEnforcement)
        /// Format `android-safetynet`, signed by a service.
        case androidSafetyNet(AttestationAuthority, SafetyNetService)
        /// Format `apple`, with a certificate of the credential's key.
        case apple(AttestationAuthority)
        /// Format `compound`: each of these, which are not compound themselves.
        case compound([Attestation])
    }
}

/// Which list of an Android key description says what the key is and does.
public enum AndroidKeyEnforcement: Sendable {
    case hardware, software
}

extension AuthenticatorProfile.Attestation {
    /// The identifier of the format.
    public var format: String {
        switch self {
        case .none: "none"
        case .packedSelf, .packed: "packed"
        case .fidoU2F: "fido-u2f"
        case .tpm: "tpm"
        case .androidKey: "android-key"
        case .androidSafetyNet: "android-safetynet"
        case .apple: "apple"
        case .compound: "compound"
        }
    }

    /// Whether it is, or has among others, a statement of a U2F device.
    var isOfU2F: Bool {
        switch self {
        case .fidoU2F: true
        case .compound(let parts): parts.contains(where: \.isOfU2F)
        default: false
        }
    }

    /// Whether a credential of the algorithm can be attested so.
    func suits(_ algorithm: COSEAlgorithm) -> Bool {
        switch self {
        case .none, .packedSelf, .packed, .androidSafetyNet, .apple: true
        case .fidoU2F: algorithm.signatureAlgorithm == .es256
        case .tpm, .androidKey:
            switch algorithm.signatureAlgorithm {
            case .es256, .es384, .es512, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: true
            default: false
            }
        case .compound(let parts): parts.allSatisfy { $0.suits(algorithm) }
        }
    }
}
