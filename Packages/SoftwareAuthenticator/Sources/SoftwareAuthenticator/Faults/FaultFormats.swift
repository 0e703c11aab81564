/// Which attestations can have which fault.
extension Fault {
    /// Whether only an authenticator that attests can have it.
    public var needsAttestation: Bool {
        switch scope {
        case .any, .none: false
        case .certificates, .formats: true
        }
    }

    /// The formats that alone can have it, sorted; none when it is not about one of them.
    public var formats: [String] {
        switch scope {
        case .any: []
        case .none: ["none"]
        case .certificates:
            ["android-key", "android-safetynet", "apple", "compound", "fido-u2f", "packed", "tpm"]
        case .formats(let formats): formats.sorted()
        }
    }

    /// Whether a response with this attestation can have it. A compound one has the fault in its last statement.
    public func applies(to attestation: AuthenticatorProfile.Attestation) -> Bool {
        if case .compound(let parts) = attestation {
            switch self {
            case .compoundOneStatement, .compoundNested: return true
            default: return parts.last.map(applies) ?? false
            }
        }
        switch scope {
        case .any: return true
        case .none: return if case .none = attestation { true } else { false }
        case .certificates:
            switch attestation {
            case .none, .packedSelf: return false
            default: return true
            }
        case .formats(let formats):
            if case .packedSelf = attestation {
                switch self {
                // What names another key than the credential's, or its certificate.
                case .attestationSignatureByCredential, .attestationSignatureByOtherKey, .attestationPathMissing,
                    .attestationPathDisordered, .attestationCertificateForOtherModel,
                    .attestationCertificateSubjectWrong, .attestationCertificateOfAuthority,
                    .attestationCertificateUnconstrained, .attestationCertificateModelCritical,
                    .attestationIntermediateExpired:
                    return false
                default: break
                }
            }
            return formats.contains(attestation.format)
        }
    }

    /// Whether it is in the certificates, so that they are made anew for it.
    var isOfCertificates: Bool {
        switch self {
        case .attestationPathDisordered, .attestationCertificateForOtherModel, .attestationCertificateOfAuthority,
            .attestationCertificateUnconstrained, .attestationCertificateModelCritical,
            .attestationCertificateSubjectWrong, .attestationChainUntrusted, .attestationCertificateExpired,
            .attestationCertificateNotYetValid, .attestationIntermediateExpired:
            true
        default: false
        }
    }

    /// Whether only a judge of chains minds it.
    var isOfTrust: Bool {
        switch self {
        case .attestationChainUntrusted, .attestationCertificateExpired, .attestationCertificateNotYetValid,
            .attestationIntermediateExpired:
            true
        default: false
        }
    }

    private enum Scope {
        /// Whatever attestation there is.
        case any
        /// Only where there is none.
        case none
        /// Whatever has certificates.
        case certificates
        case formats(Set<String>)
    }

    private var scope: Scope {
        switch self {
        case .noneStatementFilled: .none
        case .attestationChainUntrusted, .attestationCertificateExpired, .attestationCertificateNotYetValid:
            .certificates
        case .attestationIntermediateExpired: .formats(["packed", "tpm", "android-key", "android-safetynet", "apple"])
        case .attestationStatementEmpty:
            .formats(["packed", "fido-u2f", "tpm", "android-key", "android-safetynet", "apple"])
        case .attestationSignatureWrong, .attestationSignatureByOtherKey:
            .formats(["packed", "fido-u2f", "tpm", "android-key", "android-safetynet"])
        case .attestationSignatureMissing: .formats(["packed", "fido-u2f", "tpm", "android-key"])
        case .attestationSignatureByCredential: .formats(["packed", "fido-u2f"])
        case .attestationAlgorithmWrong, .attestationAlgorithmMissing: .formats(["packed", "tpm", "android-key"])
        case .attestationPathMissing, .attestationPathDisordered:
            .formats(["packed", "fido-u2f", "tpm", "android-key", "apple"])
        case .attestationPathEmpty:
            .formats(["packed", "fido-u2f", "tpm", "android-key", "android-safetynet", "apple"])
        case .attestationCertificateForOtherModel, .attestationCertificateOfAuthority,
            .attestationCertificateUnconstrained, .attestationCertificateModelCritical:
            .formats(["packed", "tpm"])
        case .attestationCertificateSubjectWrong: .formats(["packed", "tpm", "android-safetynet"])
        case .attestationCertificateOfOtherKey: .formats(["android-key", "apple"])
        case .tpmVersionWrong, .tpmMagicWrong, .tpmTypeWrong, .tpmExtraDataWrong, .tpmNameWrong,
            .tpmPublicAreaOfOtherKey, .tpmManufacturerUnknown, .tpmDeviceMissing, .tpmPurposeMissing:
            .formats(["tpm"])
        case .androidKeyDescriptionMissing, .androidKeyChallengeWrong, .androidKeyForAllApplications,
            .androidKeyImported, .androidKeyPurposeWrong:
            .formats(["android-key"])
        case .safetyNetVersionEmpty, .safetyNetResponseEmpty, .safetyNetNonceWrong, .safetyNetProfileMismatch,
            .safetyNetFromFuture, .safetyNetTooOld:
            .formats(["android-safetynet"])
        case .appleNonceMissing, .appleNonceWrong: .formats(["apple"])
        case .u2fModelNamed, .u2fCertificateTwice, .u2fCertificateCurveWrong: .formats(["fido-u2f"])
        case .compoundOneStatement, .compoundNested: .formats(["compound"])
        default: .any
        }
    }
}
