public import WebAuthn

/// One thing that is wrong with a response, everything else being right: one for each refusal that a relying party
/// owes its clients.
public enum Fault: String, Hashable, Sendable, CaseIterable {
    // The form of the response.
    /// `id` and `rawId` differ.
    case idsDiffer
    /// `type` is not `public-key`.
    case credentialTypeWrong
    /// `response` lacks its `clientDataJSON`.
    case clientDataMissing
    /// `clientDataJSON` holds a character outside the alphabet.
    case clientDataNotBase64URL
    /// The client data is cut in the middle.
    case clientDataCut
    /// The client data has its `challenge` twice.
    case clientDataMemberTwice
    /// Authenticator data has a byte too few.
    case authenticatorDataCut
    /// Authenticator data has a byte too many.
    case authenticatorDataTooLong
    /// ED is set, and no extension data follows.
    case extensionDataMissing
    /// AT is not set at registration.
    case attestedDataMissing
    /// The public key lacks a coordinate, or its modulus.
    case publicKeyIncomplete
    /// The signature is empty.
    case signatureEmpty

    // What the client claims.
    case typeWrong
    case challengeWrong
    /// The challenge is spelled with padding.
    case challengePadded
    case originWrong
    /// The ceremony ran in another site's frame.
    case crossOrigin
    /// The ceremony names a page that framed it.
    case topOrigin

    // What the authenticator claims.
    case rpIDWrong
    case userPresenceMissing
    /// UV is 0: a fault where it is required.
    case userVerificationMissing
    /// BS is set without BE.
    case backedUpButNotEligible

    // Registration alone.
    /// The key is for an algorithm that was not offered.
    case algorithmNotOffered
    /// A statement of format none that is not empty.
    case noneStatementFilled
    /// The attestation signature is wrong.
    case attestationSignatureWrong
    /// The statement's `alg` is not the credential's.
    case attestationAlgorithmWrong
    /// `x5c` is there and empty.
    case attestationPathEmpty
    /// The attestation certificate is for another AAGUID.
    case attestationCertificateForOtherModel
    /// The attestation certificate is a CA's.
    case attestationCertificateOfAuthority
    /// The chain ends at a root that nobody knows: a fault where trust is judged.
    case attestationChainUntrusted
    /// The attestation certificate has expired: a fault where trust is judged.
    case attestationCertificateExpired
    /// A format that nobody knows.
    case attestationFormatUnknown
    /// A credential id that is registered already: the first credential's here.
    case credentialExists

    // Login alone.
    /// No user handle: a fault where the user was not known.
    case userHandleMissing
    /// Somebody else's user handle.
    case userHandleWrong
    /// A credential id that nobody knows: a fault where none were listed.
    case credentialUnknown
    /// A credential id that is not among those listed.
    case credentialNotListed
    /// A bit of the signature is wrong.
    case signatureWrong
    /// Another key signed.
    case signatureByOtherKey
    /// The client data was changed after signing.
    case clientDataChanged
    /// The counter is what it was: a fault where one is in use.
    case counterStands
    /// The counter is lower than it was: a fault where one is in use.
    case counterWentBack
    /// BE is not what it was at registration.
    case backupEligibilityChanged

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
        case .noneStatementFilled, .attestationSignatureWrong, .attestationAlgorithmWrong, .attestationPathEmpty,
            .attestationCertificateForOtherModel, .attestationCertificateOfAuthority:
            .attestationInvalid
        case .attestationChainUntrusted, .attestationCertificateExpired, .attestationFormatUnknown:
            .authenticatorNotAllowed
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
        case .attestedDataMissing, .publicKeyIncomplete, .algorithmNotOffered, .noneStatementFilled,
            .attestationSignatureWrong, .attestationAlgorithmWrong, .attestationPathEmpty,
            .attestationCertificateForOtherModel, .attestationCertificateOfAuthority, .attestationChainUntrusted,
            .attestationCertificateExpired, .attestationFormatUnknown, .credentialExists:
            [.registration]
        case .signatureEmpty, .userHandleMissing, .userHandleWrong, .credentialUnknown, .credentialNotListed,
            .signatureWrong, .signatureByOtherKey, .clientDataChanged, .counterStands, .counterWentBack,
            .backupEligibilityChanged:
            [.authentication]
        }
    }
}
