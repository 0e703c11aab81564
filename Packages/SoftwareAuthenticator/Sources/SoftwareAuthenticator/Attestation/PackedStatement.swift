internal import CBOR
internal import COSE
internal import Cryptography

/// Format `packed` (WebAuthn L3 §8.2).
extension AttestationStatementWriter {
    func packedSelf() throws(AuthenticatorError) -> CBORMap {
        var algorithm = credential.algorithm
        if fault == .attestationAlgorithmWrong { algorithm = algorithm == .es256 ? .edDSA : .es256 }
        var statement = CBORMap()
        statement["alg"] = .integer(algorithm.rawValue)
        statement["sig"] = .bytes(try credential.sign(signed))
        return statement
    }

    func packed(_ authority: AttestationAuthority) throws(AuthenticatorError) -> CBORMap {
        var statement = CBORMap()
        let algorithm: COSEAlgorithm = fault == .attestationAlgorithmWrong ? .edDSA : .es256
        statement["alg"] = .integer(algorithm.rawValue)
        statement["sig"] = .bytes(try signature(signed, by: authority.batchKey, .es256))
        statement["x5c"] = try authority.batchPath(fault).x5c
        return statement
    }

    /// A signature of an attestation key, or of another one as the fault has it.
    func signature(
        _ message: [UInt8],
        by key: SigningKey,
        _ algorithm: COSEAlgorithm
    ) throws(AuthenticatorError) -> [UInt8] {
        switch fault {
        case .attestationSignatureByCredential: return try credential.sign(message)
        case .attestationSignatureByOtherKey:
            return try SoftwareCredential.sign(message, try .another(for: algorithm), algorithm)
        default: return try SoftwareCredential.sign(message, key, algorithm)
        }
    }
}

extension SigningKey {
    /// A new key for the algorithm. RS1 takes the keys that RS256 takes.
    static func another(for algorithm: COSEAlgorithm) throws(AuthenticatorError) -> SigningKey {
        try forCredential(algorithm == .rs1 ? .rs256 : algorithm, rsaBits: 2048)
    }
}
