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
        guard !Self.isReserved(server.identifier, in: configuration) else {
            throw .invalid(
                what: "identifier",
                value: server.identifier,
                problem: "is an address of the tenant itself, whose own APIs have it"
            )
        }
        try BuildLimits.check(server)
        try await write([.resourceServer: .exists(what: "API", name: server.identifier)]) { () throws(StoreError) in
            try await store.add(server)
        }
        return server
    }

    /// A path, or anything under a host of the tenant: `BASE/api/v2/`, `BASE/me/`, `BASE/userinfo` are audiences.
    private static func isReserved(_ identifier: String, in configuration: TenantConfiguration) -> Bool {
        if identifier.hasPrefix("/") { return true }
        return configuration.domains.contains { isAddress(identifier, under: $0.host) }
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
