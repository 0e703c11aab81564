public import WebAuthn

/// A credential record (WebAuthn L3 §4) with what this platform knows beside it.
public struct Passkey: Hashable, Sendable {
    /// The store's number; `nil` for one that is not stored yet.
    public let number: PasskeyNumber?
    public let id: PasskeyID
    public let tenant: TenantID
    public let user: UserID
    public let relyingPartyID: String
    /// The user handle that the authenticator was given.
    public let userHandle: [UInt8]
    public var record: CredentialRecord
    /// Whether the authenticator finds it without a list, as the client said when it was made (`credProps`, WebAuthn L3
    /// §10.1.3), which nobody signed; `nil`: it did not say.
    public let isDiscoverable: Bool?
    public var name: String?
    public let enrolledBy: EnrolledBy
    public var userAgent: String?
    /// Set when a policy took it out of use; it signs nobody in.
    public var suspendedAt: UnixTime?
    public let createdAt: UnixTime
    public var lastUsedAt: UnixTime?

    /// The credential's id, 1 to 1023 bytes.
    public var credentialID: [UInt8] { record.id }

    public init(
        number: PasskeyNumber? = nil,
        id: PasskeyID,
        tenant: TenantID,
        user: UserID,
        relyingPartyID: String,
        userHandle: [UInt8],
        record: CredentialRecord,
        isDiscoverable: Bool? = nil,
        name: String? = nil,
        enrolledBy: EnrolledBy,
        userAgent: String? = nil,
        suspendedAt: UnixTime? = nil,
        createdAt: UnixTime,
        lastUsedAt: UnixTime? = nil
    ) {
        self.number = number
        self.id = id
        self.tenant = tenant
        self.user = user
        self.relyingPartyID = relyingPartyID
        self.userHandle = userHandle
        self.record = record
        self.isDiscoverable = isDiscoverable
        self.name = name
        self.enrolledBy = enrolledBy
        self.userAgent = userAgent
        self.suspendedAt = suspendedAt
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

/// How a passkey came to be (`enrolled_by`).
public enum EnrolledBy: String, Hashable, Sendable {
    case signup, enroll, upgrade, `import`, recovery
}

/// What a sign-in with a credential id finds, from one consistent read.
public struct LoginCandidate: Hashable, Sendable {
    public let passkey: Passkey
    public let user: User
    /// Every user handle of the user: the own one and those that came with an import.
    public let userHandles: [[UInt8]]

    public init(passkey: Passkey, user: User, userHandles: [[UInt8]]) {
        self.passkey = passkey
        self.user = user
        self.userHandles = userHandles
    }
}
