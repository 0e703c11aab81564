internal import CBOR
internal import COSE
internal import Cryptography

/// One attestation statement format (WebAuthn L3 §8): how a statement is verified.
protocol AttestationFormat: Sendable {
    /// The identifier in `fmt`.
    var identifier: String { get }

    /// Runs the format's verification procedure. The chain is judged by the caller, and so is what policy refuses.
    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome
}

/// The formats that this build verifies.
enum AttestationFormats {
    static let built: [any AttestationFormat] = [
        NoneAttestation(), PackedAttestation(), TPMAttestation(), AndroidKeyAttestation(),
        AndroidSafetyNetAttestation(), AppleAttestation(), FIDOU2FAttestation(), CompoundAttestation(),
    ]
    /// What a policy that names no formats allows: all but `android-safetynet`, whose maker retired it.
    static let standard = built.map(\.identifier).filter { $0 != AndroidSafetyNetAttestation.name }

    static func named(_ identifier: String) -> (any AttestationFormat)? {
        built.first { $0.identifier.hasSameBytes(as: identifier) }
    }
}

/// What a verification procedure is given.
struct Attested {
    /// A map; for `compound` an array.
    let statement: CBORValue
    let authenticatorData: AuthenticatorData
    let credential: AttestedCredentialData
    /// The credential's key, whose algorithm was offered.
    let key: COSEKey
    let clientDataHash: [UInt8]
    /// What policy asks of single formats: ``AttestationPolicy/requiresHardwareKeys``, and
    /// ``AttestationPolicy/acceptsTestTPMs``.
    let requiresHardwareKeys: Bool
    let acceptsTestTPMs: Bool
    /// Unix seconds.
    let time: Int64

    /// The members of the statement; none when it is no map.
    var members: CBORMap { statement.map ?? CBORMap() }

    /// What attestation signatures are made over, in most formats.
    var signedBytes: [UInt8] { authenticatorData.bytes + clientDataHash }

    /// The same with one of the statements of a compound one.
    func with(_ statement: CBORValue) -> Attested {
        Attested(
            statement: statement,
            authenticatorData: authenticatorData,
            credential: credential,
            key: key,
            clientDataHash: clientDataHash,
            requiresHardwareKeys: requiresHardwareKeys,
            acceptsTestTPMs: acceptsTestTPMs,
            time: time
        )
    }
}

/// What a verification procedure returns (§6.5.4): the type, and the trust path, which is empty for none and self.
struct AttestationOutcome {
    let format: String
    let type: AttestationType
    /// The attestation certificate first, then those that certify it.
    var trustPath: [Certificate] = []
    /// Whether a hash in the statement is SHA-1, which only policy allows.
    var usesSHA1 = false
    /// What came of each statement of a compound one. Those of formats that are not built are of type none.
    var parts: [AttestationOutcome] = []
}

/// Why a statement does not verify: one line, made of our own words.
struct AttestationFault: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

extension CBORMap {
    /// A byte string of a statement that must be there and not be empty.
    func requiredBytes(_ name: String) throws(AttestationFault) -> [UInt8] {
        guard let bytes = self[.text(name)]?.bytes, !bytes.isEmpty else {
            throw AttestationFault("\(name) is missing, empty or no byte string")
        }
        return bytes
    }

    /// `alg` of a statement. RS1 is for TPMs alone, and whoever takes it says so.
    func signatureAlgorithm(allowingRS1: Bool = false) throws(AttestationFault) -> COSEAlgorithm {
        guard let number = self["alg"]?.integer, let number = Int(exactly: number) else {
            throw AttestationFault("alg is missing or no integer")
        }
        let algorithm = COSEAlgorithm(rawValue: number)
        guard allowingRS1 || algorithm != .rs1 else { throw AttestationFault("alg is RS1, which is for tpm alone") }
        return algorithm
    }
}
