internal import Cryptography
internal import Encodings
internal import Identity

/// Makes signing keys: RSA 2048, P-256 or Ed25519, with a certificate of itself, sealed for the store.
struct NewSigningKey: Sendable {
    let tenant: TenantID
    /// The common name of the certificate: at most 64 characters.
    let name: String
    let sealingKey: [UInt8]
    let now: UnixTime
    let random: RandomSource
    /// The longest life of the tenant's tokens, in seconds.
    let tokenLifetime: Int64

    /// Ten years, in seconds: the certificate is for show, and only the key's state says whether it is in use.
    private static let certificateLifetime: Int64 = 3650 * 86400

    func make(_ algorithm: TokenAlgorithm, _ state: SigningKeyState) throws(CryptographyError) -> SigningKeyRecord {
        let key = try SigningKey.generate(algorithm.keyKind)
        let id = KeyID(Base64URL.encode(random(16)))
        let certificate = try CertificateBuilder(
            subject: [(oid: DistinguishedName.commonName, value: String(name.prefix(64)))],
            notBefore: now.seconds,
            notAfter: now.adding(seconds: Self.certificateLifetime).seconds,
            isCA: nil
        ).selfSigned(by: key)
        var secret = try key.pkcs8
        defer { erase(&secret) }
        let publicKey = key.publicKey.subjectPublicKeyInfo
        let place = Self.place(tenant, id, algorithm, publicKey: publicKey, certificate: certificate.der)
        return SigningKeyRecord(
            id: id,
            tenant: tenant,
            algorithm: algorithm,
            state: state,
            publicKey: publicKey,
            certificate: certificate.der,
            sealedPrivateKey: try Seal.seal(secret, key: sealingKey, for: place, random: random),
            createdAt: now,
            activatedAt: state == .active ? now : nil,
            tokenLifetime: tokenLifetime
        )
    }

    /// The private half of a stored key. What the seal lets through is what was made here.
    static func open(_ record: SigningKeyRecord, sealingKey: [UInt8]) throws(CryptographyError) -> SigningKey {
        var secret = try unseal(record, sealingKey: sealingKey)
        defer { erase(&secret) }
        return try SigningKey(trustedPKCS8: secret)
    }

    /// Whether the row is as it was made: the seal covers where it lies and the public half, too.
    static func isAuthentic(_ record: SigningKeyRecord, sealingKey: [UInt8]) -> Bool {
        guard var secret = try? unseal(record, sealingKey: sealingKey) else { return false }
        erase(&secret)
        return true
    }

    private static func unseal(_ record: SigningKeyRecord, sealingKey: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let place = place(
            record.tenant,
            record.id,
            record.algorithm,
            publicKey: record.publicKey,
            certificate: record.certificate
        )
        return try Seal.open(record.sealedPrivateKey, key: sealingKey, for: place)
    }

    private static func place(
        _ tenant: TenantID,
        _ id: KeyID,
        _ algorithm: TokenAlgorithm,
        publicKey: [UInt8],
        certificate: [UInt8]
    ) -> [String] {
        [
            "signing_key", "\(tenant.number)", id.text, algorithm.rawValue, Hex.encode(SHA256.hash(publicKey)),
            Hex.encode(SHA256.hash(certificate)),
        ]
    }
}

extension TokenAlgorithm {
    var keyKind: SigningKey.Kind {
        switch self {
        case .rs256, .ps256: .rsa(bits: 2048)
        case .es256: .p256
        case .edDSA: .ed25519
        }
    }
}
