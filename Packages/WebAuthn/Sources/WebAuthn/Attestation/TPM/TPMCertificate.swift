internal import Cryptography

/// The certificate of an attestation key in a TPM.
enum TPMCertificate {
    /// `tcg-kp-AIKCertificate`.
    private static let attestationKeyPurpose = "2.23.133.8.3"
    private static let subjectAlternativeName = "2.5.29.17"
    /// `tcg-at-tpmManufacturer`.
    private static let manufacturer = "2.23.133.2.1"
    /// `tcg-at-tpmModel`.
    private static let model = "2.23.133.2.2"
    /// `tcg-at-tpmVersion`.
    private static let version = "2.23.133.2.3"

    /// The requirements of WebAuthn L3 §8.3.1.
    static func checkRequirements(_ leaf: Certificate, allowingTestMaker: Bool) throws(AttestationFault) {
        guard leaf.version == 3 else { throw AttestationFault("the certificate is version \(leaf.version), not 3") }
        guard leaf.subject.isEmpty else { throw AttestationFault("the certificate has a subject") }
        try checkDevice(leaf, allowingTestMaker: allowingTestMaker)
        let purposes: [String]?
        do throws(CryptographyError) {
            purposes = try leaf.extendedKeyUsages()
        } catch {
            throw AttestationFault("the certificate's extended key usage: \(error)")
        }
        guard purposes?.contains(attestationKeyPurpose) == true else {
            throw AttestationFault("the certificate's extended key usage has no tcg-kp-AIKCertificate")
        }
        try AttestationCertificate.checkIsNoAuthority(leaf)
    }

    /// The subject alternative name says which TPM it is (TCG EK Credential Profile §3.2.9): maker, model and version,
    /// as a directory name, and critical because there is no subject.
    private static func checkDevice(_ leaf: Certificate, allowingTestMaker: Bool) throws(AttestationFault) {
        guard let found = leaf.extensionValue(subjectAlternativeName) else {
            throw AttestationFault("the certificate has no subject alternative name")
        }
        guard found.critical else {
            throw AttestationFault("the certificate's subject alternative name is not critical")
        }
        let names: [GeneralName]
        do throws(CryptographyError) {
            names = try leaf.subjectAlternativeNames()
        } catch {
            throw AttestationFault("the certificate's subject alternative name: \(error)")
        }
        let directory = names.lazy.compactMap { if case .directory(let name) = $0 { name } else { nil } }.first
        guard let directory, let maker = directory[manufacturer].first, directory[model].first?.isEmpty == false,
            directory[version].first?.isEmpty == false
        else {
            throw AttestationFault("the certificate's subject alternative name lacks the TPM's maker, model or version")
        }
        guard TPMManufacturer.isRegistered(maker) || (allowingTestMaker && TPMManufacturer.isTest(maker)) else {
            throw AttestationFault("the certificate's TPM maker is none that the TCG has registered")
        }
    }
}
