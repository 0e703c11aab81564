public import Cryptography
public import WebAuthn

/// A maker of authenticators: a local root, and a batch key that it certified for one model.
///
/// Nobody trusts the root who was not given it.
public struct AttestationAuthority: Sendable {
    /// The trust anchor.
    public let root: Certificate
    /// What comes first in `x5c` of a packed statement: the attestation certificate of the batch key.
    public let certificate: Certificate
    public let aaguid: AAGUID
    let batchKey: SigningKey
    let rootKey: SigningKey
    let intermediate: Issuer?
    let time: Int64

    /// Makes a root and a batch key, both on P-256.
    ///
    /// - Parameters:
    ///   - aaguid: the model that the batch key is for.
    ///   - time: Unix seconds; the certificates are valid from a year before it to ten years after it.
    ///   - hasIntermediate: whether the root certified an intermediate, which issues all but U2F's certificates.
    /// - Throws: `CryptographyError` when libcrypto refuses, or `time` is out of a certificate's range.
    public init(aaguid: AAGUID, validAt time: Int64, hasIntermediate: Bool = false) throws(CryptographyError) {
        self.aaguid = aaguid
        self.time = time
        let rootKey = try SigningKey.generate(.p256)
        let root = try Self.root(rootKey, validAt: time)
        let issuer = Issuer(certificate: root, key: rootKey)
        intermediate = hasIntermediate ? try Self.intermediate(by: issuer, validAt: time, isExpired: false) : nil
        batchKey = try SigningKey.generate(.p256)
        certificate = try Self.leaf(.packed(aaguid), batchKey.publicKey, by: intermediate ?? issuer, validAt: time)
        self.rootKey = rootKey
        self.root = root
    }

    /// What to send along with the batch key's signature, spoiled as `fault` has it: the certificate first, then the
    /// intermediate, if there is one.
    func batchPath(_ fault: Fault?) throws(AuthenticatorError) -> [Certificate] {
        guard let fault, fault.isOfCertificates else {
            return [certificate] + (intermediate.map { [$0.certificate] } ?? [])
        }
        return try path(.packed(aaguid), batchKey.publicKey, fault)
    }

    /// Certifies a key: the certificate first, then the intermediate, if there is one, and the root where it is sent
    /// along, spoiled as `fault` has it.
    func path(
        _ content: AttestationLeaf,
        _ key: VerifyingKey,
        _ fault: Fault?,
        byRoot: Bool = false,
        sendingRoot: Bool = false
    ) throws(AuthenticatorError) -> [Certificate] {
        do throws(CryptographyError) {
            var content = content
            content.spoil(fault)
            var root = Issuer(certificate: self.root, key: rootKey)
            if fault == .attestationChainUntrusted {
                let otherKey = try SigningKey.generate(.p256)
                root = Issuer(certificate: try Self.root(otherKey, validAt: time), key: otherKey)
            }
            var above: Issuer?
            if intermediate != nil, !byRoot {
                let isExpired = fault == .attestationIntermediateExpired
                let isUsual = !isExpired && fault != .attestationChainUntrusted
                above = isUsual ? intermediate : try Self.intermediate(by: root, validAt: time, isExpired: isExpired)
            }
            let leaf = try Self.leaf(content, key, by: above ?? root, validAt: time)
            if above == nil, fault == .attestationIntermediateExpired { throw .unsupported(what: "no intermediate") }
            let path = [leaf] + (above.map { [$0.certificate] } ?? []) + (sendingRoot ? [root.certificate] : [])
            guard fault == .attestationPathDisordered else { return path }
            return [path.count > 1 ? path[1] : root.certificate, leaf] + path.dropFirst(2)
        } catch {
            guard case .unsupported(what: "no intermediate") = error else { throw .cryptography(error) }
            throw .faultDoesNotApply
        }
    }

    /// One that was made before.
    init(aaguid: AAGUID, time: Int64, root: Issuer, intermediate: Issuer?, batch: Issuer) {
        self.aaguid = aaguid
        self.time = time
        (self.root, rootKey) = (root.certificate, root.key)
        self.intermediate = intermediate
        (certificate, batchKey) = (batch.certificate, batch.key)
    }

    /// A certificate with its private key.
    struct Issuer: Sendable {
        let certificate: Certificate
        let key: SigningKey
    }

    private static let year: Int64 = 31_557_600
    private static let day: Int64 = 86_400

    private static func root(_ key: SigningKey, validAt time: Int64) throws(CryptographyError) -> Certificate {
        try authority("Latchkey software authenticator root", validAt: time).selfSigned(by: key)
    }

    private static func intermediate(
        by root: Issuer,
        validAt time: Int64,
        isExpired: Bool
    ) throws(CryptographyError) -> Issuer {
        let key = try SigningKey.generate(.p256)
        var builder = authority("Latchkey software authenticator intermediate", validAt: time)
        if isExpired { builder.notAfter = time - day }
        return Issuer(
            certificate: try builder.signed(for: key.publicKey, by: root.certificate, key: root.key),
            key: key
        )
    }

    private static func authority(_ name: String, validAt time: Int64) -> CertificateBuilder {
        var builder = CertificateBuilder(
            subject: [
                (oid: DistinguishedName.country, value: "XX"),
                (oid: DistinguishedName.organization, value: "Latchkey software authenticators"),
                (oid: DistinguishedName.commonName, value: name),
            ],
            notBefore: time - year,
            notAfter: time + 10 * year,
            isCA: true
        )
        builder.keyUsage = [.keyCertSign]
        return builder
    }

    private static func leaf(
        _ content: AttestationLeaf,
        _ key: VerifyingKey,
        by issuer: Issuer,
        validAt time: Int64
    ) throws(CryptographyError) -> Certificate {
        var builder = CertificateBuilder(
            subject: content.subject.map { ($0.oid, $0.value) },
            notBefore: content.validity == .notYet ? time + day : time - year,
            notAfter: content.validity == .over ? time - day : time + 10 * year,
            isCA: content.isCA
        )
        builder.extendedKeyUsage = content.purposes
        builder.subjectAlternativeNames = content.names
        builder.extensions = content.extensions.map { ($0.oid, false, $0.value) }
        if let model = content.model {
            let value = [0x04, 0x10] + model.bytes
            builder.extensions.append((AttestationLeaf.modelExtension, content.modelIsCritical, value))
        }
        return try builder.signed(for: key, by: issuer.certificate, key: issuer.key)
    }
}
