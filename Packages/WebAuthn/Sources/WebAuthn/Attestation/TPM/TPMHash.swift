internal import COSE
internal import Cryptography

/// The hash functions of a TPM, by their numbers (TPM 2.0 Part 2 §6.3, `TPM_ALG_ID`).
enum TPMHash: UInt16 {
    case sha1 = 0x0004
    case sha256 = 0x000B
    case sha384 = 0x000C
    case sha512 = 0x000D

    /// The hash function of a signature algorithm; `nil` where the message is not hashed first.
    init?(of algorithm: COSEAlgorithm) {
        switch algorithm.signatureAlgorithm {
        case .rs1: self = .sha1
        case .es256, .es256k, .rs256, .ps256: self = .sha256
        case .es384, .rs384, .ps384: self = .sha384
        case .es512, .rs512, .ps512: self = .sha512
        default: return nil
        }
    }

    func digest(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha1: SHA1.hash(bytes)
        case .sha256: SHA256.hash(bytes)
        case .sha384: SHA384.hash(bytes)
        case .sha512: SHA512.hash(bytes)
        }
    }
}
