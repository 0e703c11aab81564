/// What an application exchanges for tokens after a hosted sign-in, once and within a minute: all that it is bound to
/// (HTTP contract 8.1, RFC 6749 §4.1.2).
public struct AuthorizationCode: Hashable, Sendable {
    public let tenant: TenantID
    /// SHA-256 of its 32 bytes.
    public let hash: [UInt8]
    public let client: ClientID
    public let user: UserID
    public let session: SessionID
    /// As the authorization request had it.
    public let redirectURI: String
    /// The PKCE challenge of method `S256`, as it came; `nil`: none did (RFC 7636).
    public let challenge: String?
    public let nonce: String?
    public let scope: [String]
    /// As the request named it; `nil`: the user-info endpoint alone.
    public let audience: String?
    public let createdAt: UnixTime
    public let expiresAt: UnixTime

    public init(
        tenant: TenantID,
        hash: [UInt8],
        client: ClientID,
        user: UserID,
        session: SessionID,
        redirectURI: String,
        challenge: String?,
        nonce: String?,
        scope: [String],
        audience: String?,
        createdAt: UnixTime,
        expiresAt: UnixTime
    ) {
        self.tenant = tenant
        self.hash = hash
        self.client = client
        self.user = user
        self.session = session
        self.redirectURI = redirectURI
        self.challenge = challenge
        self.nonce = nonce
        self.scope = scope
        self.audience = audience
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
