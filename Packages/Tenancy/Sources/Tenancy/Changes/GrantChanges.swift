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
        guard (subject == .client ? server.clientAccess : server.userAccess) != .denyAll else {
            throw .conflict("\(server.name) gives no tokens to a \(subject.rawValue): its policy is deny_all.")
        }
        guard subject == .user || owner.allows(.clientCredentials) else {
            throw .conflict(
                "client \"\(owner.name)\" has no client_credentials grant type, so that a grant for itself would give "
                    + "it nothing."
            )
        }
        let known = Set(server.scopes.map(\.value))
        for value in scope ?? [] where !known.contains(value) {
            throw .invalid(what: "scope", value: value, problem: "is none of \(server.name)")
        }
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
        try await write([
            .clientGrant: .exists(what: "a \(subject.rawValue) grant for \(server.name) of client", name: owner.name)
        ]) { () throws(StoreError) in try await store.add(grant) }
        return grant
    }
}
