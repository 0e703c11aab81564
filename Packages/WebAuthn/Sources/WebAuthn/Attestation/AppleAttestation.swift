internal import CBOR
internal import COSE
internal import Cryptography

/// Format `apple` (WebAuthn L3 §8.8): Apple's anonymization CA certified this one credential.
struct AppleAttestation: AttestationFormat {
    let identifier = "apple"
    /// Holds the nonce.
    static let nonceExtension = "1.2.840.113635.100.8.2"

    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome {
        let (leaf, path) = try AttestationCertificate.path(attested.members["x5c"])
        // 2 to 4. The CA saw this authenticator data and this client data.
        try Self.checkNonce(leaf, attested)
        // 5. It certified the credential's key.
        try leaf.checkIsForKey(attested.key)
        return AttestationOutcome(format: identifier, type: .anonymizationCA, trustPath: path)
    }

    static func checkNonce(_ leaf: Certificate, _ attested: Attested) throws(AttestationFault) {
        guard try nonce(leaf) == SHA256.hash(attested.signedBytes)[...] else {
            throw AttestationFault("the certificate's nonce is not the hash of authenticator data and client data")
        }
    }

    /// The nonce that a certificate holds.
    static func nonce(_ leaf: Certificate) throws(AttestationFault) -> ArraySlice<UInt8> {
        guard let found = leaf.extensionValue(nonceExtension) else {
            throw AttestationFault("the certificate has no nonce")
        }
        guard let certified = nonce(found.value) else {
            throw AttestationFault("the certificate's nonce is no OCTET STRING tagged [1] in a SEQUENCE")
        }
        return certified
    }

    /// `SEQUENCE { [1] EXPLICIT OCTET STRING }`.
    static func nonce(_ value: [UInt8]) -> ArraySlice<UInt8>? {
        do throws(CryptographyError) {
            let sequence = try DERReader.single(value[...])
            guard sequence.tag == .sequence else { return nil }
            let tagged = try DERReader.single(sequence.content)
            guard tagged.tag == .context(1) else { return nil }
            let nonce = try DERReader.single(tagged.content)
            return nonce.tag == .octetString ? nonce.content : nil
        } catch {
            return nil
        }
    }
}
