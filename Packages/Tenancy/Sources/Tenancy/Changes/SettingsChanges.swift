public import Identity

extension TenantAdministration {
    /// Changes a tenant's settings (HTTP contract 11.13).
    ///
    /// - Returns: the settings as they are now.
    /// - Throws: `document`, `notBuilt`, `notFound` for a directory, API or client that is named, or `store`.
    public func setSettings(
        _ patch: DocumentPatch,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> TenantSettings {
        let settings: TenantSettings
        do throws(DocumentError) {
            settings = try TenantSettings(document: patch.applied(to: configuration.tenant.settings.document))
        } catch {
            throw .document(error)
        }
        try BuildLimits.check(settings)
        guard settings.defaultDirectory != Connection.conformanceName else {
            throw .conflict("default_directory cannot be \(Connection.conformanceName): nobody signs in there.")
        }
        if let name = settings.defaultDirectory, configuration.connection(named: name) == nil {
            throw .notFound(what: "connection", name: name)
        }
        if let name = settings.defaultAudience, configuration.resourceServer(audience: name) == nil {
            throw .notFound(what: "API", name: name)
        }
        if let client = settings.defaultBrowserClient, configuration.clients[client] == nil {
            throw .notFound(what: "client", name: client.text)
        }
        let tenant = configuration.tenant
        var changes: [ConfigurationChange] = []
        if settings.conformanceAPI, configuration.connection(named: Connection.conformanceName) == nil {
            changes.append(.addConnection(Self.conformanceDirectory(of: tenant.id, now: now, random: random)))
        }
        changes.append(.setSettings(settings, replacing: tenant.updatedAt, at: tenant.updatedAt.changed(at: now)))
        try await write(
            changes,
            of: tenant.id,
            [.connectionName: .exists(what: "connection", name: Connection.conformanceName)]
        )
        return settings
    }

    /// The user directory of the FIDO conformance API (HTTP contract 13). It stays when the API is off again.
    static func conformanceDirectory(of tenant: TenantID, now: UnixTime, random: RandomSource) -> Connection {
        var options = ConnectionOptions()
        options.passwordsEnabled = false
        options.signupDisabled = true
        return Connection(
            id: ConnectionID(random: random(12)),
            tenant: tenant,
            name: Connection.conformanceName,
            displayName: "FIDO conformance tests",
            options: options,
            createdAt: now
        )
    }
}

extension TenantConfiguration {
    /// The API that an `audience` names: by its identifier, a system API also under the base of any of the tenant's
    /// domains.
    public func resourceServer(audience: String) -> ResourceServer? {
        // A loopback name is served over both schemes.
        let bases = domains.flatMap { $0.isLoopbackName ? ["http://" + $0.host, "https://" + $0.host] : [$0.base] }
        for base in bases {
            for api in SystemAPI.allCases where (base + api.rawValue).utf8.elementsEqual(audience.utf8) {
                return resourceServer(identifier: api.rawValue)
            }
        }
        return resourceServer(identifier: audience)
    }
}
