public import Cryptography
public import Identity

/// The Ed25519 key that signs the seals of one tenant, and nothing else.
public struct AuditKey: Sendable {
    private let key: SigningKey
    /// 32 bytes.
    public let publicKey: [UInt8]

    /// Derives the key of `tenant`, the same every time.
    ///
    /// - Parameters:
    ///   - secret: what the deployment keeps for this purpose, 32 bytes.
    ///   - tenant: whose key it is.
    /// - Throws: when libcrypto fails.
    public init(from secret: [UInt8], of tenant: TenantID) throws(CryptographyError) {
        let info = Array("tenant \(tenant.number)".utf8)
        let seed = try HKDF.sha256(secret[...], salt: [], info: info[...], count: 32)
        key = try SigningKey(pkcs8: (Self.header + seed)[...])
        guard case .ed25519(let raw) = key.publicKey.components else {
            throw CryptographyError.invalidKey("an audit key that is not Ed25519")
        }
        publicKey = raw
    }

    func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try key.sign(message[...], .ed25519)
    }

    /// RFC 7638, in base64url: what an operator compares.
    public static func thumbprint(_ publicKey: [UInt8]) -> String {
        AuditLine.thumbprint(publicKey)
    }

    /// PrivateKeyInfo of RFC 8410, up to the 32 bytes of the seed.
    private static let header: [UInt8] = [
        0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]
}
