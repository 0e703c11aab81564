internal import COSE
internal import Cryptography

/// The public area of a key in a TPM: a `TPMT_PUBLIC` (TPM 2.0 Part 2 §12.2.4) of an RSA or ECC key.
struct TPMPublicArea {
    /// All of it, as the TPM hashes it.
    let bytes: [UInt8]
    let key: PublicKeyComponents
    /// The hash function of the key's name (`TPM_ALG_ID`).
    let nameAlgorithm: UInt16
    /// `TPMA_OBJECT`: what the key may be used for.
    let objectAttributes: UInt32
    let authPolicy: ArraySlice<UInt8>

    /// `TPM_ALG_NULL`.
    private static let null: UInt16 = 0x0010

    init(decoding bytes: [UInt8]) throws(AttestationFault) {
        self.bytes = bytes
        var reader = TPMReader(bytes, "pubArea")
        let type = try reader.uint16()
        nameAlgorithm = try reader.uint16()
        // What the key may be used for, and when, is not judged: it signed the ceremony's data.
        objectAttributes = try reader.uint32()
        authPolicy = try reader.buffer()
        switch type {
        case 0x0001: key = try Self.rsa(&reader)
        case 0x0023: key = try Self.ecc(&reader)
        default: throw AttestationFault("pubArea is of no RSA or ECC key")
        }
        try reader.finish()
    }

    /// It is of the credential's key.
    func checkIsOf(_ credential: COSEKey) throws(AttestationFault) {
        guard key == credential.verifyingKey.components else {
            throw AttestationFault("pubArea is not of the credential's key")
        }
    }

    /// `TPMS_RSA_PARMS` (§12.2.3.5), then the modulus.
    private static func rsa(_ reader: inout TPMReader) throws(AttestationFault) -> PublicKeyComponents {
        try skipSymmetric(&reader)
        try skipScheme(&reader)
        let bits = try reader.uint16()
        let written = try reader.uint32()
        let modulus = try reader.buffer().drop { $0 == 0 }
        guard modulus.count * 8 == Int(bits) else { throw AttestationFault("pubArea has a modulus of another length") }
        // Zero stands for the usual exponent.
        let exponent = written == 0 ? 65537 : written
        let digits = (0..<4).map { UInt8(truncatingIfNeeded: exponent >> (24 - 8 * UInt32($0))) }
        return .rsa(modulus: Array(modulus), exponent: Array(digits.drop { $0 == 0 }))
    }

    /// `TPMS_ECC_PARMS` (§12.2.3.6), then the point.
    private static func ecc(_ reader: inout TPMReader) throws(AttestationFault) -> PublicKeyComponents {
        try skipSymmetric(&reader)
        try skipScheme(&reader)
        let curve: EllipticCurve
        switch try reader.uint16() {
        case 0x0003: curve = .p256
        case 0x0004: curve = .p384
        case 0x0005: curve = .p521
        default: throw AttestationFault("pubArea is on no curve that is known")
        }
        // The key derivation scheme.
        try skipScheme(&reader)
        let x = try coordinate(&reader, on: curve)
        return .ec(curve, x: x, y: try coordinate(&reader, on: curve))
    }

    /// A coordinate, which a TPM may write without its leading zeros, or with more of them.
    private static func coordinate(
        _ reader: inout TPMReader,
        on curve: EllipticCurve
    ) throws(AttestationFault) -> [UInt8] {
        let digits = try reader.buffer().drop { $0 == 0 }
        guard digits.count <= curve.coordinateByteCount else {
            throw AttestationFault("pubArea has a coordinate that is too long")
        }
        return [UInt8](repeating: 0, count: curve.coordinateByteCount - digits.count) + digits
    }

    /// `TPMT_SYM_DEF_OBJECT`: a signing key has none.
    private static func skipSymmetric(_ reader: inout TPMReader) throws(AttestationFault) {
        guard try reader.uint16() == null else { throw AttestationFault("pubArea is of a key that encrypts") }
    }

    /// `TPMT_RSA_SCHEME`, `TPMT_ECC_SCHEME` or `TPMT_KDF_SCHEME`: which algorithm, and its hash function.
    private static func skipScheme(_ reader: inout TPMReader) throws(AttestationFault) {
        switch try reader.uint16() {
        case null, 0x0015: break  // Nothing follows TPM_ALG_NULL and TPM_ALG_RSAES.
        case 0x001A: _ = try reader.uint32()  // TPM_ALG_ECDAA has a counter beside its hash.
        default: _ = try reader.uint16()
        }
    }
}
