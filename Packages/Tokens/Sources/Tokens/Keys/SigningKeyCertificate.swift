internal import Cryptography
internal import Encodings
public import Identity

/// The certificate of a signing key as the Management API shows it (HTTP contract 11.12).
public struct SigningKeyCertificate: Hashable, Sendable {
    /// X.509 in PEM.
    public let pem: String
    /// The certificate alone in a PKCS #7 bundle (RFC 2315 §9.1, degenerate), in PEM.
    public let pkcs7: String
    /// SHA-1 of the DER: pairs of hexadecimal digits in upper case with `:` between them.
    public let fingerprint: String
    /// The same as base64url, which is the `x5t` of the key set.
    public let thumbprint: String

    public init(of key: SigningKeyRecord) {
        pem = PEM(label: PEM.certificate, der: key.certificate).text
        pkcs7 = PEM(label: "PKCS7", der: Self.bundle(key.certificate)).text
        let hash = SHA1.hash(key.certificate)
        fingerprint = hash.map { Hex.encode([$0]).uppercased() }.joined(separator: ":")
        thumbprint = Base64URL.encode(hash)
    }

    /// `SignedData` without content and signers.
    private static func bundle(_ certificate: [UInt8]) -> [UInt8] {
        // 1.2.840.113549.1.7.2 and .1.
        let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
        let emptySet: [UInt8] = [0x31, 0x00]
        var bundle = DERWriter()
        bundle.sequence { bundle in
            bundle.encoded(signedData)
            bundle.append(.context(0)) { (explicit: inout DERWriter) in
                explicit.sequence { signed in
                    signed.integer(1)
                    signed.encoded(emptySet)
                    signed.sequence { $0.encoded(data) }
                    signed.append(.context(0), certificate)
                    signed.encoded(emptySet)
                }
            }
        }
        return bundle.bytes
    }
}
