internal import CBOR
internal import COSE
internal import Cryptography

/// Format `android-key` (WebAuthn L3 §8.4): Android's key store certified the credential's key.
struct AndroidKeyAttestation: AttestationFormat {
    let identifier = "android-key"

    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome {
        let statement = attested.members
        let algorithm = try statement.signatureAlgorithm()
        let signature = try statement.requiredBytes("sig")
        let (leaf, path) = try AttestationCertificate.path(statement["x5c"])
        // 2. The key of the first certificate signed.
        try leaf.checkSigned(attested.signedBytes, signature, algorithm)
        // 3. It is the credential's key.
        try leaf.checkIsForKey(attested.key)
        // 4. The key was made for this client data.
        let description = try AndroidKeyDescription(leaf)
        try description.checkChallenge(attested)
        // 5. It serves one RP, was made where it lives, and signs.
        try description.checkApplications()
        try description.checkOrigin(hardwareOnly: attested.requiresHardwareKeys)
        try description.checkPurpose(hardwareOnly: attested.requiresHardwareKeys)
        return AttestationOutcome(format: identifier, type: .basic, trustPath: path)
    }
}
