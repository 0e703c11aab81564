public import Identity

/// What a new tenant is asked to be.
public struct TenantRequest: Hashable, Sendable {
    public var name: String
    /// `HOST[:PORT]`.
    public var domain: String
    /// `nil`: the domain's name.
    public var relyingPartyID: String?
    /// Origins under other names that may use the RP ID.
    public var relatedOrigins: [String]
    /// Whether its connection goes without passwords.
    public var passkeyOnly: Bool

    public init(
        name: String,
        domain: String,
        relyingPartyID: String? = nil,
        relatedOrigins: [String] = [],
        passkeyOnly: Bool = false
    ) {
        self.name = name
        self.domain = domain
        self.relyingPartyID = relyingPartyID
        self.relatedOrigins = relatedOrigins
        self.passkeyOnly = passkeyOnly
    }
}

/// A tenant that was made, with the one secret that is shown now and never again.
public struct CreatedTenant: Sendable {
    public let id: TenantID
    public let name: String
    public let domain: Domain
    public let connection: Connection
    public let managementClient: Client
    public let managementSecret: String
}

extension TenantAdministration {
    /// The name of the client that a tenant's administrator begins with.
    public static let managementClientName = "Management"

    /// Makes a tenant with its domain, the default connection, the system APIs, and a client that may do everything over
    /// the Management API: all or nothing.
    ///
    /// - Throws: `invalid`; `exists` for a name, a domain or an RP ID that is taken; `store`.
    public func createTenant(_ request: TenantRequest, now: UnixTime) async throws(TenancyError) -> CreatedTenant {
        try TenantName.check(request.name)
        let host = try DomainRules.host(request.domain)
        let relyingPartyID = try rules.relyingPartyID(request.relyingPartyID, host: host)
        let origins = try rules.relatedOrigins(request.relatedOrigins, relyingPartyID: relyingPartyID)

        let unnumbered = TenantID(number: 0)
        let domain = Domain(
            id: DomainID(random: random(12)),
            tenant: unnumbered,
            host: host,
            isCanonical: true,
            status: .ready,
            relyingPartyID: relyingPartyID,
            relatedOrigins: origins,
            verification: newVerification(confirmed: now, also: [relyingPartyID]),
            createdAt: now
        )
        let secret = ClientSecret(random: random(48))
        let management = managementClient(secret, of: unnumbered, now: now)
        let connection = defaultConnection(passkeyOnly: request.passkeyOnly, of: unnumbered, now: now)
        var settings = TenantSettings()
        settings.defaultDirectory = connection.name
        let tenant = NewTenant(
            name: request.name,
            settings: settings,
            domain: domain,
            connections: [connection],
            clients: [management],
            resourceServers: SystemAPI.allCases.map { systemServer($0, of: unnumbered, now: now) },
            grants: [
                ClientGrant(
                    id: ClientGrantID(random: random(12)),
                    tenant: unnumbered,
                    client: management.id,
                    audience: SystemAPI.management.rawValue,
                    subject: .client,
                    scope: SystemAPI.management.scopes.map(\.value),
                    createdAt: now
                )
            ],
            createdAt: now
        )
        let id = try await stored([
            .tenantName: .exists(what: "tenant", name: request.name),
            .domainHost: .exists(what: "domain", name: host),
            .relyingPartyID: .exists(what: "RP ID", name: relyingPartyID),
        ]) { () throws(StoreError) in try await store.create(tenant) }
        return CreatedTenant(
            id: id,
            name: request.name,
            domain: domain,
            connection: connection,
            managementClient: management,
            managementSecret: secret.text
        )
    }

    private func managementClient(_ secret: ClientSecret, of tenant: TenantID, now: UnixTime) -> Client {
        var client = Client(
            id: ClientID(random: random(24)),
            tenant: tenant,
            name: Self.managementClientName,
            appType: "non_interactive",
            grantTypes: [.clientCredentials],
            authenticationMethod: .secretPost,
            refreshToken: .confidentialDefault,
            createdAt: now
        )
        client.secretHash = secret.hash
        return client
    }

    private func defaultConnection(passkeyOnly: Bool, of tenant: TenantID, now: UnixTime) -> Connection {
        var options = ConnectionOptions()
        options.passwordsEnabled = !passkeyOnly
        return Connection(
            id: ConnectionID(random: random(12)),
            tenant: tenant,
            name: Connection.defaultName,
            options: options,
            createdAt: now
        )
    }

    /// HTTP contract 11.7: My Account `deny_all` / `require_client_grant`, Management `require_client_grant` / `deny_all`.
    private func systemServer(_ api: SystemAPI, of tenant: TenantID, now: UnixTime) -> ResourceServer {
        ResourceServer(
            id: ResourceServerID(random: random(12)),
            tenant: tenant,
            name: api.title,
            identifier: api.rawValue,
            system: api,
            scopes: api.scopes,
            clientAccess: api == .management ? .requireClientGrant : .denyAll,
            userAccess: api == .management ? .denyAll : .requireClientGrant,
            createdAt: now
        )
    }
}
