public import Cryptography
public import WebAuthn

/// A maker of authenticators: a local root, and a batch key that it certified for one model.
///
/// Nobody trusts the root who was not given it.
public struct AttestationAuthority: Sendable {
    /// The trust anchor.
    public let root: Certificate
    /// What is in `x5c`: the attestation certificate.
    public let certificate: Certificate
    public let aaguid: AAGUID
    let batchKey: SigningKey
    private let rootKey: SigningKey
    private let time: Int64

    /// Makes a root and a batch key, both on P-256.
    ///
    /// - Parameters:
    ///   - aaguid: the model that the batch key is for.
    ///   - time: Unix seconds; the certificates are valid from a year before it to ten years after it.
    /// - Throws: `CryptographyError` when libcrypto refuses, or `time` is out of a certificate's range.
    public init(aaguid: AAGUID, validAt time: Int64) throws(CryptographyError) {
        self.aaguid = aaguid
        self.time = time
        rootKey = try SigningKey.generate(.p256)
        batchKey = try SigningKey.generate(.p256)
        root = try Self.root(rootKey, validAt: time)
        certificate = try Self.leaf(
            batchKey.publicKey,
            Leaf(aaguid: aaguid, notAfter: time + Self.tenYears),
            by: root,
            rootKey,
            validAt: time
        )
    }

    /// The certificate to send, spoiled as `fault` has it.
    func certificate(_ fault: Fault?) throws(CryptographyError) -> Certificate {
        var leaf = Leaf(aaguid: aaguid, notAfter: time + Self.tenYears)
        switch fault {
        case .attestationCertificateForOtherModel:
            leaf.aaguid = AAGUID(Random.bytes(16)[...]) ?? .zero
        case .attestationCertificateOfAuthority:
            leaf.isCA = true
        case .attestationCertificateExpired:
            leaf.notAfter = time - 86_400
        case .attestationChainUntrusted:
            let otherKey = try SigningKey.generate(.p256)
            let otherRoot = try Self.root(otherKey, validAt: time)
            return try Self.leaf(batchKey.publicKey, leaf, by: otherRoot, otherKey, validAt: time)
        default:
            return certificate
        }
        return try Self.leaf(batchKey.publicKey, leaf, by: root, rootKey, validAt: time)
    }

    private struct Leaf {
        var aaguid: AAGUID
        var notAfter: Int64
        var isCA = false
    }

    private static let year: Int64 = 31_557_600
    private static let tenYears = 10 * year

    private static func root(_ key: SigningKey, validAt time: Int64) throws(CryptographyError) -> Certificate {
        var builder = CertificateBuilder(
            subject: [
                (oid: DistinguishedName.country, value: "XX"),
                (oid: DistinguishedName.organization, value: "Latchkey software authenticators"),
                (oid: DistinguishedName.commonName, value: "Latchkey software authenticator root"),
            ],
            notBefore: time - year,
            notAfter: time + tenYears,
            isCA: true
        )
        builder.keyUsage = [.keyCertSign]
        return try builder.selfSigned(by: key)
    }

    /// An attestation certificate by the rules of WebAuthn L3 §8.2.1.
    private static func leaf(
        _ key: VerifyingKey,
        _ leaf: Leaf,
        by issuer: Certificate,
        _ issuerKey: SigningKey,
        validAt time: Int64
    ) throws(CryptographyError) -> Certificate {
        var builder = CertificateBuilder(
            subject: [
                (oid: DistinguishedName.country, value: "XX"),
                (oid: DistinguishedName.organization, value: "Latchkey software authenticators"),
                (oid: DistinguishedName.organizationalUnit, value: "Authenticator Attestation"),
                (oid: DistinguishedName.commonName, value: "Latchkey software authenticator"),
            ],
            notBefore: time - year,
            notAfter: leaf.notAfter,
            isCA: leaf.isCA
        )
        builder.extensions = [
            (oid: "1.3.6.1.4.1.45724.1.1.4", critical: false, value: [0x04, 0x10] + leaf.aaguid.bytes)
        ]
        return try builder.signed(for: key, by: issuer, key: issuerKey)
    }
}
