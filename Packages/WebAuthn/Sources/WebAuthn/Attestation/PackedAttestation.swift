internal import CBOR
internal import COSE
internal import Cryptography

/// Format `packed` (WebAuthn L3 §8.2): a signature of a certified attestation key, or of the credential key itself.
struct PackedAttestation: AttestationFormat {
    let identifier = "packed"

    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome {
        let statement = attested.statement
        guard let algorithm = statement["alg"]?.integer, let algorithm = Int(exactly: algorithm) else {
            throw AttestationFault("alg is missing or no integer")
        }
        guard let signature = statement["sig"]?.bytes, !signature.isEmpty else {
            throw AttestationFault("sig is missing, empty or no byte string")
        }
        // ECDAA was taken out of the specification; a statement that claims it must not pass as self attestation.
        guard statement["ecdaaKeyId"] == nil else { throw AttestationFault("ecdaaKeyId is present") }
        if let x5c = statement["x5c"] {
            return try certified(attested, x5c, COSEAlgorithm(rawValue: algorithm), signature)
        }
        return try selfSigned(attested, COSEAlgorithm(rawValue: algorithm), signature)
    }

    /// x5c is present: the attestation key of its first certificate signed.
    private func certified(
        _ attested: Attested,
        _ x5c: CBORValue,
        _ algorithm: COSEAlgorithm,
        _ signature: [UInt8]
    ) throws(AttestationFault) -> AttestationOutcome {
        let path = try AttestationCertificate.path(x5c)
        guard let leaf = path.first else { throw AttestationFault("x5c is empty") }
        guard let signatureAlgorithm = algorithm.signatureAlgorithm(for: leaf.publicKey.components) else {
            throw AttestationFault("alg \(algorithm.rawValue) is not supported, or not for the certificate's key")
        }
        guard leaf.publicKey.isValid(signature[...], over: attested.signedBytes[...], signatureAlgorithm) else {
            throw AttestationFault("sig is not the attestation key's")
        }
        try AttestationCertificate.checkPackedRequirements(leaf, aaguid: attested.credential.aaguid)
        return AttestationOutcome(type: .basic, trustPath: path)
    }

    /// x5c is absent: the credential key signed.
    private func selfSigned(
        _ attested: Attested,
        _ algorithm: COSEAlgorithm,
        _ signature: [UInt8]
    ) throws(AttestationFault) -> AttestationOutcome {
        guard algorithm == attested.credential.algorithm else {
            throw AttestationFault(
                "alg is \(algorithm.rawValue), and the credential's \(attested.credential.algorithm.rawValue)"
            )
        }
        guard attested.key.isValid(signature[...], over: attested.signedBytes[...]) else {
            throw AttestationFault("sig is not the credential key's")
        }
        return AttestationOutcome(type: .selfAttestation, trustPath: [])
    }
}
