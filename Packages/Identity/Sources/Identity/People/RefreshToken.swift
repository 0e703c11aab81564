/// All tokens that descend from one sign-in: revoked together, rotated by generations.
public struct RefreshFamily: Hashable, Sendable {
    public let id: RefreshFamilyID
    public let tenant: TenantID
    public let client: ClientID
    public let user: UserID
    public let session: SessionID
    /// The API asked for, as the request named it; `nil` for the user-info endpoint alone.
    public let audience: String?
    public let scope: [String]
    public let rotates: Bool
    public let createdAt: UnixTime
    /// Fixed when the family starts; `nil`: no absolute end.
    public let expiresAt: UnixTime?
    public var lastExchangedAt: UnixTime
    /// The newest generation, from 0.
    public var generation: Int64
    /// When the newest generation began.
    public var rotatedAt: UnixTime
    public var revokedAt: UnixTime?
    public var initialDevice: Device
    public var lastDevice: Device

    public init(
        id: RefreshFamilyID,
        tenant: TenantID,
        client: ClientID,
        user: UserID,
        session: SessionID,
        audience: String?,
        scope: [String],
        rotates: Bool,
        createdAt: UnixTime,
        expiresAt: UnixTime?,
        lastExchangedAt: UnixTime,
        generation: Int64,
        rotatedAt: UnixTime,
        revokedAt: UnixTime? = nil,
        initialDevice: Device,
        lastDevice: Device
    ) {
        self.id = id
        self.tenant = tenant
        self.client = client
        self.user = user
        self.session = session
        self.audience = audience
        self.scope = scope
        self.rotates = rotates
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastExchangedAt = lastExchangedAt
        self.generation = generation
        self.rotatedAt = rotatedAt
        self.revokedAt = revokedAt
        self.initialDevice = initialDevice
        self.lastDevice = lastDevice
    }
}

/// One refresh token as it is kept: never the secret itself.
public struct StoredRefreshToken: Hashable, Sendable {
    public let id: RefreshTokenID
    public let family: RefreshFamilyID
    public let generation: Int64
    /// SHA-256 of the 32 secret bytes.
    public let secretHash: [UInt8]
    public let createdAt: UnixTime

    public init(
        id: RefreshTokenID,
        family: RefreshFamilyID,
        generation: Int64,
        secretHash: [UInt8],
        createdAt: UnixTime
    ) {
        self.id = id
        self.family = family
        self.generation = generation
        self.secretHash = secretHash
        self.createdAt = createdAt
    }
}

/// What an exchange needs to know, from one consistent read.
public struct RefreshGrant: Hashable, Sendable {
    public let token: StoredRefreshToken
    public let family: RefreshFamily
    /// `nil` when the session's row is gone.
    public let session: Session?
    /// `nil` when the user was deleted.
    public let user: User?

    public init(token: StoredRefreshToken, family: RefreshFamily, session: Session?, user: User?) {
        self.token = token
        self.family = family
        self.session = session
        self.user = user
    }
}

/// One exchange of a rotating token: all that its transaction needs.
public struct RefreshRotation: Hashable, Sendable {
    public let tenant: TenantID
    public let family: RefreshFamilyID
    /// The generation of the token that was presented.
    public let generation: Int64
    public let child: RefreshTokenID
    public let childSecretHash: [UInt8]
    /// Milliseconds in which the generation before the newest may still be exchanged.
    public let leewayMilliseconds: Int64
    public let session: SessionID
    /// The session's new idle end.
    public let idleExpiresAt: UnixTime
    public let now: UnixTime
    public let device: Device
    /// Tokens that one generation may have.
    public let maximumSiblings: Int

    public init(
        tenant: TenantID,
        family: RefreshFamilyID,
        generation: Int64,
        child: RefreshTokenID,
        childSecretHash: [UInt8],
        leewayMilliseconds: Int64,
        session: SessionID,
        idleExpiresAt: UnixTime,
        now: UnixTime,
        device: Device,
        maximumSiblings: Int = 10
    ) {
        self.tenant = tenant
        self.family = family
        self.generation = generation
        self.child = child
        self.childSecretHash = childSecretHash
        self.leewayMilliseconds = leewayMilliseconds
        self.session = session
        self.idleExpiresAt = idleExpiresAt
        self.now = now
        self.device = device
        self.maximumSiblings = maximumSiblings
    }
}

/// What became of an exchange.
public enum RotationOutcome: Hashable, Sendable {
    /// The child is stored and belongs to the newest generation.
    case rotated
    /// The generation has its ten tokens; nothing changed, and the family lives.
    case tooManySiblings
    /// A replay: the family is revoked by this very call.
    case reuse
    /// The family had been revoked before.
    case revoked
}
