/// How a certificate was signed (RFC 5280 §4.1.1.2, RFC 3279, RFC 4055, RFC 5758, RFC 8410, RFC 9881).
public struct CertificateSignatureAlgorithm: Hashable, Sendable {
    /// The algorithm's object identifier in dotted decimal.
    public let oid: String
    /// Nil when this package does not know the algorithm or its parameters.
    let scheme: SignatureScheme?

    /// Whether the hash function is SHA-1, for which collisions are known.
    public var usesSHA1: Bool {
        switch scheme {
        case .ecdsa(.sha1), .pkcs1(.sha1), .pss(.sha1): true
        default: false
        }
    }

    /// Reads the content of an AlgorithmIdentifier.
    init(_ identifier: DERElement) throws(CryptographyError) {
        var reader = identifier.elements
        oid = try reader.objectIdentifier()
        let parameters = reader.isAtEnd ? nil : try reader.next()
        try reader.finish()
        let hasNone = parameters == nil
        let hasNullOrNone = hasNone || (parameters?.tag == .null && parameters?.content.isEmpty == true)
        scheme =
            switch oid {
            case OID.sha1WithRSA where hasNullOrNone: .pkcs1(.sha1)
            case OID.sha256WithRSA where hasNullOrNone: .pkcs1(.sha256)
            case OID.sha384WithRSA where hasNullOrNone: .pkcs1(.sha384)
            case OID.sha512WithRSA where hasNullOrNone: .pkcs1(.sha512)
            case OID.ecdsaWithSHA1 where hasNullOrNone: .ecdsa(.sha1)
            case OID.ecdsaWithSHA256 where hasNullOrNone: .ecdsa(.sha256)
            case OID.ecdsaWithSHA384 where hasNullOrNone: .ecdsa(.sha384)
            case OID.ecdsaWithSHA512 where hasNullOrNone: .ecdsa(.sha512)
            case OID.ed25519 where hasNone: .ed25519
            case OID.ed448 where hasNone: .ed448
            case OID.mlDSA44 where hasNone: .mlDSA(.mlDSA44)
            case OID.mlDSA65 where hasNone: .mlDSA(.mlDSA65)
            case OID.mlDSA87 where hasNone: .mlDSA(.mlDSA87)
            case OID.rsassaPSS: parameters.flatMap(Self.pss)
            default: nil
            }
    }

    /// RSASSA-PSS-params, when they say the same hash function twice and a salt as long as the hash.
    private static func pss(_ parameters: DERElement) -> SignatureScheme? {
        guard parameters.tag == .sequence else { return nil }
        var reader = parameters.elements
        do throws(CryptographyError) {
            // Each has a default, all of them of SHA-1: not worth knowing.
            guard let hash = try reader.nextIfPresent(.context(0)), let mask = try reader.nextIfPresent(.context(1)),
                let salt = try reader.nextIfPresent(.context(2)), reader.isAtEnd,
                let digest = try digest(DERReader.single(hash.content, .sequence))
            else { return nil }
            var maskReader = try DERReader.single(mask.content, .sequence).elements
            guard try maskReader.objectIdentifier() == OID.mgf1, try self.digest(maskReader.next(.sequence)) == digest,
                maskReader.isAtEnd, try DERReader.single(salt.content, .integer).integer() == Int64(digest.byteCount)
            else { return nil }
            return .pss(digest)
        } catch {
            return nil
        }
    }

    private static func digest(_ identifier: DERElement) throws(CryptographyError) -> Digest? {
        var reader = identifier.elements
        switch try reader.objectIdentifier() {
        case OID.sha256: return .sha256
        case OID.sha384: return .sha384
        case OID.sha512: return .sha512
        default: return nil
        }
    }
}
