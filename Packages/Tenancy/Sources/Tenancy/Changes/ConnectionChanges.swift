import Encodings
public import Identity

extension TenantAdministration {
    /// Changes a connection: `display_name`, `enabled_clients` and `options` (HTTP contract 11.5).
    ///
    /// - Returns: the connection as it is now.
    /// - Throws: `document`, `notBuilt`, `conflict`, `notFound`, or `store`.
    public func setConnection(
        _ id: ConnectionID,
        _ patch: DocumentPatch,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> Connection {
        guard var connection = configuration.connection(id) else { throw .notFound(what: "connection", name: id.text) }
        for name in patch.topLevelNames where !["display_name", "enabled_clients", "options"].contains(name) {
            guard Self.fixedOrKept.contains(name) else { throw .document(.unknownMember(path: name)) }
            throw .notBuilt(
                member: name,
                sentence: "\(name) cannot be set: this build changes display_name, enabled_clients and options."
            )
        }
        var document: JSONObject = [
            "enabled_clients": .array(connection.enabledClients.map { .string($0.text) }),
            "options": .object(connection.options.document),
        ]
        if let name = connection.displayName { document.set("display_name", .string(name)) }
        document = patch.applied(to: document)
        connection.displayName = try Self.displayName(document["display_name"])
        connection.enabledClients = try Self.enabledClients(document["enabled_clients"], in: configuration)
        guard connection.enabledClients.isEmpty || connection.servesClients else {
            throw .conflict("enabled_clients of \(connection.name) stays empty: its users never get a token.")
        }
        connection.options = try Self.options(document["options"])
        try await checkMetadata(connection.options.passkey)
        connection.updatedAt = now
        let stored = connection
        let found = try await write([:]) { () throws(StoreError) in try await store.update(stored) }
        guard found else { throw .notFound(what: "connection", name: id.text) }
        return connection
    }

    /// What only a trusted attestation proves is asked for only where there are roots to trust: nobody could make a
    /// passkey otherwise.
    private func checkMetadata(_ options: PasskeyOptions) async throws(TenancyError) {
        let member: String
        if !options.allowedAAGUIDs.isEmpty {
            member = "allowed_aaguids"
        } else if options.requireTrustedAttestation {
            member = "require_trusted_attestation"
        } else {
            return
        }
        do throws(StoreError) {
            if let metadata, try await metadata.metadataRevision() > 0 { return }
        } catch {
            throw .store(error)
        }
        throw .conflict(
            "options.passkey_options.webauthn.\(member) needs the metadata of authenticators, whose roots prove a model: "
                + "import it first, with latchkey-admin mds import."
        )
    }

    /// Members of the contract that are fixed, or that this build does not keep.
    private static let fixedOrKept = [
        "name", "strategy", "realms", "is_domain_connection", "metadata", "show_as_button", "connected_accounts",
        "authentication", "cross_app_access_requesting_app", "cross_app_access_resource_app",
    ]

    private static func displayName(_ value: JSONValue?) throws(TenancyError) -> String? {
        guard let value, !value.isNull else { return nil }
        guard let text = value.string, (1...128).contains(text.unicodeScalars.count),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0 == "<" || $0 == ">" })
        else {
            throw .document(
                .invalidValue(path: "display_name", value: "that", expected: "1 to 128 characters without < and >")
            )
        }
        return text
    }

    private static func enabledClients(
        _ value: JSONValue?,
        in configuration: TenantConfiguration
    ) throws(TenancyError) -> [ClientID] {
        guard let value, !value.isNull else { return [] }
        guard let elements = value.array else {
            throw .document(.invalidValue(path: "enabled_clients", value: "that", expected: "a list of client ids"))
        }
        var clients: [ClientID] = []
        for element in elements {
            let id = ClientID(element.string ?? "")
            guard configuration.clients[id] != nil else { throw .notFound(what: "client", name: id.text) }
            if !clients.contains(id) { clients.append(id) }
        }
        return clients
    }

    private static func options(_ value: JSONValue?) throws(TenancyError) -> ConnectionOptions {
        let options: ConnectionOptions
        do throws(DocumentError) {
            guard let value, !value.isNull else { throw .missingMember(path: "options") }
            guard let object = value.object else {
                throw .invalidValue(path: "options", value: "that", expected: "an object")
            }
            options = try ConnectionOptions(document: object)
        } catch {
            throw .document(error)
        }
        try BuildLimits.check(options)
        return options
    }
}

extension Connection {
    /// Whether clients may be enabled for it: all but the directory of the conformance API.
    var servesClients: Bool { name != Self.conformanceName }
}
