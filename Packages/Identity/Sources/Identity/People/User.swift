public import Encodings

/// A person (or other holder of an account) in one connection.
public struct User: Hashable, Sendable {
    public let id: UserID
    public let tenant: TenantID
    public let connection: ConnectionID
    public var identifiers: [UserIdentifier]
    public var profile: UserProfile
    public var blockedAt: UnixTime?
    public let createdAt: UnixTime
    public var updatedAt: UnixTime
    public var lastLogin: UnixTime?
    public var loginsCount: Int64

    public init(
        id: UserID,
        tenant: TenantID,
        connection: ConnectionID,
        identifiers: [UserIdentifier],
        profile: UserProfile,
        blockedAt: UnixTime? = nil,
        createdAt: UnixTime,
        updatedAt: UnixTime,
        lastLogin: UnixTime? = nil,
        loginsCount: Int64 = 0
    ) {
        self.id = id
        self.tenant = tenant
        self.connection = connection
        self.identifiers = identifiers
        self.profile = profile
        self.blockedAt = blockedAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.lastLogin = lastLogin
        self.loginsCount = loginsCount
    }

    public func identifier(_ kind: IdentifierKind) -> UserIdentifier? {
        identifiers.first { $0.kind == kind }
    }

    /// The identifier shown for the user: the first present in the connection's order.
    public func displayIdentifier(_ precedence: [IdentifierKind]) -> String {
        for kind in precedence {
            if let found = identifier(kind) { return found.entered }
        }
        return identifiers.first?.entered ?? id.subject
    }
}

/// What a user may say about themselves, as entered.
public struct UserProfile: Hashable, Sendable {
    public var name: String?
    public var givenName: String?
    public var familyName: String?
    public var nickname: String?
    public var picture: String?
    public var userMetadata: JSONObject
    public var appMetadata: JSONObject

    public init(
        name: String? = nil,
        givenName: String? = nil,
        familyName: String? = nil,
        nickname: String? = nil,
        picture: String? = nil,
        userMetadata: JSONObject = JSONObject(),
        appMetadata: JSONObject = JSONObject()
    ) {
        self.name = name
        self.givenName = givenName
        self.familyName = familyName
        self.nickname = nickname
        self.picture = picture
        self.userMetadata = userMetadata
        self.appMetadata = appMetadata
    }
}

public enum IdentifierKind: String, Hashable, Sendable, CaseIterable {
    case email
    case phoneNumber = "phone_number"
    case username
}

/// A name that a user is found by, unique in its connection by the canonical form.
public struct UserIdentifier: Hashable, Sendable {
    public let kind: IdentifierKind
    /// What is compared, byte for byte.
    public let canonical: String
    /// What the person typed, for display.
    public let entered: String
    public var isVerified: Bool

    /// Takes both forms as they are, from a store; what a person typed goes through ``CanonicalIdentifier``.
    public init(kind: IdentifierKind, canonical: String, entered: String, isVerified: Bool) {
        self.kind = kind
        self.canonical = canonical
        self.entered = entered
        self.isVerified = isVerified
    }
}
