internal import CBOR
internal import COSE
internal import Cryptography

/// Format `fido-u2f` (WebAuthn L3 §8.6): what a U2F device signs when it registers.
struct FIDOU2FAttestation: AttestationFormat {
    let identifier = "fido-u2f"

    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome {
        let signature = try attested.members.requiredBytes("sig")
        // 2. There is one certificate, and its key is on P-256.
        let leaf = try Self.certificate(attested)
        try Self.checkKey(leaf)
        // 4. So is the credential's: its coordinates become the raw form of U2F.
        let point = try Self.point(attested)
        // U2F has no models: a client that speaks it writes zeros (CTAP 2.1 §7.1).
        guard attested.credential.aaguid == .zero else {
            throw AttestationFault("the AAGUID is \(attested.credential.aaguid), and a U2F device has none")
        }
        // 5 and 6. The device signed the registration message.
        try leaf.checkSigned(Self.verificationData(attested, point), signature, .es256)
        // 7 and 8. Whether a maker or an attestation CA certified the key cannot be seen here.
        return AttestationOutcome(format: identifier, type: .basic, trustPath: [leaf])
    }

    /// The only certificate.
    static func certificate(_ attested: Attested) throws(AttestationFault) -> Certificate {
        let (leaf, path) = try AttestationCertificate.path(attested.members["x5c"])
        guard path.count == 1 else { throw AttestationFault("x5c has \(path.count) certificates, not one") }
        return leaf
    }

    static func checkKey(_ leaf: Certificate) throws(AttestationFault) {
        guard case .ec(.p256, _, _) = leaf.publicKey.components else {
            throw AttestationFault("the certificate's key is not on P-256")
        }
    }

    /// The credential's key as a raw point: `04`, then both coordinates of 32 bytes.
    static func point(_ attested: Attested) throws(AttestationFault) -> [UInt8] {
        guard case .ec(.p256, let x, let y) = attested.key.verifyingKey.components else {
            throw AttestationFault("the credential's key is not on P-256")
        }
        return [0x04] + x + y
    }

    /// The registration message (FIDO U2F raw message formats §4.3).
    static func verificationData(_ attested: Attested, _ point: [UInt8]) -> [UInt8] {
        var data: [UInt8] = [0x00]
        data += attested.authenticatorData.rpIDHash
        data += attested.clientDataHash
        data += attested.credential.credentialID
        data += point
        return data
    }
}
