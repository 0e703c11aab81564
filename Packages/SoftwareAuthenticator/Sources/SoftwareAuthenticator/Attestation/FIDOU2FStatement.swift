internal import CBOR
internal import COSE
internal import Cryptography

/// Format `fido-u2f` (WebAuthn L3 §8.6): what a client makes of the answer of a U2F device.
extension AttestationStatementWriter {
    func fidoU2F(_ authority: AttestationAuthority) throws(AuthenticatorError) -> CBORMap {
        guard case .ec(.p256, let x, let y) = credential.key.publicKey.components else { throw .noUsableAlgorithm }
        var message: [UInt8] = [0x00]
        message += authenticatorData.prefix(32)
        message += clientDataHash
        message += credential.id
        message.append(0x04)
        message += x
        message += y
        var (key, algorithm) = (authority.batchKey, COSEAlgorithm.es256)
        if fault == .u2fCertificateCurveWrong {
            algorithm = .es384
            key = try .another(for: algorithm)
        }
        let leaf = AttestationLeaf(subject: AttestationLeaf.maker("Latchkey software U2F device"))
        let path = try authority.path(leaf, key.publicKey, fault, byRoot: true)
        var statement = CBORMap()
        statement["sig"] = .bytes(try signature(message, by: key, algorithm))
        statement["x5c"] = (fault == .u2fCertificateTwice ? path + path : path).x5c
        return statement
    }
}
