public import Cryptography

/// The signature algorithms of JWS (RFC 7518 §3.1, RFC 8037 §3.1) that exist here. There is no `none`.
public enum JWSAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// HMAC with SHA-256 and a secret of at least 32 bytes.
    case hs256 = "HS256"
    /// HMAC with SHA-384 and a secret of at least 48 bytes. Nothing here signs with it.
    case hs384 = "HS384"
    /// HMAC with SHA-512 and a secret of at least 64 bytes. Nothing here signs with it.
    case hs512 = "HS512"
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    /// Ed25519 or Ed448, as the key says.
    case edDSA = "EdDSA"

    /// The algorithm for a key, or `nil` when it is not for keys of that kind.
    public func signatureAlgorithm(for key: PublicKeyComponents) -> SignatureAlgorithm? {
        let algorithm: SignatureAlgorithm
        switch self {
        case .hs256, .hs384, .hs512: return nil
        case .rs256: algorithm = .rs256
        case .rs384: algorithm = .rs384
        case .rs512: algorithm = .rs512
        case .ps256: algorithm = .ps256
        case .ps384: algorithm = .ps384
        case .ps512: algorithm = .ps512
        case .es256: algorithm = .es256
        case .es384: algorithm = .es384
        case .es512: algorithm = .es512
        case .edDSA:
            if case .ed448 = key { algorithm = .ed448 } else { algorithm = .ed25519 }
        }
        return algorithm.fits(key) ? algorithm : nil
    }

    /// How many bytes a secret has at least, as many as the hash (RFC 7518 §3.2); `nil` for algorithms of key pairs.
    public var secretByteCount: Int? {
        switch self {
        case .hs256: 32
        case .hs384: 48
        case .hs512: 64
        default: nil
        }
    }

    /// The only algorithm of a key that has just one: all but RSA.
    init?(onlyOneOf key: PublicKeyComponents) {
        switch key {
        case .ec(.p256, _, _): self = .es256
        case .ec(.p384, _, _): self = .es384
        case .ec(.p521, _, _): self = .es512
        case .ed25519, .ed448: self = .edDSA
        case .ec(.secp256k1, _, _), .rsa, .mlDSA: return nil
        }
    }
}
