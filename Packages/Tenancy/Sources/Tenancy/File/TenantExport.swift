import Cryptography
public import Encodings
public import Identity

/// A tenant in the words of its file (HTTP contract 16): names in place of ids, what has its default left out, sorted by
/// name, so that the same tenant always gives the same file.
public struct TenantExport: Sendable {
    /// The file, without `version`.
    public let file: JSONObject
    /// Names this state: SHA-256 of the file, base64url. Two states with one file have one version.
    public let version: String

    /// - Throws: `conflict` where a name that others refer to by belongs to several clients.
    public init(_ configuration: TenantConfiguration) throws(TenancyError) {
        let names = try ClientNames(configuration)
        var file = JSONObject()
        file.set("tenant", .object(Self.settings(configuration.tenant.settings, names)))
        file.set("clients", Self.list(configuration.clients.values.map(Self.client), by: "name"))
        file.set(
            "databases",
            Self.list(configuration.connections.filter(\.servesClients).map { Self.connection($0, names) }, by: "name")
        )
        file.set(
            "resourceServers",
            Self.list(configuration.resourceServers.map(Self.resourceServer), by: "identifier")
        )
        file.set(
            "clientGrants",
            Self.list(configuration.grants.map { Self.grant($0, names) }, by: "client_id", "audience", "subject_type")
        )
        file.set("customDomains", Self.list(configuration.domains.map(Self.domain), by: "domain"))
        self.file = file
        version = Base64URL.encode(SHA256.hash(JSONValue.object(file).serialized()))
    }

    /// In the order of these members, as bytes.
    private static func list(_ entries: [JSONObject], by members: String...) -> JSONValue {
        func key(_ entry: JSONObject) -> [[UInt8]] { members.map { Array((entry[$0]?.string ?? "").utf8) } }
        let sorted = entries.map { (key($0), $0) }.sorted { one, other in
            for (left, right) in zip(one.0, other.0) where left != right {
                return left.lexicographicallyPrecedes(right)
            }
            return false
        }
        return .array(sorted.map { .object($0.1) })
    }

    static func settings(_ settings: TenantSettings, _ names: ClientNames) -> JSONObject {
        var document = settings.document.compacted(
            against: TenantSettings().document,
            keeping: ["friendly_name", "default_directory"]
        )
        if let client = settings.defaultBrowserClient, let name = names.name(of: client) {
            document.set("default_browser_client", .string(name))
        }
        return document
    }

    static func client(_ client: Client) -> JSONObject {
        let standard = Client(
            id: client.id,
            tenant: client.tenant,
            name: client.name,
            appType: client.appType,
            grantTypes: Client.defaultGrantTypes(appType: client.appType),
            authenticationMethod: client.authenticationMethod,
            refreshToken: Client.isPublic(appType: client.appType) ? .publicDefault : .confidentialDefault,
            createdAt: client.createdAt
        )
        var document = client.document.compacted(
            against: standard.document,
            keeping: ["name", "app_type", "token_endpoint_auth_method", "grant_types"]
        )
        // Given at all, it says both (HTTP contract 11.4).
        if document["refresh_token"] != nil { document.set("refresh_token", client.document["refresh_token"] ?? .null) }
        return document
    }

    static func connection(_ connection: Connection, _ names: ClientNames) -> JSONObject {
        var document = connection.document
        document.remove("realms")
        let standard = Connection(
            id: connection.id,
            tenant: connection.tenant,
            name: connection.name,
            createdAt: connection.createdAt
        )
        var defaults = standard.document
        var compact = document.compacted(
            against: defaults,
            keeping: ["name", "strategy", "enabled_clients", "options"]
        )
        compact.set("enabled_clients", .array(names.sorted(connection.enabledClients).map { .string($0) }))
        defaults = ConnectionOptions().document
        var options = connection.options.document.compacted(against: defaults, keeping: ["authentication_methods"])
        // Nested defaults depend on which attribute it is, so that they stand as they are.
        if let attributes = connection.options.document["attributes"] { options.set("attributes", attributes) }
        if let secrets = options["configuration"]?.object {
            options.set("configuration", .object(Self.references(secrets, of: connection.name)))
        }
        compact.set("options", .object(options))
        return compact
    }

    static func resourceServer(_ server: ResourceServer) -> JSONObject {
        var standard = ResourceServer(
            id: server.id,
            tenant: server.tenant,
            name: server.name,
            identifier: server.identifier,
            system: server.system,
            createdAt: server.createdAt
        )
        if let system = server.system {
            (standard.clientAccess, standard.userAccess) = system.standardAccess
            standard.scopes = server.scopes
        }
        return server.document.compacted(
            against: standard.document,
            keeping: server.system == nil ? ["identifier", "name", "scopes"] : ["identifier", "name"]
        )
    }

    static func grant(_ grant: ClientGrant, _ names: ClientNames) -> JSONObject {
        var document: JSONObject = [
            "client_id": .string(names.name(of: grant.client) ?? grant.client.text),
            "audience": .string(grant.audience),
        ]
        if grant.subject != .client { document.set("subject_type", .string(grant.subject.rawValue)) }
        document.set("scope", .array(grant.scope.map { .string($0) }))
        if grant.allowAllScopes { document.set("allow_all_scopes", true) }
        return document
    }

    static func domain(_ domain: Domain) -> JSONObject {
        let standard = Domain(
            id: domain.id,
            tenant: domain.tenant,
            host: domain.host,
            isCanonical: domain.isCanonical,
            status: domain.status,
            relyingPartyID: domain.name,
            createdAt: domain.createdAt
        )
        let choices = domain.choices.compacted(
            against: standard.choices,
            keeping: ["type", "relying_party_identifier"]
        )
        var document: JSONObject = ["domain": .string(domain.host)]
        for name in ["type", "relying_party_identifier"] {
            if let value = choices[name] { document.set(name, value) }
        }
        for member in choices.members { document.set(member.name, member.value) }
        return document
    }

    /// A secret never stands in a file: in its place is the name that it is to have in the environment.
    static func references(_ secrets: JSONObject, of name: String) -> JSONObject {
        var references = JSONObject()
        for member in secrets.members {
            let words = (name + "_" + member.name).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
            references.set(member.name, .string("##" + String(words).uppercased() + "##"))
        }
        return references
    }
}

/// Which client a name means, and which name a client has.
struct ClientNames: Sendable {
    private let names: [ClientID: String]
    private let ids: [[UInt8]: ClientID]

    /// - Throws: `conflict` for a name that several clients have: nothing could refer to one of them by it.
    init(_ configuration: TenantConfiguration) throws(TenancyError) {
        try self.init(configuration.clients.values.map { ($0.id, $0.name) })
    }

    init(_ clients: [(ClientID, String)]) throws(TenancyError) {
        var (names, ids): ([ClientID: String], [[UInt8]: ClientID]) = ([:], [:])
        for (id, name) in clients {
            names[id] = name
            if let other = ids.updateValue(id, forKey: Array(name.utf8)) {
                let both = [other.text, id.text].sorted().joined(separator: " and ")
                throw .conflict(
                    "the clients \(both) are both called \"\(name)\": a tenant file knows clients by their names. Rename one."
                )
            }
        }
        (self.names, self.ids) = (names, ids)
    }

    func name(of client: ClientID) -> String? { names[client] }

    /// The client that a file means: by name, or where no client has that name by id.
    func client(_ name: String) -> ClientID? {
        if let id = ids[Array(name.utf8)] { return id }
        let id = ClientID(name)
        return names[id] == nil ? nil : id
    }

    /// The names, sorted as bytes.
    func sorted(_ clients: [ClientID]) -> [String] {
        clients.compactMap { names[$0] }.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    }
}

extension SystemAPI {
    /// Who may get tokens for it, of a client and of a user (HTTP contract 11.7).
    var standardAccess: (client: AccessPolicy, user: AccessPolicy) {
        switch self {
        case .management: (.requireClientGrant, .denyAll)
        case .myAccount: (.denyAll, .requireClientGrant)
        }
    }
}
