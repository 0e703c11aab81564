/// The object identifiers that this package itself needs to know.
enum OID {
    static let ecPublicKey = "1.2.840.10045.2.1"
    static let rsaEncryption = "1.2.840.113549.1.1.1"
    static let ed25519 = "1.3.101.112"
    static let ed448 = "1.3.101.113"
    static let mlDSA44 = "2.16.840.1.101.3.4.3.17"
    static let mlDSA65 = "2.16.840.1.101.3.4.3.18"
    static let mlDSA87 = "2.16.840.1.101.3.4.3.19"

    static let sha1WithRSA = "1.2.840.113549.1.1.5"
    static let sha256WithRSA = "1.2.840.113549.1.1.11"
    static let sha384WithRSA = "1.2.840.113549.1.1.12"
    static let sha512WithRSA = "1.2.840.113549.1.1.13"
    static let rsassaPSS = "1.2.840.113549.1.1.10"
    static let mgf1 = "1.2.840.113549.1.1.8"
    static let sha1 = "1.3.14.3.2.26"
    static let sha256 = "2.16.840.1.101.3.4.2.1"
    static let sha384 = "2.16.840.1.101.3.4.2.2"
    static let sha512 = "2.16.840.1.101.3.4.2.3"
    static let ecdsaWithSHA1 = "1.2.840.10045.4.1"
    static let ecdsaWithSHA256 = "1.2.840.10045.4.3.2"
    static let ecdsaWithSHA384 = "1.2.840.10045.4.3.3"
    static let ecdsaWithSHA512 = "1.2.840.10045.4.3.4"

    static let subjectKeyIdentifier = "2.5.29.14"
    static let keyUsage = "2.5.29.15"
    static let subjectAlternativeName = "2.5.29.17"
    static let basicConstraints = "2.5.29.19"
    static let nameConstraints = "2.5.29.30"
    static let crlDistributionPoints = "2.5.29.31"
    static let certificatePolicies = "2.5.29.32"
    static let policyMappings = "2.5.29.33"
    static let authorityKeyIdentifier = "2.5.29.35"
    static let policyConstraints = "2.5.29.36"
    static let extendedKeyUsage = "2.5.29.37"
    static let inhibitAnyPolicy = "2.5.29.54"

    /// Tag, length and content, for what is written often and cannot fail.
    static let encodedECPublicKey: [UInt8] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
    static let encodedRSAEncryption: [UInt8] = [
        0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01,
    ]
    static let encodedEd25519: [UInt8] = [0x06, 0x03, 0x2b, 0x65, 0x70]
    static let encodedEd448: [UInt8] = [0x06, 0x03, 0x2b, 0x65, 0x71]
}

extension EllipticCurve {
    /// The curve's object identifier as an element of DER.
    var encodedObjectIdentifier: [UInt8] {
        switch self {
        case .p256: [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        case .p384: [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22]
        case .p521: [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23]
        case .secp256k1: [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x0a]
        }
    }
}

extension MLDSAParameterSet {
    /// The identifier of keys and signatures (RFC 9881 §2).
    var objectIdentifier: String {
        switch self {
        case .mlDSA44: OID.mlDSA44
        case .mlDSA65: OID.mlDSA65
        case .mlDSA87: OID.mlDSA87
        }
    }

    /// The same as an element of DER.
    var encodedObjectIdentifier: [UInt8] {
        let last: UInt8 =
            switch self {
            case .mlDSA44: 17
            case .mlDSA65: 18
            case .mlDSA87: 19
            }
        return [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, last]
    }

    init?(objectIdentifier: String) {
        guard let set = Self.allCases.first(where: { $0.objectIdentifier == objectIdentifier }) else { return nil }
        self = set
    }
}

extension DERReader {
    /// Reads the one element that `bytes` hold, which must have `tag`.
    static func single(_ bytes: ArraySlice<UInt8>, _ tag: DERTag) throws(CryptographyError) -> DERElement {
        let element = try single(bytes)
        guard element.tag == tag else { throw .malformed(what: "another tag than expected", offset: bytes.startIndex) }
        return element
    }
}
