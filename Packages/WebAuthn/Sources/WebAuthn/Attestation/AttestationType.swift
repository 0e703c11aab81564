/// What an attestation statement says about the key that made it (WebAuthn L3 §6.5.3).
public enum AttestationType: String, Hashable, Sendable, CaseIterable {
    /// Nothing.
    case none
    /// The credential's own key signed.
    case selfAttestation = "self"
    /// A batch key of the maker signed, under a certificate. Statements that an attestation CA made look the same.
    case basic
    /// A key that an attestation CA certified.
    case attestationCA = "attca"
    /// A key that an anonymization CA certified for this one credential.
    case anonymizationCA = "anonca"
}
