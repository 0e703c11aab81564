/// The signature algorithms of COSE and JOSE that this package knows. Each ECDSA algorithm has its one curve.
public enum SignatureAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256
    /// ECDSA on P-384 with SHA-384.
    case es384
    /// ECDSA on P-521 with SHA-512.
    case es512
    /// ECDSA on secp256k1 with SHA-256.
    case es256k
    /// EdDSA on Curve25519 (RFC 8032).
    case ed25519
    /// EdDSA on Curve448 (RFC 8032), with an empty context.
    case ed448
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    case rs384
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    case rs512
    /// RSASSA-PSS with SHA-256, MGF1 with the same and a salt of 32 bytes.
    case ps256
    /// RSASSA-PSS with SHA-384, MGF1 with the same and a salt of 48 bytes.
    case ps384
    /// RSASSA-PSS with SHA-512, MGF1 with the same and a salt of 64 bytes.
    case ps512
    /// RSASSA-PKCS1-v1_5 with SHA-1: for attestation statements of old TPMs only.
    case rs1
    /// ML-DSA-44 (FIPS 204), pure, with an empty context. So are the other two.
    case mlDSA44 = "ml-dsa-44"
    case mlDSA65 = "ml-dsa-65"
    case mlDSA87 = "ml-dsa-87"

    /// The one curve of an ECDSA algorithm.
    public var curve: EllipticCurve? {
        switch self {
        case .es256: .p256
        case .es384: .p384
        case .es512: .p521
        case .es256k: .secp256k1
        case .ed25519, .ed448, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .rs1, .mlDSA44, .mlDSA65, .mlDSA87: nil
        }
    }

    /// Whether a key with these components may be used with the algorithm.
    public func fits(_ key: PublicKeyComponents) -> Bool {
        switch (key, scheme) {
        case (.ec(let keyCurve, _, _), .ecdsa): keyCurve == curve
        case (.ed25519, .ed25519), (.ed448, .ed448), (.rsa, .pkcs1), (.rsa, .pss): true
        case (.mlDSA(let keySet, _), .mlDSA(let set)): keySet == set
        default: false
        }
    }

    var scheme: SignatureScheme {
        switch self {
        case .es256, .es256k: .ecdsa(.sha256)
        case .es384: .ecdsa(.sha384)
        case .es512: .ecdsa(.sha512)
        case .ed25519: .ed25519
        case .ed448: .ed448
        case .rs256: .pkcs1(.sha256)
        case .rs384: .pkcs1(.sha384)
        case .rs512: .pkcs1(.sha512)
        case .ps256: .pss(.sha256)
        case .ps384: .pss(.sha384)
        case .ps512: .pss(.sha512)
        case .rs1: .pkcs1(.sha1)
        case .mlDSA44: .mlDSA(.mlDSA44)
        case .mlDSA65: .mlDSA(.mlDSA65)
        case .mlDSA87: .mlDSA(.mlDSA87)
        }
    }
}

/// How an ECDSA signature is written. Other signatures have one form only.
public enum SignatureForm: Hashable, Sendable {
    /// `SEQUENCE { r INTEGER, s INTEGER }` in strict DER: WebAuthn, X.509.
    case der
    /// `r‖s`, each as long as a coordinate: COSE, JOSE.
    case raw
}

/// What is computed, whatever the curve: a certificate may carry ECDSA with SHA-256 by a P-384 key.
enum SignatureScheme: Hashable, Sendable {
    case ecdsa(Digest)
    case ed25519
    case ed448
    case pkcs1(Digest)
    case pss(Digest)
    case mlDSA(MLDSAParameterSet)
}
