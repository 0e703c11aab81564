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
        let stored = client
        try await write([.clientID: .exists(what: "client", name: client.id.text)]) { () throws(StoreError) in
            try await store.add(stored, enabling: enabled)
        }
        return CreatedClient(client: client, secret: secret?.text)
    }

    /// Changes a client.
    ///
    /// - Returns: the client as it is now.
    /// - Throws: `document`, `notBuilt`, `conflict`, `notFound`, or `store`. A public client cannot become one with a
    ///   secret here, since nobody would be told the secret.
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
            now: now
        )
        guard !Self.needsSecret(client) || client.secretHash != nil else {
            throw .conflict(
                "token_endpoint_auth_method \(client.authenticationMethod.rawValue) needs a secret, which this client "
                    + "was made without: make another client."
            )
        }
        let found = try await write([:]) { () throws(StoreError) in try await store.update(client) }
        guard found else { throw .notFound(what: "client", name: id.text) }
        return client
    }

    /// Gives a confidential client a new secret; the old one is worth nothing at once.
    ///
    /// - Returns: the secret, shown now and never again.
    /// - Throws: `conflict` for a client without a secret, `notFound`, or `store`.
    public func newSecret(
        of id: ClientID,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> String {
        guard var client = configuration.clients[id] else { throw .notFound(what: "client", name: id.text) }
        guard Self.needsSecret(client) else { throw .conflict("client \(id.text) has no secret.") }
        let secret = ClientSecret(random: random(48))
        client.secretHash = secret.hash
        client.updatedAt = now
        let stored = client
        let found = try await write([:]) { () throws(StoreError) in try await store.update(stored) }
        guard found else { throw .notFound(what: "client", name: id.text) }
        return secret.text
    }

    private static func needsSecret(_ client: Client) -> Bool {
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
