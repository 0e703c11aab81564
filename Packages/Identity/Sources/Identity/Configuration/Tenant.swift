public import Encodings

/// A company or product whose users sign in here; everything else belongs to one.
public struct Tenant: Hashable, Sendable {
    public let id: TenantID
    /// What operators type: `acme`. Unique in the deployment, 1 to 63 of `[a-z0-9-]`.
    public let name: String
    public var settings: TenantSettings
    public var suspendedAt: UnixTime?
    public let createdAt: UnixTime
    public var updatedAt: UnixTime

    public init(
        id: TenantID,
        name: String,
        settings: TenantSettings,
        suspendedAt: UnixTime? = nil,
        createdAt: UnixTime,
        updatedAt: UnixTime
    ) {
        self.id = id
        self.name = name
        self.settings = settings
        self.suspendedAt = suspendedAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// The tenant's settings in the words of the Management API.
///
/// What this server acts on has a member here; what it only keeps, so that configurations round-trip, stays in
/// ``stored``.
public struct TenantSettings: Hashable, Sendable {
    public var friendlyName: String?
    public var supportEmail: String?
    public var supportURL: String?
    /// The name of the connection that requests without `realm` mean.
    public var defaultDirectory: String?
    public var defaultAudience: String?
    public var allowedLogoutURLs: [String] = []
    /// Absolute life of a session, in hours; may be fractional.
    public var sessionLifetime: Double = 168
    /// Idle life of a session, in hours; may be fractional.
    public var idleSessionLifetime: Double = 72
    public var sessionCookieIsPersistent = false
    public var revokeRefreshTokenGrant = false
    public var signupTellsUserExists = false
    public var passkeysEnabled = true
    public var passkeysRequireCustomDomain = false
    public var hidePasskeyReasons = false
    public var keepRefreshTokensOnLogout = true
    /// The client that requests of the browser API mean when they name none.
    public var defaultBrowserClient: ClientID?
    public var listAllowCredentials = true
    public var relyingPartyNameSource = RelyingPartyNameSource.relyingPartyID
    public var hashClientSecrets = true
    /// Seconds since the last authentication in which passkeys may be added or removed.
    public var enrollmentMaxAuthAge: Int64 = 900
    public var conformanceAPI = false
    public var totp = false
    /// Members that are kept and given back, and not acted on.
    public var stored = JSONObject()

    public init() {}
}

/// What authenticators are told as the relying party's name.
public enum RelyingPartyNameSource: String, Hashable, Sendable, CaseIterable {
    case relyingPartyID = "rp_id"
    case friendlyName = "friendly_name"
}
