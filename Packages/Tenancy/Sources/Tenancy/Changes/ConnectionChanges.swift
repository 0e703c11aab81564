public import Encodings
public import Identity

extension TenantAdministration {
    /// Makes a user directory (HTTP contract 11.5).
    ///
    /// - Returns: the connection as it was stored.
    /// - Throws: `document`, `notBuilt`, `conflict`, `notFound` for a client, `exists`, or `store`.
    public func createConnection(
        _ document: JSONObject,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> Connection {
        let connection = try readConnection(
            document,
            id: ConnectionID(random: random(12)),
            tenant: configuration.tenant.id,
            createdAt: now,
            now: now
        )
        try await check(connection, in: configuration)
        try await write(
            [.addConnection(connection)],
            of: configuration.tenant.id,
            [.connectionName: .exists(what: "connection", name: connection.name)]
        )
        return connection
    }

    /// Changes a connection; its name and its strategy are fixed (HTTP contract 11.5).
    ///
    /// - Returns: the connection as it is now.
    /// - Throws: `document`, `notBuilt`, `conflict`, `notFound`, `changedMeanwhile`, or `store`.
    public func setConnection(
        _ id: ConnectionID,
        _ patch: DocumentPatch,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> Connection {
        guard let old = configuration.connection(id) else { throw .notFound(what: "connection", name: id.text) }
        for name in patch.topLevelNames where name == "name" || name == "strategy" {
            throw .document(.unknownMember(path: name))
        }
        let connection = try readConnection(
            patch.applied(to: old.document),
            id: id,
            tenant: old.tenant,
            createdAt: old.createdAt,
            now: old.updatedAt.changed(at: now)
        )
        try await check(connection, in: configuration)
        try await write([.setConnection(connection, replacing: old.updatedAt)], of: configuration.tenant.id)
        return connection
    }

    /// Enables and disables clients for a connection.
    ///
    /// - Throws: `conflict`, `notFound` for the connection or a client, `changedMeanwhile`, or `store`.
    public func setClients(
        _ changes: [(client: ClientID, isEnabled: Bool)],
        of id: ConnectionID,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) {
        guard var connection = configuration.connection(id) else { throw .notFound(what: "connection", name: id.text) }
        for change in changes {
            connection.enabledClients.removeAll { $0 == change.client }
            if change.isEnabled { connection.enabledClients.append(change.client) }
        }
        let old = connection.updatedAt
        connection.updatedAt = old.changed(at: now)
        try checkClients(changes.map(\.client), in: configuration)
        try await check(connection, in: configuration)
        try await write([.setConnection(connection, replacing: old)], of: configuration.tenant.id)
    }

    /// Takes a user directory away that has no users.
    ///
    /// - Throws: `inUse` while it has users, or is the tenant's `default_directory` or that of the conformance API;
    ///   `notFound`, or `store`.
    public func removeConnection(
        _ id: ConnectionID,
        in configuration: TenantConfiguration
    ) async throws(TenancyError) {
        guard let connection = configuration.connection(id) else { throw .notFound(what: "connection", name: id.text) }
        let settings = configuration.tenant.settings
        guard settings.defaultDirectory.map({ !$0.utf8.elementsEqual(connection.name.utf8) }) ?? true else {
            throw .inUse("\(connection.name) is the tenant's default_directory: choose another one first.")
        }
        guard connection.servesClients || !settings.conformanceAPI else {
            throw .inUse("\(connection.name) is for the conformance API: switch conformance_api off first.")
        }
        do throws(TenancyError) {
            try await write([.removeConnection(id)], of: configuration.tenant.id)
        } catch .changedMeanwhile {
            let now = try await stored([:]) { () throws(StoreError) in
                try await store.configuration(of: configuration.tenant.id)
            }
            guard now?.connection(id) != nil else { throw .notFound(what: "connection", name: id.text) }
            throw .inUse("\(connection.name) has users: delete them first.")
        }
    }

    private func readConnection(
        _ document: JSONObject,
        id: ConnectionID,
        tenant: TenantID,
        createdAt: UnixTime,
        now: UnixTime
    ) throws(TenancyError) -> Connection {
        do throws(DocumentError) {
            return try Connection(document: document, id: id, tenant: tenant, createdAt: createdAt, updatedAt: now)
        } catch {
            throw .document(error)
        }
    }

    private func check(_ connection: Connection, in configuration: TenantConfiguration) async throws(TenancyError) {
        try checkClients(connection.enabledClients, in: configuration)
        guard connection.enabledClients.isEmpty || connection.servesClients else {
            throw .conflict("enabled_clients of \(connection.name) stays empty: its users never get a token.")
        }
        try BuildLimits.check(connection.options)
        try await checkMetadata(connection.options.passkey)
    }

    private func checkClients(_ clients: [ClientID], in configuration: TenantConfiguration) throws(TenancyError) {
        for id in clients where configuration.clients[id] == nil { throw .notFound(what: "client", name: id.text) }
    }

    /// What only a trusted attestation proves is asked for only where there are roots to trust: nobody could make a
    /// passkey otherwise.
    private func checkMetadata(_ options: PasskeyOptions) async throws(TenancyError) {
        guard let member = options.memberThatNeedsMetadata, try await !hasMetadata() else { return }
        throw .conflict(Self.needsMetadata(member))
    }

    /// Whether there are roots that models of authenticators are proven by.
    func hasMetadata() async throws(TenancyError) -> Bool {
        do throws(StoreError) {
            guard let metadata else { return false }
            return try await metadata.metadataRevision() > 0
        } catch {
            throw .store(error)
        }
    }

    static func needsMetadata(_ member: String) -> String {
        "options.passkey_options.webauthn.\(member) needs the metadata of authenticators, whose roots prove a model: "
            + "import it first, with latchkey-admin mds import."
    }
}

extension PasskeyOptions {
    /// The member of the policy that asks for what only metadata proves.
    var memberThatNeedsMetadata: String? {
        if !allowedAAGUIDs.isEmpty { return "allowed_aaguids" }
        return requireTrustedAttestation ? "require_trusted_attestation" : nil
    }
}

extension Connection {
    /// Whether clients may be enabled for it: all but the directory of the conformance API.
    var servesClients: Bool { name != Self.conformanceName }
}
