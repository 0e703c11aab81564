public import Identity

extension TenantAdministration {
    /// Adds a custom domain to a tenant, confirmed at once: whoever may call this speaks for the name.
    ///
    /// - Parameters:
    ///   - entered: `HOST[:PORT]`.
    ///   - relyingPartyID: `nil`: the domain's name.
    ///   - legacyRelyingPartyIDs: RP IDs used before, under which users still have passkeys.
    ///   - relatedOrigins: origins under other names that may use the RP ID.
    ///   - configuration: the tenant as it is.
    ///   - now: the time of the change.
    /// - Returns: the domain as it was stored.
    /// - Throws: `invalid`; `exists` for a domain, or an RP ID of another tenant; `store`.
    public func addDomain(
        _ entered: String,
        relyingPartyID: String? = nil,
        legacyRelyingPartyIDs: [String] = [],
        relatedOrigins: [String] = [],
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> Domain {
        let host = try DomainRules.host(entered)
        let id = try rules.relyingPartyID(relyingPartyID, host: host)
        try Self.checkFree(host, in: configuration)
        let legacy = try rules.legacyRelyingPartyIDs(legacyRelyingPartyIDs, current: id)
        let domain = Domain(
            id: DomainID(random: random(12)),
            tenant: configuration.tenant.id,
            host: host,
            isCanonical: false,
            status: .ready,
            relyingPartyID: id,
            legacyRelyingPartyIDs: legacy,
            relatedOrigins: try rules.relatedOrigins(relatedOrigins, relyingPartyID: id),
            isDefault: !configuration.domains.contains { !$0.isCanonical },
            verification: newVerification(confirmed: now, also: [id] + legacy),
            createdAt: now
        )
        try await write([.addDomain(domain)], of: configuration.tenant.id, Self.conflicts(of: domain))
        return domain
    }
}
