public import Encodings

/// An API that access tokens are made for.
public struct ResourceServer: Hashable, Sendable {
    public let id: ResourceServerID
    public let tenant: TenantID
    public var name: String
    /// The `audience`; of a system API the path under each domain's base, see ``system``.
    public let identifier: String
    /// Which of the tenant's own APIs this is, if it is one.
    public let system: SystemAPI?
    public var scopes: [Scope]
    public var signingAlgorithm: TokenAlgorithm
    public var allowOfflineAccess: Bool
    /// Seconds.
    public var tokenLifetime: Int64
    public var dialect: TokenDialect
    public var clientAccess: AccessPolicy
    public var userAccess: AccessPolicy
    /// Members that are kept and given back, and not acted on.
    public var stored = JSONObject()
    public let createdAt: UnixTime
    public var updatedAt: UnixTime

    public init(
        id: ResourceServerID,
        tenant: TenantID,
        name: String,
        identifier: String,
        system: SystemAPI? = nil,
        scopes: [Scope] = [],
        signingAlgorithm: TokenAlgorithm = .es256,
        allowOfflineAccess: Bool = false,
        tokenLifetime: Int64 = 86400,
        dialect: TokenDialect = .accessToken,
        clientAccess: AccessPolicy = .requireClientGrant,
        userAccess: AccessPolicy = .allowAll,
        createdAt: UnixTime
    ) {
        self.id = id
        self.tenant = tenant
        self.name = name
        self.identifier = identifier
        self.system = system
        self.scopes = scopes
        self.signingAlgorithm = signingAlgorithm
        self.allowOfflineAccess = allowOfflineAccess
        self.tokenLifetime = tokenLifetime
        self.dialect = dialect
        self.clientAccess = clientAccess
        self.userAccess = userAccess
        self.createdAt = createdAt
        self.updatedAt = createdAt
    }

    public struct Scope: Hashable, Sendable {
        public let value: String
        public let description: String

        public init(value: String, description: String = "") {
            self.value = value
            self.description = description
        }
    }
}

/// The APIs that every tenant has. Their audience is a path under the base of each of its domains, and the store keeps
/// them under the path alone.
public enum SystemAPI: String, Hashable, Sendable, CaseIterable {
    case management = "/api/v2/"
    case myAccount = "/me/"
}

/// What an access token's claims look like (`token_dialect`).
public enum TokenDialect: String, Hashable, Sendable, CaseIterable {
    case accessToken = "access_token"
    case rfc9068 = "rfc9068_profile"
    case accessTokenAuthz = "access_token_authz"
    case rfc9068Authz = "rfc9068_profile_authz"
}

/// Who may get a token for an API without a client grant.
public enum AccessPolicy: String, Hashable, Sendable, CaseIterable {
    case allowAll = "allow_all"
    case requireClientGrant = "require_client_grant"
    case denyAll = "deny_all"
}

/// Leave for one client to get tokens for one API.
public struct ClientGrant: Hashable, Sendable {
    public let id: ClientGrantID
    public let tenant: TenantID
    public let client: ClientID
    /// The identifier of the API, of a system API its path (``SystemAPI``).
    public let audience: String
    public let subject: Subject
    public var scope: [String]
    public var allowAllScopes: Bool
    public let createdAt: UnixTime

    public init(
        id: ClientGrantID,
        tenant: TenantID,
        client: ClientID,
        audience: String,
        subject: Subject,
        scope: [String],
        allowAllScopes: Bool = false,
        createdAt: UnixTime
    ) {
        self.id = id
        self.tenant = tenant
        self.client = client
        self.audience = audience
        self.subject = subject
        self.scope = scope
        self.allowAllScopes = allowAllScopes
        self.createdAt = createdAt
    }

    /// Whether the tokens speak for the client itself or for a user (`subject_type`).
    public enum Subject: String, Hashable, Sendable {
        case client, user
    }
}
