internal import CBOR
internal import COSE
internal import Cryptography

/// One attestation statement format (WebAuthn L3 §8): how a statement is verified.
protocol AttestationFormat: Sendable {
    /// The identifier in `fmt`.
    var identifier: String { get }

    /// Runs the format's verification procedure. The chain is judged by the caller.
    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome
}

/// The formats that this build verifies.
enum AttestationFormats {
    static let built: [any AttestationFormat] = [NoneAttestation(), PackedAttestation()]

    static func named(_ identifier: String) -> (any AttestationFormat)? {
        built.first { $0.identifier.hasSameBytes(as: identifier) }
    }
}

/// What a verification procedure is given.
struct Attested {
    let statement: CBORMap
    let authenticatorData: AuthenticatorData
    let credential: AttestedCredentialData
    /// The credential's key, whose algorithm was offered.
    let key: COSEKey
    let clientDataHash: [UInt8]

    /// What attestation signatures are made over, in most formats.
    var signedBytes: [UInt8] { authenticatorData.bytes + clientDataHash }
}

/// What a verification procedure returns (§6.5.4): the type, and the trust path, which is empty for none and self.
struct AttestationOutcome {
    let type: AttestationType
    /// The attestation certificate first, then those that certify it.
    let trustPath: [Certificate]
}

/// Why a statement does not verify: one line, made of our own words.
struct AttestationFault: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
