/// A tenant's signing key as it is kept: the private half is sealed.
public struct SigningKeyRecord: Hashable, Sendable {
    public let id: KeyID
    public let tenant: TenantID
    public let algorithm: TokenAlgorithm
    public var state: SigningKeyState
    /// SubjectPublicKeyInfo, DER.
    public let publicKey: [UInt8]
    /// A self-signed certificate, DER.
    public let certificate: [UInt8]
    /// AES-256-GCM under the data key: nonce (12 bytes), ciphertext and tag of the PKCS#8; bound to tenant, kid and the
    /// public half. Empty when the private half is gone for good, which a key that signs no more can do without.
    public let sealedPrivateKey: [UInt8]
    /// When it was published, too.
    public let createdAt: UnixTime
    /// From when on it signs; it may lie ahead, so that all servers change at once.
    public var activatedAt: UnixTime?
    /// From when on it signs no more; it may lie ahead as well.
    public var retiringAt: UnixTime?
    public var revokedAt: UnixTime?
    /// The longest life, in seconds, of any token that it may have signed.
    public var tokenLifetime: Int64

    public init(
        id: KeyID,
        tenant: TenantID,
        algorithm: TokenAlgorithm,
        state: SigningKeyState,
        publicKey: [UInt8],
        certificate: [UInt8],
        sealedPrivateKey: [UInt8],
        createdAt: UnixTime,
        activatedAt: UnixTime? = nil,
        retiringAt: UnixTime? = nil,
        revokedAt: UnixTime? = nil,
        tokenLifetime: Int64 = 0
    ) {
        self.id = id
        self.tenant = tenant
        self.algorithm = algorithm
        self.state = state
        self.publicKey = publicKey
        self.certificate = certificate
        self.sealedPrivateKey = sealedPrivateKey
        self.createdAt = createdAt
        self.activatedAt = activatedAt
        self.retiringAt = retiringAt
        self.revokedAt = revokedAt
        self.tokenLifetime = tokenLifetime
    }
}

/// The life of a signing key: verifiers see it before it signs, and long enough after.
public enum SigningKeyState: String, Hashable, Sendable {
    case published, active, retiring, retired
}

/// What a deployment keeps of its secrets: the data key, sealed by a master key.
public struct DeploymentSecret: Hashable, Sendable {
    /// Which line of the master key file sealed it.
    public let masterKeyID: String
    /// AES-256-GCM: nonce (12 bytes), ciphertext and tag of the 32-byte data key.
    public let sealedDataKey: [UInt8]
    /// Tells whether a master key of that name is the right one, before anything is opened with it.
    public let masterKeyCheck: [UInt8]
    public let createdAt: UnixTime

    public init(masterKeyID: String, sealedDataKey: [UInt8], masterKeyCheck: [UInt8] = [], createdAt: UnixTime) {
        self.masterKeyID = masterKeyID
        self.sealedDataKey = sealedDataKey
        self.masterKeyCheck = masterKeyCheck
        self.createdAt = createdAt
    }
}
