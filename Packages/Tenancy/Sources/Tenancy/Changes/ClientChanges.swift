public import Encodings
public import Identity

/// A client that was made; the secret is shown now and never again.
public struct CreatedClient: Sendable {
    public let client: Client
    /// `nil` for a public client.
    public let secret: String?
}

extension TenantAdministration {
    /// Makes a client.
    ///
    /// - Parameters:
    ///   - document: its members (HTTP contract 11.4); what is absent has its default.
    ///   - connections: the directories whose users it may sign in; `nil`: all, if one of its grants signs users in.
    ///   - configuration: the tenant as it is.
    ///   - now: the time of the change.
    /// - Returns: the client and its secret, when it has one.
    /// - Throws: `document`, `notBuilt`, `conflict`, `notFound` for a connection, or `store`.
    public func createClient(
        _ document: JSONObject,
        enabling connections: [ConnectionID]? = nil,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> CreatedClient {
        var client = try readClient(
            document,
            id: ClientID(random: random(24)),
            tenant: configuration.tenant.id,
            secretHash: nil,
            createdAt: now,
            now: now
        )
        var secret: ClientSecret?
        if Self.needsSecret(client) {
            let new = ClientSecret(random: random(48))
            client.secretHash = new.hash
            secret = new
        }
        for id in connections ?? [] where configuration.connection(id)?.servesClients != true {
            throw .notFound(what: "connection", name: id.text)
        }
        let signsUsersIn = client.grantTypes.contains { $0 != .clientCredentials && $0 != .refreshToken }
        let enabled = connections ?? (signsUsersIn ? configuration.connections.filter(\.servesClients).map(\.id) : [])
        try await write(
            [.addClient(client, enabling: enabled)],
            of: configuration.tenant.id,
            [.clientID: .exists(what: "client", name: client.id.text)]
        )
        return CreatedClient(client: client, secret: secret?.text)
    }

    /// Changes a client.
    ///
    /// - Returns: the client as it is now.
    /// - Throws: `document`, `notBuilt`, `conflict`, `notFound`, `changedMeanwhile`, or `store`. A public client cannot
    ///   become one with a secret here, since nobody would be told the secret.
    public func setClient(
        _ id: ClientID,
        _ patch: DocumentPatch,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> Client {
        guard let old = configuration.clients[id] else { throw .notFound(what: "client", name: id.text) }
        let client = try readClient(
            patch.applied(to: old.document),
            id: id,
            tenant: old.tenant,
            secretHash: old.secretHash,
            createdAt: old.createdAt,
            now: old.updatedAt.changed(at: now)
        )
        guard !Self.needsSecret(client) || client.secretHash != nil else {
            throw .conflict(
                "token_endpoint_auth_method \(client.authenticationMethod.rawValue) needs a secret, which this client "
                    + "was made without: make another client."
            )
        }
        try await write([.setClient(client, replacing: old.updatedAt)], of: configuration.tenant.id)
        return client
    }

    /// Gives a confidential client a new secret; the old one is worth nothing at once.
    ///
    /// - Returns: the client and the secret, which is shown now and never again.
    /// - Throws: `conflict` for a client without a secret, `notFound`, `changedMeanwhile`, or `store`.
    public func newSecret(
        of id: ClientID,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> CreatedClient {
        guard var client = configuration.clients[id] else { throw .notFound(what: "client", name: id.text) }
        guard Self.needsSecret(client) else { throw .conflict("client \(id.text) has no secret.") }
        let secret = ClientSecret(random: random(48))
        client.secretHash = secret.hash
        let old = client.updatedAt
        client.updatedAt = old.changed(at: now)
        try await write([.setClient(client, replacing: old)], of: configuration.tenant.id)
        return CreatedClient(client: client, secret: secret.text)
    }

    /// Takes a client away with its grants; its refresh tokens are worth nothing from then on. Where it was the tenant's
    /// `default_browser_client` there is none any more.
    ///
    /// - Throws: `notFound`, `changedMeanwhile`, or `store`.
    public func removeClient(
        _ id: ClientID,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) {
        guard configuration.clients[id] != nil else { throw .notFound(what: "client", name: id.text) }
        let tenant = configuration.tenant
        var changes = [ConfigurationChange.removeClient(id)]
        if tenant.settings.defaultBrowserClient == id {
            var settings = tenant.settings
            settings.defaultBrowserClient = nil
            changes.append(
                .setSettings(settings, replacing: tenant.updatedAt, at: tenant.updatedAt.changed(at: now))
            )
        }
        try await write(changes, of: tenant.id)
    }

    static func needsSecret(_ client: Client) -> Bool {
        client.authenticationMethod == .secretPost || client.authenticationMethod == .secretBasic
    }

    private func readClient(
        _ document: JSONObject,
        id: ClientID,
        tenant: TenantID,
        secretHash: [UInt8]?,
        createdAt: UnixTime,
        now: UnixTime
    ) throws(TenancyError) -> Client {
        let client: Client
        do throws(DocumentError) {
            client = try Client(
                document: document,
                id: id,
                tenant: tenant,
                secretHash: secretHash,
                createdAt: createdAt,
                updatedAt: now
            )
        } catch {
            throw .document(error)
        }
        try BuildLimits.check(client)
        return client
    }
}
