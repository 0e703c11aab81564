public import Encodings

/// An application that signs users in.
public struct Client: Hashable, Sendable {
    public let id: ClientID
    public let tenant: TenantID
    public var name: String
    public var description: String = ""
    /// `native`, `spa`, `regular_web`, `non_interactive`, or another of the list that is kept and not acted on.
    public var appType: String?
    public var isFirstParty = true
    public var oidcConformant = true
    public var grantTypes: [GrantType]
    public var authenticationMethod: ClientAuthenticationMethod
    /// SHA-256 of the secret, 32 bytes; `nil` for a public client.
    public var secretHash: [UInt8]?
    public var callbacks: [String] = []
    public var allowedOrigins: [String] = []
    public var webOrigins: [String] = []
    public var allowedLogoutURLs: [String] = []
    public var idTokenAlgorithm: TokenAlgorithm = .rs256
    /// Life of an ID token, in seconds.
    public var idTokenLifetime: Int64 = 36000
    public var refreshToken: RefreshTokenSettings
    public var mobile = MobileSettings()
    /// Registered keys for `private_key_jwt`, as JWKs.
    public var assertionKeys: [JSONObject] = []
    public var trustsForwardedAddress = false
    /// Members that are kept and given back, and not acted on.
    public var stored = JSONObject()
    public let createdAt: UnixTime
    public var updatedAt: UnixTime

    public init(
        id: ClientID,
        tenant: TenantID,
        name: String,
        appType: String?,
        grantTypes: [GrantType],
        authenticationMethod: ClientAuthenticationMethod,
        refreshToken: RefreshTokenSettings,
        createdAt: UnixTime
    ) {
        self.id = id
        self.tenant = tenant
        self.name = name
        self.appType = appType
        self.grantTypes = grantTypes
        self.authenticationMethod = authenticationMethod
        self.refreshToken = refreshToken
        self.createdAt = createdAt
        self.updatedAt = createdAt
    }

    public var isConfidential: Bool { authenticationMethod != .none }

    public func allows(_ grant: GrantType) -> Bool { grantTypes.contains(grant) }
}

/// A value of `grant_types`; those that the token endpoint does not serve are kept as they are.
public struct GrantType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let authorizationCode = GrantType(rawValue: "authorization_code")
    public static let refreshToken = GrantType(rawValue: "refresh_token")
    public static let clientCredentials = GrantType(rawValue: "client_credentials")
    public static let password = GrantType(rawValue: "password")
    public static let passwordRealm = GrantType(rawValue: "http://auth0.com/oauth/grant-type/password-realm")
    public static let webAuthn = GrantType(rawValue: "urn:okta:params:oauth:grant-type:webauthn")
}

/// How a client proves itself at the token endpoint.
public enum ClientAuthenticationMethod: String, Hashable, Sendable, CaseIterable {
    case none
    case secretPost = "client_secret_post"
    case secretBasic = "client_secret_basic"
    case privateKeyJWT = "private_key_jwt"
}

/// The algorithms that tokens are signed with.
public enum TokenAlgorithm: String, Hashable, Sendable, CaseIterable {
    case rs256 = "RS256"
    case ps256 = "PS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
}

/// The member `refresh_token` of a client. Lifetimes are seconds.
public struct RefreshTokenSettings: Hashable, Sendable {
    public var rotates: Bool
    public var expires: Bool
    /// Seconds in which the direct parent may be exchanged again.
    public var leeway: Int64
    public var lifetime: Int64
    public var hasInfiniteLifetime: Bool
    public var idleLifetime: Int64
    public var hasInfiniteIdleLifetime: Bool
    /// Other APIs that the token may be exchanged for.
    public var policies: [RefreshPolicy]?

    public init(
        rotates: Bool,
        expires: Bool,
        leeway: Int64,
        lifetime: Int64,
        hasInfiniteLifetime: Bool,
        idleLifetime: Int64,
        hasInfiniteIdleLifetime: Bool,
        policies: [RefreshPolicy]? = nil
    ) {
        self.rotates = rotates
        self.expires = expires
        self.leeway = leeway
        self.lifetime = lifetime
        self.hasInfiniteLifetime = hasInfiniteLifetime
        self.idleLifetime = idleLifetime
        self.hasInfiniteIdleLifetime = hasInfiniteIdleLifetime
        self.policies = policies
    }

    /// What native and single-page applications begin with.
    public static let publicDefault = RefreshTokenSettings(
        rotates: true,
        expires: true,
        leeway: 10,
        lifetime: 2_592_000,
        hasInfiniteLifetime: false,
        idleLifetime: 1_296_000,
        hasInfiniteIdleLifetime: false
    )

    /// What all other applications begin with.
    public static let confidentialDefault = RefreshTokenSettings(
        rotates: false,
        expires: false,
        leeway: 0,
        lifetime: 2_592_000,
        hasInfiniteLifetime: true,
        idleLifetime: 1_296_000,
        hasInfiniteIdleLifetime: true
    )
}

/// An API, and what of it, a refresh token may be exchanged for beside its own.
public struct RefreshPolicy: Hashable, Sendable {
    public let audience: String
    public let scope: [String]

    public init(audience: String, scope: [String]) {
        self.audience = audience
        self.scope = scope
    }
}

/// The device settings of an application.
public struct MobileSettings: Hashable, Sendable {
    public var ios: IOSApp?
    public var android: AndroidApp?

    public init(ios: IOSApp? = nil, android: AndroidApp? = nil) {
        self.ios = ios
        self.android = android
    }

    public struct IOSApp: Hashable, Sendable {
        /// Ten of `[A-Z0-9]`.
        public let teamID: String
        public let bundleIdentifier: String

        public init(teamID: String, bundleIdentifier: String) {
            self.teamID = teamID
            self.bundleIdentifier = bundleIdentifier
        }
    }

    public struct AndroidApp: Hashable, Sendable {
        public let packageName: String
        /// SHA-256 of each signing certificate, 32 bytes each.
        public let fingerprints: [[UInt8]]

        public init(packageName: String, fingerprints: [[UInt8]]) {
            self.packageName = packageName
            self.fingerprints = fingerprints
        }
    }
}
