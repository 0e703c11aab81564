import Cryptography
import Encodings

/// A new client secret: shown once, kept as a hash.
public struct ClientSecret: Sendable {
    /// 64 characters of base64url: 48 random bytes.
    public let text: String
    /// SHA-256 of the text's bytes.
    public let hash: [UInt8]

    init(random: [UInt8]) {
        text = Base64URL.encode(random)
        hash = SHA256.hash(Array(text.utf8))
    }
}
