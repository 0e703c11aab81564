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
    /// A credential id that is registered already: the first credential's here.
    case credentialExists

    // The attestation, of whatever format can have it.
    /// A format that nobody knows.
    case attestationFormatUnknown
    /// A statement of format none that is not empty.
    case noneStatementFilled
    /// A statement of another format that is empty.
    case attestationStatementEmpty
    /// The attestation signature is wrong.
    case attestationSignatureWrong
    /// The attestation signature is missing.
    case attestationSignatureMissing
    /// The credential's key made the signature that the attestation key owes.
    case attestationSignatureByCredential
    /// Another key than the certificate's made the signature.
    case attestationSignatureByOtherKey
    /// The statement's `alg` is not the key's.
    case attestationAlgorithmWrong
    /// The statement's `alg` is missing.
    case attestationAlgorithmMissing
    /// `x5c` is missing.
    case attestationPathMissing
    /// `x5c` is there and empty.
    case attestationPathEmpty
    /// `x5c` begins with the issuer's certificate.
    case attestationPathDisordered
    /// The attestation certificate is for another AAGUID.
    case attestationCertificateForOtherModel
    /// The attestation certificate is a CA's.
    case attestationCertificateOfAuthority
    /// The attestation certificate does not say that it is no CA's.
    case attestationCertificateUnconstrained
    /// The extension that names the AAGUID is critical.
    case attestationCertificateModelCritical
    /// The subject is not as the format has it: another unit, one where none may be, another host.
    case attestationCertificateSubjectWrong
    /// The certificate that should be the credential key's is of another key.
    case attestationCertificateOfOtherKey
    /// The chain ends at a root that nobody knows: a fault where trust is judged.
    case attestationChainUntrusted
    /// The attestation certificate has expired: a fault where trust is judged.
    case attestationCertificateExpired
    /// The attestation certificate is of the future: a fault where trust is judged.
    case attestationCertificateNotYetValid
    /// The intermediate's certificate has expired: a fault where trust is judged.
    case attestationIntermediateExpired

    // Format tpm.
    case tpmVersionWrong
    case tpmMagicWrong
    /// What was certified is no key.
    case tpmTypeWrong
    /// `extraData` is not the hash of what is attested.
    case tpmExtraDataWrong
    /// The name that was certified is another key's.
    case tpmNameWrong
    /// `pubArea` is another key's.
    case tpmPublicAreaOfOtherKey
    /// The certificate names a maker that the TCG does not know.
    case tpmManufacturerUnknown
    /// The certificate does not say which TPM it is.
    case tpmDeviceMissing
    /// The certificate is not for attestation keys.
    case tpmPurposeMissing

    // Format android-key.
    case androidKeyDescriptionMissing
    /// The key was made for other client data.
    case androidKeyChallengeWrong
    /// Any app may use the key.
    case androidKeyForAllApplications
    /// The key was imported.
    case androidKeyImported
    /// The key does not sign.
    case androidKeyPurposeWrong

    // Format android-safetynet.
    case safetyNetVersionEmpty
    case safetyNetResponseEmpty
    case safetyNetNonceWrong
    /// The service does not vouch for the device.
    case safetyNetProfileMismatch
    case safetyNetFromFuture
    /// The answer is more than a minute old.
    case safetyNetTooOld

    // Format apple.
    case appleNonceMissing
    case appleNonceWrong

    // Format fido-u2f.
    /// The AAGUID is not zero.
    case u2fModelNamed
    /// `x5c` has two certificates.
    case u2fCertificateTwice
    /// The certificate's key is not on P-256.
    case u2fCertificateCurveWrong

    // Format compound.
    case compoundOneStatement
    case compoundNested

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
}
