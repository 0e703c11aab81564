internal import CBOR
internal import COSE
internal import Cryptography
internal import WebAuthn

/// Writes attestation objects (WebAuthn L3 §6.5.4).
struct AttestationStatementWriter {
    let attestation: AuthenticatorProfile.Attestation
    let credential: SoftwareCredential
    let authenticatorData: [UInt8]
    let clientDataHash: [UInt8]
    let fault: Fault?

    /// What attestation signatures are made over, in most formats.
    var signed: [UInt8] { authenticatorData + clientDataHash }

    /// The attestation object over authenticator data and the hash of the client data.
    func object() throws(AuthenticatorError) -> [UInt8] {
        var (format, statement) = try statement(attestation)
        if fault == .attestationFormatUnknown { format = "unknown" }
        if fault == .noneStatementFilled {
            guard case .none = attestation else { throw .faultDoesNotApply }
            statement = ["sig": .bytes([0])]
        }
        return CBOR.encode(["fmt": .text(format), "attStmt": statement, "authData": .bytes(authenticatorData)])
    }

    private func statement(
        _ attestation: AuthenticatorProfile.Attestation
    ) throws(AuthenticatorError) -> (format: String, statement: CBORValue) {
        var statement: CBORMap
        switch attestation {
        case .none: statement = CBORMap()
        case .packedSelf: statement = try packedSelf()
        case .packed(let authority): statement = try packed(authority)
        case .fidoU2F(let authority): statement = try fidoU2F(authority)
        case .tpm(let authority, let tpm): statement = try self.tpm(authority, tpm)
        case .androidKey(let authority, let list): statement = try androidKey(authority, enforcedBy: list)
        case .androidSafetyNet(let authority, let service): statement = try safetyNet(authority, service)
        case .apple(let authority): statement = try apple(authority)
        case .compound(let attestations): return (attestation.format, .array(try compound(attestations)))
        }
        try spoil(&statement)
        return (attestation.format, .map(statement))
    }

    /// Several statements (§8.9). A fault is in the last of them, but one of trust in all: one chain is enough.
    private func compound(_ attestations: [AuthenticatorProfile.Attestation]) throws(AuthenticatorError) -> [CBORValue]
    {
        var parts: [CBORValue] = []
        for (index, attestation) in attestations.enumerated() {
            let isLast = index == attestations.count - 1
            let writer = AttestationStatementWriter(
                attestation: attestation,
                credential: credential,
                authenticatorData: authenticatorData,
                clientDataHash: clientDataHash,
                fault: isLast || fault?.isOfTrust == true ? fault : nil
            )
            let (format, statement) = try writer.statement(attestation)
            parts.append(["fmt": .text(format), "attStmt": statement])
        }
        switch fault {
        case .compoundOneStatement: return Array(parts.prefix(1))
        case .compoundNested: return parts + [["fmt": "compound", "attStmt": []]]
        default: return parts
        }
    }

    /// What can be wrong with the members of a statement, whatever its format.
    private func spoil(_ statement: inout CBORMap) throws(AuthenticatorError) {
        switch fault {
        case .attestationStatementEmpty: statement = CBORMap()
        case .attestationSignatureWrong:
            // A response of SafetyNet has its signature inside, at its end.
            for member in ["sig", "response"] as [CBORValue] {
                guard var signature = statement[member]?.bytes, signature.count > 8 else { continue }
                if member == "response" {
                    // The text of another byte: of the last characters some bits count for nothing.
                    let index = signature.count - 8
                    signature[index] = signature[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                } else {
                    signature[signature.count - 1] ^= 1
                }
                statement[member] = .bytes(signature)
                return
            }
            throw .faultDoesNotApply
        case .attestationSignatureMissing: statement["sig"] = nil
        case .attestationAlgorithmMissing: statement["alg"] = nil
        case .attestationPathMissing: statement["x5c"] = nil
        case .attestationPathEmpty: statement["x5c"] = .array([])
        default: break
        }
    }
}

extension [Certificate] {
    /// As `x5c` has them.
    var x5c: CBORValue { .array(map { .bytes($0.der) }) }
}
