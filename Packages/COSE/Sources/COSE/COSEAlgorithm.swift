public import Cryptography

/// A signature algorithm by its number in the IANA registry "COSE Algorithms".
///
/// Any number has a value of this type; `signatureAlgorithm` says whether it can be used.
public struct COSEAlgorithm: RawRepresentable, Hashable, Sendable {
    /// The registered number.
    public let rawValue: Int

    /// The algorithm with this number.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// ECDSA with SHA-256, on P-256 here (WebAuthn §5.8.5).
    public static let es256 = COSEAlgorithm(rawValue: -7)
    /// EdDSA. The key's curve decides; in WebAuthn it is Ed25519 alone.
    public static let edDSA = COSEAlgorithm(rawValue: -8)
    /// ECDSA with SHA-256 on P-256 (RFC 9864).
    public static let esp256 = COSEAlgorithm(rawValue: -9)
    /// EdDSA on Curve25519 (RFC 9864).
    public static let ed25519 = COSEAlgorithm(rawValue: -19)
    /// ECDSA with SHA-384, on P-384 here.
    public static let es384 = COSEAlgorithm(rawValue: -35)
    /// ECDSA with SHA-512, on P-521 here.
    public static let es512 = COSEAlgorithm(rawValue: -36)
    /// RSASSA-PSS with SHA-256 (RFC 8230).
    public static let ps256 = COSEAlgorithm(rawValue: -37)
    /// RSASSA-PSS with SHA-384 (RFC 8230).
    public static let ps384 = COSEAlgorithm(rawValue: -38)
    /// RSASSA-PSS with SHA-512 (RFC 8230).
    public static let ps512 = COSEAlgorithm(rawValue: -39)
    /// ECDSA with SHA-256 on secp256k1 (RFC 8812).
    public static let es256K = COSEAlgorithm(rawValue: -47)
    /// ML-DSA-44 (FIPS 204, draft-ietf-cose-dilithium).
    public static let mlDSA44 = COSEAlgorithm(rawValue: -48)
    /// ML-DSA-65 (FIPS 204, draft-ietf-cose-dilithium).
    public static let mlDSA65 = COSEAlgorithm(rawValue: -49)
    /// ML-DSA-87 (FIPS 204, draft-ietf-cose-dilithium).
    public static let mlDSA87 = COSEAlgorithm(rawValue: -50)
    /// ECDSA with SHA-384 on P-384 (RFC 9864).
    public static let esp384 = COSEAlgorithm(rawValue: -51)
    /// ECDSA with SHA-512 on P-521 (RFC 9864).
    public static let esp512 = COSEAlgorithm(rawValue: -52)
    /// EdDSA on Curve448 (RFC 9864).
    public static let ed448 = COSEAlgorithm(rawValue: -53)
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8812).
    public static let rs256 = COSEAlgorithm(rawValue: -257)
    /// RSASSA-PKCS1-v1_5 with SHA-384 (RFC 8812).
    public static let rs384 = COSEAlgorithm(rawValue: -258)
    /// RSASSA-PKCS1-v1_5 with SHA-512 (RFC 8812).
    public static let rs512 = COSEAlgorithm(rawValue: -259)
    /// RSASSA-PKCS1-v1_5 with SHA-1 (RFC 8812), for attestation statements of old TPMs only.
    public static let rs1 = COSEAlgorithm(rawValue: -65535)

    /// How to verify it, or nil when that is not known here. EdDSA stands for Ed25519; `COSEKey.signatureAlgorithm`
    /// knows the curve.
    public var signatureAlgorithm: SignatureAlgorithm? {
        switch self {
        case .es256, .esp256: .es256
        case .es384, .esp384: .es384
        case .es512, .esp512: .es512
        case .es256K: .es256k
        case .edDSA, .ed25519: .ed25519
        case .ed448: .ed448
        case .rs256: .rs256
        case .rs384: .rs384
        case .rs512: .rs512
        case .ps256: .ps256
        case .ps384: .ps384
        case .ps512: .ps512
        case .rs1: .rs1
        case .mlDSA44: .mlDSA44
        case .mlDSA65: .mlDSA65
        case .mlDSA87: .mlDSA87
        default: nil
        }
    }

    /// The parameter set of an algorithm of ML-DSA.
    var lattice: MLDSAParameterSet? {
        switch self {
        case .mlDSA44: .mlDSA44
        case .mlDSA65: .mlDSA65
        case .mlDSA87: .mlDSA87
        default: nil
        }
    }

    /// How to verify it with a key of the given kind, or nil when the two do not go together.
    public func signatureAlgorithm(for key: PublicKeyComponents) -> SignatureAlgorithm? {
        if case .ed448 = key, self == .edDSA { return .ed448 }
        guard let algorithm = signatureAlgorithm, algorithm.fits(key) else { return nil }
        return algorithm
    }
}

extension COSEAlgorithm: CustomStringConvertible {
    /// The registered name, or the number.
    public var description: String {
        switch self {
        case .es256: "ES256"
        case .esp256: "ESP256"
        case .es384: "ES384"
        case .esp384: "ESP384"
        case .es512: "ES512"
        case .esp512: "ESP512"
        case .es256K: "ES256K"
        case .edDSA: "EdDSA"
        case .ed25519: "Ed25519"
        case .ed448: "Ed448"
        case .rs256: "RS256"
        case .rs384: "RS384"
        case .rs512: "RS512"
        case .ps256: "PS256"
        case .ps384: "PS384"
        case .ps512: "PS512"
        case .rs1: "RS1"
        case .mlDSA44: "ML-DSA-44"
        case .mlDSA65: "ML-DSA-65"
        case .mlDSA87: "ML-DSA-87"
        default: "COSE algorithm \(rawValue)"
        }
    }
}
