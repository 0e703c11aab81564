public import Encodings
public import Identity

extension TenantAdministration {
    /// Makes an API that access tokens can be asked for (HTTP contract 11.7).
    ///
    /// - Returns: the API as it was stored.
    /// - Throws: `document`, `notBuilt`, `invalid` for an identifier that means something of the tenant's own, `exists`, or
    ///   `store`.
    public func createResourceServer(
        _ document: JSONObject,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> ResourceServer {
        let server: ResourceServer
        do throws(DocumentError) {
            server = try ResourceServer(
                document: document,
                id: ResourceServerID(random: random(12)),
                tenant: configuration.tenant.id,
                createdAt: now,
                updatedAt: now
            )
        } catch {
            throw .document(error)
        }
        guard !Self.isReserved(server.identifier, under: configuration.domains) else {
            throw .invalid(
                what: "identifier",
                value: server.identifier,
                problem: "is an address of the tenant itself, whose own APIs have it"
            )
        }
        try BuildLimits.check(server)
        try await write(
            [.addResourceServer(server)],
            of: configuration.tenant.id,
            [.resourceServer: .exists(what: "API", name: server.identifier)]
        )
        return server
    }

    /// Changes an API. Its identifier is fixed; of the tenant's own APIs only lifetimes and who may have tokens can change.
    ///
    /// - Returns: the API as it is now.
    /// - Throws: `document`, `notBuilt`, `conflict`, `notFound`, `changedMeanwhile`, or `store`.
    public func setResourceServer(
        _ id: ResourceServerID,
        _ patch: DocumentPatch,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> ResourceServer {
        guard let old = configuration.resourceServers.first(where: { $0.id == id }) else {
            throw .notFound(what: "API", name: id.text)
        }
        for name in patch.topLevelNames {
            if name == "identifier" { throw .document(.unknownMember(path: name)) }
            guard old.system == nil || Self.changeableOfSystem.contains(name) else {
                throw .conflict("\(name) of \(old.name) cannot change: it is the tenant's own API.")
            }
        }
        let server: ResourceServer
        do throws(DocumentError) {
            server = try ResourceServer(
                document: patch.applied(to: old.document),
                id: id,
                tenant: old.tenant,
                createdAt: old.createdAt,
                updatedAt: old.updatedAt.changed(at: now)
            )
        } catch {
            throw .document(error)
        }
        try BuildLimits.check(server)
        try Self.checkAccess(server)
        try await write([.setResourceServer(server, replacing: old.updatedAt)], of: configuration.tenant.id)
        return server
    }

    /// Takes an API away with the client grants for it.
    ///
    /// - Throws: `conflict` for one of the tenant's own, `inUse` for its `default_audience`, `notFound`,
    ///   `changedMeanwhile`, or `store`.
    public func removeResourceServer(
        _ id: ResourceServerID,
        in configuration: TenantConfiguration
    ) async throws(TenancyError) {
        guard let server = configuration.resourceServers.first(where: { $0.id == id }) else {
            throw .notFound(what: "API", name: id.text)
        }
        guard server.system == nil else {
            throw .conflict("\(server.name) cannot be deleted: it is the tenant's own API.")
        }
        if let name = configuration.tenant.settings.defaultAudience,
            configuration.resourceServer(audience: name)?.id == id
        {
            throw .inUse("\(server.name) is the tenant's default_audience: choose another one first.")
        }
        try await write([.removeResourceServer(server)], of: configuration.tenant.id)
    }

    static let changeableOfSystem = [
        "token_lifetime", "subject_type_authorization", "skip_consent_for_verifiable_first_party_clients",
    ]

    /// Whoever may change the Management API would otherwise give every client all of its scopes, which no client may
    /// (HTTP contract 11.16), or take them from all for good.
    ///
    /// - Throws: `conflict`.
    static func checkAccess(_ server: ResourceServer) throws(TenancyError) {
        guard server.system == .management, server.clientAccess != .requireClientGrant else { return }
        throw .conflict(
            "subject_type_authorization.client of \(server.name) cannot change: its clients need a grant each."
        )
    }

    /// A path, or anything under a host of the tenant: `BASE/api/v2/`, `BASE/me/`, `BASE/userinfo` are audiences.
    static func isReserved(_ identifier: String, under domains: [Domain]) -> Bool {
        if identifier.hasPrefix("/") { return true }
        return domains.contains { isAddress(identifier, under: $0.host) }
    }

    /// Whether `identifier` is an `http` or `https` address on `host`.
    static func isAddress(_ identifier: String, under host: String) -> Bool {
        let lowered = identifier.lowercased()
        return ["https://", "http://"].contains { scheme in
            let base = scheme + host
            return lowered == base || lowered.hasPrefix(base + "/")
        }
    }
}
