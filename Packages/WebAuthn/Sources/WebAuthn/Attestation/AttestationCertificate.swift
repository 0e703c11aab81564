internal import CBOR
internal import COSE
internal import Cryptography

/// The certificates of a statement.
enum AttestationCertificate {
    /// More certificates than any authenticator sends.
    private static let limit = 8

    /// Parses `x5c`: a non-empty array of DER certificates, the attestation certificate first.
    static func path(
        _ x5c: CBORValue?
    ) throws(AttestationFault) -> (leaf: Certificate, path: [Certificate]) {
        guard let elements = x5c?.array else { throw AttestationFault("x5c is missing or no array") }
        var certificates: [[UInt8]] = []
        for (index, element) in elements.enumerated() {
            guard let der = element.bytes else { throw AttestationFault("x5c[\(index)] is no byte string") }
            certificates.append(der)
        }
        return try path(der: certificates)
    }

    /// Parses DER certificates, the attestation certificate first. There must be one.
    static func path(
        der certificates: [[UInt8]]
    ) throws(AttestationFault) -> (leaf: Certificate, path: [Certificate]) {
        guard certificates.count <= limit else {
            throw AttestationFault("x5c has \(certificates.count) certificates")
        }
        var path: [Certificate] = []
        for (index, der) in certificates.enumerated() {
            do throws(CryptographyError) {
                path.append(try Certificate(der: der[...]))
            } catch {
                throw AttestationFault("x5c[\(index)] is no certificate: \(error)")
            }
        }
        guard let leaf = path.first else { throw AttestationFault("x5c is empty") }
        return (leaf, path)
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
        let countries = leaf.subject.filter { $0.oid == "2.5.4.6" }
        guard countries.allSatisfy({ Self.isCountryCode($0.value) }) else {
            throw AttestationFault("the certificate's subject has a C that is no country code of ISO 3166")
        }
        let units = leaf.subject.filter { $0.oid == "2.5.4.11" }
        guard !units.isEmpty, units.allSatisfy({ $0.value.hasSameBytes(as: "Authenticator Attestation") }) else {
            throw AttestationFault("the certificate's subject has no OU of exactly Authenticator Attestation")
        }
        try checkIsNoAuthority(leaf)
        try AttestationExtension.checkFirmwareVersion(leaf)
        try AttestationExtension.checkSerialNumber(leaf)
        try AttestationExtension.checkModel(leaf, aaguid: aaguid)
    }

    /// Basic constraints are there and say that it is no CA (§8.2.1, §8.3.1).
    static func checkIsNoAuthority(_ leaf: Certificate) throws(AttestationFault) {
        guard let isCA = leaf.basicConstraintsCA else {
            throw AttestationFault("the certificate has no basic constraints")
        }
        guard !isCA else { throw AttestationFault("the certificate is a CA's") }
    }

    /// Two capital letters, as X.509 has the codes of ISO 3166.
    private static func isCountryCode(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}

extension Certificate {
    /// The certificate's key signed `message`, by the algorithm that the statement names.
    func checkSigned(
        _ message: [UInt8],
        _ signature: [UInt8],
        _ algorithm: COSEAlgorithm
    ) throws(AttestationFault) {
        guard let signatureAlgorithm = algorithm.signatureAlgorithm(for: publicKey.components) else {
            throw AttestationFault("alg \(algorithm.rawValue) is not supported, or not for the certificate's key")
        }
        guard publicKey.isValid(signature[...], over: message[...], signatureAlgorithm) else {
            throw AttestationFault("sig is not the attestation key's")
        }
    }

    /// The certificate is for the credential's own key.
    func checkIsForKey(_ key: COSEKey) throws(AttestationFault) {
        guard publicKey.components == key.verifyingKey.components else {
            throw AttestationFault("the certificate is not for the credential's key")
        }
    }
}
