internal import CBOR
internal import COSE
internal import Cryptography

/// Format `fido-u2f` (WebAuthn L3 §8.6): what a U2F device signs when it registers.
struct FIDOU2FAttestation: AttestationFormat {
    let identifier = "fido-u2f"

    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome {
        let signature = try attested.members.requiredBytes("sig")
        // 2. There is one certificate, and its key is on P-256.
        let (leaf, path) = try AttestationCertificate.path(attested.members["x5c"])
        guard path.count == 1 else { throw AttestationFault("x5c has \(path.count) certificates, not one") }
        guard case .ec(.p256, _, _) = leaf.publicKey.components else {
            throw AttestationFault("the certificate's key is not on P-256")
        }
        // 4. So is the credential's: its coordinates become the raw form of U2F.
        guard case .ec(.p256, let x, let y) = attested.key.verifyingKey.components else {
            throw AttestationFault("the credential's key is not on P-256")
        }
        // U2F has no models: a client that speaks it writes zeros (CTAP 2.1 §7.1).
        guard attested.credential.aaguid == .zero else {
            throw AttestationFault("the AAGUID is \(attested.credential.aaguid), and a U2F device has none")
        }
        // 5 and 6. The device signed the registration message (FIDO U2F raw message formats §4.3).
        var verificationData: [UInt8] = [0x00]
        verificationData += attested.authenticatorData.rpIDHash
        verificationData += attested.clientDataHash
        verificationData += attested.credential.credentialID
        verificationData.append(0x04)
        verificationData += x
        verificationData += y
        try leaf.checkSigned(verificationData, signature, .es256)
        // 7 and 8. Whether a maker or an attestation CA certified the key cannot be seen here.
        return AttestationOutcome(format: identifier, type: .basic, trustPath: path)
    }
}
