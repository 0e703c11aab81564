internal import CBOR
internal import Cryptography

/// The certificates of a statement.
enum AttestationCertificate {
    /// More certificates than any authenticator sends.
    private static let limit = 8
    /// `id-fido-gen-ce-aaguid`.
    private static let aaguidExtension = "1.3.6.1.4.1.45724.1.1.4"

    /// Parses `x5c`: a non-empty array of DER certificates, the attestation certificate first.
    static func path(_ x5c: CBORValue) throws(AttestationFault) -> [Certificate] {
        guard let elements = x5c.array, !elements.isEmpty else { throw AttestationFault("x5c is no array, or empty") }
        guard elements.count <= limit else { throw AttestationFault("x5c has \(elements.count) certificates") }
        var path: [Certificate] = []
        for (index, element) in elements.enumerated() {
            guard let der = element.bytes else { throw AttestationFault("x5c[\(index)] is no byte string") }
            do throws(CryptographyError) {
                path.append(try Certificate(der: der[...]))
            } catch {
                throw AttestationFault("x5c[\(index)] is no certificate: \(error)")
            }
        }
        return path
    }

    /// The requirements of a packed attestation certificate (WebAuthn L3 §8.2.1). Attributes are compared one by one,
    /// by their object identifiers: a printed name could hold the right text in the wrong place.
    static func checkPackedRequirements(_ leaf: Certificate, aaguid: AAGUID) throws(AttestationFault) {
        guard leaf.version == 3 else { throw AttestationFault("the certificate is version \(leaf.version), not 3") }
        for (oid, name) in [("2.5.4.6", "C"), ("2.5.4.10", "O"), ("2.5.4.3", "CN")] {
            guard leaf.subject.contains(where: { $0.oid == oid && !$0.value.isEmpty }) else {
                throw AttestationFault("the certificate's subject has no \(name)")
            }
        }
        let units = leaf.subject.filter { $0.oid == "2.5.4.11" }
        guard !units.isEmpty, units.allSatisfy({ $0.value.hasSameBytes(as: "Authenticator Attestation") }) else {
            throw AttestationFault("the certificate's subject has no OU of exactly Authenticator Attestation")
        }
        guard !leaf.isCA else { throw AttestationFault("the certificate is a CA's") }
        guard let certified = try certifiedAAGUID(leaf) else { return }
        guard certified == aaguid else {
            throw AttestationFault("the certificate is for AAGUID \(certified), and the credential for \(aaguid)")
        }
    }

    /// The AAGUID that a certificate is for, when it says so: not critical, an OCTET STRING in the extension's own.
    private static func certifiedAAGUID(_ leaf: Certificate) throws(AttestationFault) -> AAGUID? {
        guard let found = leaf.extensionValue(aaguidExtension) else { return nil }
        guard !found.critical else { throw AttestationFault("the certificate's AAGUID extension is critical") }
        guard found.value.count == 18, found.value.starts(with: [0x04, 0x10]),
            let aaguid = AAGUID(found.value.dropFirst(2))
        else {
            throw AttestationFault("the certificate's AAGUID extension is no OCTET STRING of 16 bytes")
        }
        return aaguid
    }
}
