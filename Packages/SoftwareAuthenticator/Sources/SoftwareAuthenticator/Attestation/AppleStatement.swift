internal import CBOR
internal import Cryptography

/// Format `apple` (WebAuthn L3 §8.8): a certificate of the credential's key, made for this one registration.
extension AttestationStatementWriter {
    func apple(_ authority: AttestationAuthority) throws(AuthenticatorError) -> CBORMap {
        var nonce = DERWriter()
        nonce.sequence { sequence in
            sequence.append(.context(1)) { tagged in
                tagged.octetString(fault == .appleNonceWrong ? Random.bytes(32) : SHA256.hash(signed))
            }
        }
        var leaf = AttestationLeaf(subject: AttestationLeaf.maker("Latchkey software anonymous attestation"))
        if fault != .appleNonceMissing { leaf.extensions = [(oid: "1.2.840.113635.100.8.2", value: nonce.bytes)] }
        let key =
            fault == .attestationCertificateOfOtherKey
            ? try SigningKey.another(for: credential.algorithm) : credential.key
        var statement = CBORMap()
        statement["x5c"] = try authority.path(leaf, key.publicKey, fault).x5c
        return statement
    }
}
