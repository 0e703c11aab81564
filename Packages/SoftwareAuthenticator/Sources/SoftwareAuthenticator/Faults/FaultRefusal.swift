public import WebAuthn

extension Fault {
    /// The refusal that it must meet.
    public var reason: CeremonyReason {
        switch self {
        case .idsDiffer, .credentialTypeWrong, .clientDataMissing, .clientDataNotBase64URL, .clientDataCut,
            .clientDataMemberTwice, .authenticatorDataCut, .authenticatorDataTooLong, .extensionDataMissing,
            .attestedDataMissing, .publicKeyIncomplete, .signatureEmpty, .userHandleMissing:
            .invalidResponse
        case .typeWrong: .typeMismatch
        case .challengeWrong, .challengePadded: .challengeMismatch
        case .originWrong: .originMismatch
        case .crossOrigin, .topOrigin: .crossOrigin
        case .rpIDWrong: .rpIDMismatch
        case .userPresenceMissing: .userPresenceMissing
        case .userVerificationMissing: .userVerificationMissing
        case .backedUpButNotEligible, .backupEligibilityChanged: .backupFlagsInvalid
        case .algorithmNotOffered: .algorithmNotAllowed
        case .attestationChainUntrusted, .attestationCertificateExpired, .attestationCertificateNotYetValid,
            .attestationIntermediateExpired, .attestationFormatUnknown:
            .authenticatorNotAllowed
        case .noneStatementFilled, .attestationStatementEmpty, .attestationSignatureWrong,
            .attestationSignatureMissing, .attestationSignatureByCredential, .attestationSignatureByOtherKey,
            .attestationAlgorithmWrong, .attestationAlgorithmMissing, .attestationPathMissing, .attestationPathEmpty,
            .attestationPathDisordered, .attestationCertificateForOtherModel, .attestationCertificateOfAuthority,
            .attestationCertificateUnconstrained, .attestationCertificateModelCritical,
            .attestationCertificateSubjectWrong, .attestationCertificateOfOtherKey, .tpmVersionWrong, .tpmMagicWrong,
            .tpmTypeWrong, .tpmExtraDataWrong, .tpmNameWrong, .tpmPublicAreaOfOtherKey, .tpmManufacturerUnknown,
            .tpmDeviceMissing, .tpmPurposeMissing, .androidKeyDescriptionMissing, .androidKeyChallengeWrong,
            .androidKeyForAllApplications, .androidKeyImported, .androidKeyPurposeWrong, .safetyNetVersionEmpty,
            .safetyNetResponseEmpty, .safetyNetNonceWrong, .safetyNetProfileMismatch, .safetyNetFromFuture,
            .safetyNetTooOld, .appleNonceMissing, .appleNonceWrong, .u2fModelNamed, .u2fCertificateTwice,
            .u2fCertificateCurveWrong, .compoundOneStatement, .compoundNested:
            .attestationInvalid
        case .credentialExists: .credentialExists
        case .userHandleWrong: .userHandleMismatch
        case .credentialUnknown: .unknownCredential
        case .credentialNotListed, .signatureWrong, .signatureByOtherKey, .clientDataChanged: .signatureInvalid
        case .counterStands, .counterWentBack: .counterRegression
        }
    }

    /// The ceremonies that it can happen in.
    public var ceremonies: [Ceremony] {
        switch self {
        case .idsDiffer, .credentialTypeWrong, .clientDataMissing, .clientDataNotBase64URL, .clientDataCut,
            .clientDataMemberTwice, .authenticatorDataCut, .authenticatorDataTooLong, .extensionDataMissing, .typeWrong,
            .challengeWrong, .challengePadded, .originWrong, .crossOrigin, .topOrigin, .rpIDWrong,
            .userPresenceMissing, .userVerificationMissing, .backedUpButNotEligible:
            [.registration, .authentication]
        case .signatureEmpty, .userHandleMissing, .userHandleWrong, .credentialUnknown, .credentialNotListed,
            .signatureWrong, .signatureByOtherKey, .clientDataChanged, .counterStands, .counterWentBack,
            .backupEligibilityChanged:
            [.authentication]
        case .attestedDataMissing, .publicKeyIncomplete, .algorithmNotOffered, .credentialExists: [.registration]
        default:
            // The attestation's.
            [.registration]
        }
    }
}
