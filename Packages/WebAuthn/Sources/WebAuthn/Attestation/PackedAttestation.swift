internal import CBOR
internal import COSE
internal import Cryptography

/// Format `packed` (WebAuthn L3 §8.2): a signature of a certified attestation key, or of the credential key itself.
struct PackedAttestation: AttestationFormat {
    let identifier = "packed"

    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome {
        let statement = attested.members
        let algorithm = try statement.signatureAlgorithm()
        let signature = try statement.requiredBytes("sig")
        // ECDAA was taken out of the specification; a statement that claims it must not pass as self attestation.
        guard statement["ecdaaKeyId"] == nil else { throw AttestationFault("ecdaaKeyId is present") }
        if let x5c = statement["x5c"] { return try certified(attested, x5c, algorithm, signature) }
        return try selfSigned(attested, algorithm, signature)
    }

    /// x5c is present: the attestation key of its first certificate signed.
    private func certified(
        _ attested: Attested,
        _ x5c: CBORValue,
        _ algorithm: COSEAlgorithm,
        _ signature: [UInt8]
    ) throws(AttestationFault) -> AttestationOutcome {
        let (leaf, path) = try AttestationCertificate.path(x5c)
        try leaf.checkSigned(attested.signedBytes, signature, algorithm)
        try AttestationCertificate.checkPackedRequirements(leaf, aaguid: attested.credential.aaguid)
        return AttestationOutcome(format: identifier, type: .basic, trustPath: path)
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
        return AttestationOutcome(format: identifier, type: .selfAttestation)
    }
}
