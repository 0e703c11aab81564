internal import CBOR
internal import COSE
internal import Cryptography

/// Format `tpm` (WebAuthn L3 §8.3): a TPM 2.0 certified that the credential's key lives in it.
struct TPMAttestation: AttestationFormat {
    let identifier = "tpm"

    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome {
        let statement = attested.members
        guard let version = statement["ver"]?.text, version.hasSameBytes(as: "2.0") else {
            throw AttestationFault("ver is not 2.0")
        }
        let algorithm = try statement.signatureAlgorithm(allowingRS1: true)
        let signature = try statement.requiredBytes("sig")
        // ECDAA was taken out of the specification.
        guard statement["ecdaaKeyId"] == nil else { throw AttestationFault("ecdaaKeyId is present") }
        let (leaf, path) = try AttestationCertificate.path(statement["x5c"])
        let publicArea = try TPMPublicArea(decoding: try statement.requiredBytes("pubArea"))
        let certInfo = try statement.requiredBytes("certInfo")

        // 2. The public area is of the credential's key.
        guard publicArea.key == attested.key.verifyingKey.components else {
            throw AttestationFault("pubArea is not of the credential's key")
        }
        // 3 and 4. The TPM certified this public area, for this authenticator data and this client data.
        guard let hash = TPMHash(of: algorithm) else {
            throw AttestationFault("alg \(algorithm.rawValue) is none that a TPM signs with")
        }
        let certified = try TPMCertification(decoding: certInfo)
        guard certified.extraData == hash.digest(attested.signedBytes)[...] else {
            throw AttestationFault("extraData is not the hash of authenticator data and client data")
        }
        let nameHash = try certified.nameHash(of: publicArea)
        // 5. The attestation key signed that.
        let plain = TPMSignature.unwrapped(signature, by: algorithm, hash)
        try leaf.checkSigned(certInfo, plain ?? signature, algorithm)
        // 6. Its certificate is one of such keys, and for this model where it names one.
        try TPMCertificate.checkRequirements(leaf, allowingTestMaker: attested.acceptsTestTPMs)
        try AttestationCertificate.checkModel(leaf, aaguid: attested.credential.aaguid)
        return AttestationOutcome(
            format: identifier,
            type: .attestationCA,
            trustPath: path,
            usesSHA1: hash == .sha1 || nameHash == .sha1
        )
    }
}
