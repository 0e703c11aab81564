public import WebAuthn

/// A ceremony that has begun and waits for its one answer: all that the answer will be judged by, fixed at the start.
public struct PendingCeremony: Hashable, Sendable {
    public let id: CeremonyID
    public let tenant: TenantID
    public let client: ClientID
    public let connection: ConnectionID
    /// The host of the domain it began on.
    public let domainHost: String
    public let purpose: Purpose
    public let startedAt: UnixTime
    public let expiresAt: UnixTime

    public init(
        id: CeremonyID,
        tenant: TenantID,
        client: ClientID,
        connection: ConnectionID,
        domainHost: String,
        purpose: Purpose,
        startedAt: UnixTime,
        expiresAt: UnixTime
    ) {
        self.id = id
        self.tenant = tenant
        self.client = client
        self.connection = connection
        self.domainHost = domainHost
        self.purpose = purpose
        self.startedAt = startedAt
        self.expiresAt = expiresAt
    }

    public enum Purpose: Hashable, Sendable {
        /// A new user: nothing is stored until the answer is right.
        case signup(IssuedRegistration, NewAccount, CeremonySurface)
        /// One more passkey for a signed-in user.
        case enroll(IssuedRegistration, user: UserID, userHandle: [UInt8], session: SessionID, CeremonySurface)
        /// A passkey for a user who lost what they signed in with; the proof is spent when it is stored.
        case recover(IssuedRegistration, user: UserID, userHandle: [UInt8], proof: RecoveryProof, CeremonySurface)
        case login(IssuedAuthentication, CeremonySurface, named: NamedUser)
    }

    /// Whom a sign-in was begun for.
    public enum NamedUser: Hashable, Sendable {
        /// No user name was given: the authenticator says who it is.
        case nobody
        case user(UserID)
        /// A name that nobody has, or that has no passkey; the list that was sent is made up.
        case unknown
    }
}

/// What lets somebody make a passkey for an account without signing in to it.
public struct RecoveryProof: Hashable, Sendable {
    public let kind: Kind
    /// What the store knows it by: a hash of a secret, as its kind says.
    public let hash: [UInt8]

    public init(_ kind: Kind, hash: [UInt8]) {
        self.kind = kind
        self.hash = hash
    }

    public enum Kind: String, Hashable, Sendable {
        /// A link that an operator made: a ``Ticket`` for ``Ticket/Purpose/passkeyEnrollment``.
        case link
        /// The code that was mailed for a ``StartedRecovery``, whose hash this is.
        case mail = "email"
        /// One of the user's recovery codes, by its keyed hash.
        case recoveryCode = "recovery_code"
    }
}

/// Which interface a ceremony began at; it ends at the same one, but for passkeys of who is signed in, which the browser
/// API and the My Account API take from each other.
public enum CeremonySurface: String, Hashable, Sendable {
    /// `/passkey/*` and `/oauth/token`.
    case token
    /// `/register/*` and `/login/*`.
    case browser
    /// `/me/v1/authentication-methods`, the My Account API.
    case account
    /// `/u/passkey/*`, for the scripts of the server's own pages.
    case hosted
    /// `/attestation/*` and `/assertion/*`, the FIDO conformance API.
    case conformance
}

/// The account that a sign-up will make.
public struct NewAccount: Hashable, Sendable {
    public let identifiers: [UserIdentifier]
    public let profile: UserProfile
    /// 32 random bytes, fixed for the user's life.
    public let userHandle: [UInt8]

    public init(identifiers: [UserIdentifier], profile: UserProfile, userHandle: [UInt8]) {
        self.identifiers = identifiers
        self.profile = profile
        self.userHandle = userHandle
    }
}
