public import Identity

extension TenantAdministration {
    /// Lets a client get tokens for an API (HTTP contract 11.8).
    ///
    /// - Parameters:
    ///   - client: who gets them.
    ///   - audience: the API, as `TenantConfiguration.resourceServer(audience:)` reads it.
    ///   - subject: `nil`: whichever of client and user the API gives tokens to by grants alone.
    ///   - scope: `nil`: every scope that the API has now.
    ///   - allowAllScopes: whether scopes that come later count too.
    ///   - configuration: the tenant as it is.
    ///   - now: the time of the change.
    /// - Returns: the grant as it was stored.
    /// - Throws: `notFound`, `invalid` for a scope that the API has not, `conflict` for a policy that denies, `exists`, or
    ///   `store`.
    public func createGrant(
        client: ClientID,
        audience: String,
        subject: ClientGrant.Subject? = nil,
        scope: [String]?,
        allowAllScopes: Bool = false,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> ClientGrant {
        guard let owner = configuration.clients[client] else { throw .notFound(what: "client", name: client.text) }
        guard let server = configuration.resourceServer(audience: audience) else {
            throw .notFound(what: "API", name: audience)
        }
        let subject = subject ?? (server.userAccess == .requireClientGrant ? .user : .client)
        try Self.checkGrant(scope ?? [], subject, of: owner, for: server)
        var seen: Set<String> = []
        let grant = ClientGrant(
            id: ClientGrantID(random: random(12)),
            tenant: configuration.tenant.id,
            client: client,
            audience: server.identifier,
            subject: subject,
            scope: (scope ?? server.scopes.map(\.value)).filter { seen.insert($0).inserted },
            allowAllScopes: allowAllScopes,
            createdAt: now
        )
        let taken = TenancyError.exists(
            what: "a \(subject.rawValue) grant for \(server.name) of client",
            name: owner.name
        )
        try await write([.addGrant(grant)], of: configuration.tenant.id, [.clientGrant: taken])
        return grant
    }

    /// Changes what a grant gives.
    ///
    /// - Parameters:
    ///   - id: the grant.
    ///   - scope: `nil`: as it is.
    ///   - allowAllScopes: `nil`: as it is.
    ///   - configuration: the tenant as it is.
    /// - Returns: the grant as it is now.
    /// - Throws: `notFound`, `invalid` for a scope that the API has not, `changedMeanwhile` when it is gone, or `store`.
    public func setGrant(
        _ id: ClientGrantID,
        scope: [String]?,
        allowAllScopes: Bool?,
        in configuration: TenantConfiguration
    ) async throws(TenancyError) -> ClientGrant {
        guard var grant = configuration.grants.first(where: { $0.id == id }) else {
            throw .notFound(what: "grant", name: id.text)
        }
        if let scope {
            if let server = configuration.resourceServer(identifier: grant.audience) {
                try Self.check(scope, of: server)
            }
            var seen: Set<String> = []
            grant.scope = scope.filter { seen.insert($0).inserted }
        }
        grant.allowAllScopes = allowAllScopes ?? grant.allowAllScopes
        try await write([.setGrant(grant)], of: configuration.tenant.id)
        return grant
    }

    /// Takes a grant away; tokens that it gave are refused by the Management API at once.
    ///
    /// - Throws: `notFound`, `changedMeanwhile` when it is gone, or `store`.
    public func removeGrant(
        _ id: ClientGrantID,
        in configuration: TenantConfiguration
    ) async throws(TenancyError) {
        guard configuration.grants.contains(where: { $0.id == id }) else {
            throw .notFound(what: "grant", name: id.text)
        }
        try await write([.removeGrant(id)], of: configuration.tenant.id)
    }

    /// Whether a grant for this could ever give anything.
    static func checkGrant(
        _ scope: [String],
        _ subject: ClientGrant.Subject,
        of owner: Client,
        for server: ResourceServer
    ) throws(TenancyError) {
        guard (subject == .client ? server.clientAccess : server.userAccess) != .denyAll else {
            throw .conflict("\(server.name) gives no tokens to a \(subject.rawValue): its policy is deny_all.")
        }
        guard subject == .user || owner.allows(.clientCredentials) else {
            throw .conflict(
                "client \"\(owner.name)\" has no client_credentials grant type, so that a grant for itself would give "
                    + "it nothing."
            )
        }
        try check(scope, of: server)
    }

    /// Scopes of the Management API that this server has no use for may be granted, so that configurations round-trip.
    private static func check(_ scope: [String], of server: ResourceServer) throws(TenancyError) {
        let known = Set(server.scopes.map(\.value))
        for value in scope where !known.contains(value) {
            guard server.system == .management, isScopeToken(value) else {
                throw .invalid(what: "scope", value: value, problem: "is none of \(server.name)")
            }
        }
    }

    /// RFC 6749 §3.3.
    private static func isScopeToken(_ text: String) -> Bool {
        (1...280).contains(text.utf8.count)
            && text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }
    }
}
