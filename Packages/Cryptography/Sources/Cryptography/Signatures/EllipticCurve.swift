/// The curves of ECDSA keys.
public enum EllipticCurve: String, Hashable, Sendable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"
    case secp256k1 = "secp256k1"

    /// The length of a coordinate, and of `r` and `s`, in bytes.
    public var coordinateByteCount: Int {
        switch self {
        case .p256, .secp256k1: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// The name of the curve in libcrypto.
    var libraryName: String {
        switch self {
        case .p256: "prime256v1"
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        case .secp256k1: "secp256k1"
        }
    }

    /// RFC 5480 §2.1.1.1, SEC 2.
    var objectIdentifier: String {
        switch self {
        case .p256: "1.2.840.10045.3.1.7"
        case .p384: "1.3.132.0.34"
        case .p521: "1.3.132.0.35"
        case .secp256k1: "1.3.132.0.10"
        }
    }

    init?(objectIdentifier: String) {
        guard let curve = Self.allCases.first(where: { $0.objectIdentifier == objectIdentifier }) else { return nil }
        self = curve
    }
}
