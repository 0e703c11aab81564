internal import CBOR
internal import COSE
internal import Cryptography

/// Writes attestation objects (WebAuthn L3 §6.5.4).
struct AttestationStatementWriter {
    let attestation: AuthenticatorProfile.Attestation
    let credential: SoftwareCredential

    /// The attestation object over authenticator data and the hash of the client data.
    func object(
        _ authenticatorData: [UInt8],
        _ clientDataHash: [UInt8],
        _ fault: Fault?
    ) throws(AuthenticatorError) -> [UInt8] {
        let signed = authenticatorData + clientDataHash
        var (format, statement): (String, CBORMap)
        switch attestation {
        case .none: (format, statement) = ("none", CBORMap())
        case .packedSelf: (format, statement) = ("packed", try selfStatement(signed, fault))
        case .packed(let authority): (format, statement) = ("packed", try certifiedStatement(signed, authority, fault))
        }
        switch fault {
        case .noneStatementFilled:
            guard format == "none" else { throw .faultDoesNotApply }
            statement["sig"] = .bytes([0])
        case .attestationFormatUnknown: format = "unknown"
        case .attestationSignatureWrong:
            guard var signature = statement["sig"]?.bytes, let last = signature.indices.last else {
                throw .faultDoesNotApply
            }
            signature[last] ^= 1
            statement["sig"] = .bytes(signature)
        default: break
        }
        return CBOR.encode([
            "fmt": .text(format), "attStmt": .map(statement), "authData": .bytes(authenticatorData),
        ])
    }

    private func selfStatement(_ signed: [UInt8], _ fault: Fault?) throws(AuthenticatorError) -> CBORMap {
        var statement = CBORMap()
        var algorithm = credential.algorithm
        if fault == .attestationAlgorithmWrong { algorithm = algorithm == .es256 ? .edDSA : .es256 }
        statement["alg"] = .integer(algorithm.rawValue)
        statement["sig"] = .bytes(try credential.sign(signed))
        if fault == .attestationPathEmpty { statement["x5c"] = .array([]) }
        return statement
    }

    private func certifiedStatement(
        _ signed: [UInt8],
        _ authority: AttestationAuthority,
        _ fault: Fault?
    ) throws(AuthenticatorError) -> CBORMap {
        var statement = CBORMap()
        do throws(CryptographyError) {
            statement["alg"] = .integer(COSEAlgorithm.es256.rawValue)
            statement["sig"] = .bytes(try authority.batchKey.sign(signed, .es256))
            statement["x5c"] = .array([.bytes(try authority.certificate(fault).der)])
        } catch {
            throw .cryptography(error)
        }
        if fault == .attestationAlgorithmWrong { statement["alg"] = .integer(COSEAlgorithm.edDSA.rawValue) }
        if fault == .attestationPathEmpty { statement["x5c"] = .array([]) }
        return statement
    }
}

extension Fault {
    /// Whether only a statement with a certificate can have it.
    var needsAttestationCertificate: Bool {
        switch self {
        case .attestationCertificateForOtherModel, .attestationCertificateOfAuthority, .attestationChainUntrusted,
            .attestationCertificateExpired:
            true
        default: false
        }
    }

    /// Whether only a statement with a signature can have it.
    var needsAttestationSignature: Bool {
        switch self {
        case .attestationSignatureWrong, .attestationAlgorithmWrong, .attestationPathEmpty: true
        default: false
        }
    }
}
