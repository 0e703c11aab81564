/// The parameter sets of ML-DSA (FIPS 204 §4, table 1), whose words the members carry.
public enum MLDSAParameterSet: String, Hashable, Sendable, CaseIterable {
    case mlDSA44 = "ML-DSA-44"
    case mlDSA65 = "ML-DSA-65"
    case mlDSA87 = "ML-DSA-87"

    /// The length of a public key in bytes.
    public var publicKeyByteCount: Int { 32 + k * 320 }

    /// The length of a signature in bytes.
    public var signatureByteCount: Int { commitmentByteCount + l * maskByteCount + omega + k }

    /// The length of the seed that is the private key, in bytes.
    public static let seedByteCount = 32

    /// The rows of the matrix.
    var k: Int {
        switch self {
        case .mlDSA44: 4
        case .mlDSA65: 6
        case .mlDSA87: 8
        }
    }

    /// The columns of the matrix.
    var l: Int {
        switch self {
        case .mlDSA44: 4
        case .mlDSA65: 5
        case .mlDSA87: 7
        }
    }

    /// The bound of the private key's coefficients.
    var eta: Int32 { self == .mlDSA65 ? 4 : 2 }

    /// How many coefficients of the challenge are 1 or -1.
    var tau: Int {
        switch self {
        case .mlDSA44: 39
        case .mlDSA65: 49
        case .mlDSA87: 60
        }
    }

    /// `tau * eta`.
    var beta: Int32 { Int32(tau) * eta }

    /// The bits of `gamma1`, a power of two: what masks are below.
    var gamma1Bits: Int { self == .mlDSA44 ? 17 : 19 }
    var gamma1: Int32 { 1 << Int32(gamma1Bits) }

    /// Half of what low bits are rounded to.
    var gamma2: Int32 { self == .mlDSA44 ? (Field.q - 1) / 88 : (Field.q - 1) / 32 }

    /// How many hints there may be.
    var omega: Int {
        switch self {
        case .mlDSA44: 80
        case .mlDSA65: 55
        case .mlDSA87: 75
        }
    }

    /// The length of the commitment's hash, a quarter of `lambda`, in bytes.
    var commitmentByteCount: Int {
        switch self {
        case .mlDSA44: 32
        case .mlDSA65: 48
        case .mlDSA87: 64
        }
    }

    /// The length of a packed polynomial of `z` in bytes.
    var maskByteCount: Int { 32 * (gamma1Bits + 1) }

    /// The bits of a packed coefficient of `w1`.
    var highBitsWidth: Int { self == .mlDSA44 ? 6 : 4 }
}
