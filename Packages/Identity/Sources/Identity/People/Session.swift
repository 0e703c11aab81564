/// A user who is signed in: begun by a real authentication, ended by logout, revocation or time.
public struct Session: Hashable, Sendable {
    public let id: SessionID
    public let tenant: TenantID
    public let user: UserID
    public let client: ClientID
    /// Methods of the authentication, in the order of the contract (`amr`).
    public var amr: [String]
    public var acr: String?
    /// The passkey that it was authenticated by.
    public var passkey: PasskeyNumber?
    public let createdAt: UnixTime
    /// The last real authentication; a refresh does not move it.
    public var authenticatedAt: UnixTime
    public var lastInteraction: UnixTime
    public let expiresAt: UnixTime
    public var idleExpiresAt: UnixTime
    public var revokedAt: UnixTime?
    public var device: Device

    public init(
        id: SessionID,
        tenant: TenantID,
        user: UserID,
        client: ClientID,
        amr: [String],
        acr: String?,
        passkey: PasskeyNumber?,
        createdAt: UnixTime,
        authenticatedAt: UnixTime,
        lastInteraction: UnixTime,
        expiresAt: UnixTime,
        idleExpiresAt: UnixTime,
        revokedAt: UnixTime? = nil,
        device: Device
    ) {
        self.id = id
        self.tenant = tenant
        self.user = user
        self.client = client
        self.amr = amr
        self.acr = acr
        self.passkey = passkey
        self.createdAt = createdAt
        self.authenticatedAt = authenticatedAt
        self.lastInteraction = lastInteraction
        self.expiresAt = expiresAt
        self.idleExpiresAt = idleExpiresAt
        self.revokedAt = revokedAt
        self.device = device
    }

    /// Whether it still holds at `now`.
    public func isLive(at now: UnixTime) -> Bool {
        revokedAt == nil && now < expiresAt && now < idleExpiresAt
    }
}

/// Where a request came from, as far as it is kept: address text and user agent, each cut to a bounded length.
public struct Device: Hashable, Sendable {
    public let address: String
    public let userAgent: String

    public init(address: String, userAgent: String) {
        self.address = address
        self.userAgent = userAgent
    }
}
