public import Identity

extension TenantAdministration {
    /// Takes a tenant out of service, or puts it back: while it is suspended everything of it but `/.well-known/` answers
    /// 403 (HTTP contract 1.1). Nothing is lost.
    ///
    /// - Parameters:
    ///   - since: from when on; `nil`: it serves again.
    ///   - configuration: of the tenant, as it was read.
    ///   - now: when it is changed.
    /// - Throws: `changedMeanwhile`, `store`.
    public func setSuspension(
        since: UnixTime?,
        of configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) {
        let tenant = configuration.tenant
        try await write(
            [.setSuspension(since: since, replacing: tenant.updatedAt, at: tenant.updatedAt.changed(at: now))],
            of: tenant.id
        )
    }
}
