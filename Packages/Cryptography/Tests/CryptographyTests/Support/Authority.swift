import Cryptography

/// A certificate with its private key.
struct Authority {
    let key: SigningKey
    let certificate: Certificate

    static let now: Int64 = 1_750_000_000
    static let year: Int64 = 365 * 86400

    /// A root that signs itself.
    static func root(_ name: String, _ change: (inout CertificateBuilder) -> Void = { _ in }) throws -> Authority {
        let key = try SigningKey.generate(.p256)
        var builder = builder(name, isCA: true)
        change(&builder)
        return Authority(key: key, certificate: try builder.selfSigned(by: key))
    }

    /// A certificate that this authority issues.
    func issue(
        _ name: String,
        isCA: Bool? = false,
        key: SigningKey? = nil,
        algorithm: SignatureAlgorithm? = nil,
        _ change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> Authority {
        let key = try key ?? SigningKey.generate(.p256)
        var builder = Self.builder(name, isCA: isCA)
        change(&builder)
        let certificate = try builder.signed(
            for: key.publicKey,
            by: certificate,
            key: self.key,
            algorithm: algorithm
        )
        return Authority(key: key, certificate: certificate)
    }

    static func builder(_ name: String, isCA: Bool?) -> CertificateBuilder {
        var builder = CertificateBuilder(
            subject: [(DistinguishedName.commonName, name)],
            notBefore: now - year,
            notAfter: now + year,
            isCA: isCA
        )
        if isCA == true { builder.keyUsage = [.keyCertSign, .cRLSign] }
        return builder
    }
}
