public import COSE
public import Cryptography

/// A TPM 2.0 in software, as far as attestation needs one: its attestation key, and how it writes.
public struct SoftwareTPM: Sendable {
    /// The algorithm of the attestation key, which signs.
    public let algorithm: COSEAlgorithm
    /// `id:` and the maker's number in the TCG's registry, in hex.
    public var manufacturer = "id:49424D00"
    public var model = "Latchkey software TPM"
    public var firmwareVersion = "id:00010000"
    /// The hash function that names of keys are made with.
    public var nameHash = Hash.sha256
    /// The hash function that the public area says its name is made with; `nil`: the same.
    public var claimedNameHash: Hash?
    /// Whether the signature stands in a `TPMT_SIGNATURE`, as the TPM itself writes it. Clients send the signature
    /// alone.
    public var wrapsSignature = false
    let key: SigningKey

    /// Makes a TPM with a new attestation key.
    ///
    /// - Parameter algorithm: ES256, ES384, ES512, or one of RSA's, among them RS1.
    /// - Throws: `CryptographyError.unsupported` for another algorithm.
    public init(algorithm: COSEAlgorithm = .es256) throws(CryptographyError) {
        self.algorithm = algorithm
        switch algorithm.signatureAlgorithm {
        case .es256: key = try SigningKey.generate(.p256)
        case .es384: key = try SigningKey.generate(.p384)
        case .es512: key = try SigningKey.generate(.p521)
        case .rs1, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: key = try SigningKey.generate(.rsa(bits: 2048))
        default: throw .unsupported(what: "\(algorithm) in a TPM")
        }
    }

    /// A hash function by its number in a TPM (`TPM_ALG_ID`).
    public enum Hash: UInt16, Sendable, CaseIterable {
        case sha1 = 0x0004
        case sha256 = 0x000B
        case sha384 = 0x000C
        case sha512 = 0x000D

        func digest(_ bytes: [UInt8]) -> [UInt8] {
            switch self {
            case .sha1: SHA1.hash(bytes)
            case .sha256: SHA256.hash(bytes)
            case .sha384: SHA384.hash(bytes)
            case .sha512: SHA512.hash(bytes)
            }
        }
    }

    /// The hash function of the signature.
    var hash: Hash {
        switch algorithm.signatureAlgorithm {
        case .rs1: .sha1
        case .es384, .rs384, .ps384: .sha384
        case .es512, .rs512, .ps512: .sha512
        default: .sha256
        }
    }
}
