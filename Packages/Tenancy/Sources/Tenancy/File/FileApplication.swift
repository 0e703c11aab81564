public import Identity

/// Why a file was not planned or applied. Nothing was written, but for ``TenancyError/store(_:)`` with an unknown outcome.
public enum TenantFileError: Error, Hashable, Sendable {
    case faults(TenantFileFaults)
    /// The tenant is not in the state that the plan was made from.
    case drift
    case tenancy(TenancyError)
}

extension TenantAdministration {
    /// What a file would change (HTTP contract 11.18). Writes nothing.
    ///
    /// - Parameters:
    ///   - file: what the tenant should be.
    ///   - allowsDeletion: whether what a section of the file does not name goes.
    ///   - caller: the client that asks, which is never deleted.
    ///   - configuration: the tenant as it is.
    ///   - now: the time of the call.
    /// - Returns: the plan.
    /// - Throws: `faults` of the file, or `tenancy`.
    public func plan(
        _ file: TenantFile,
        allowsDeletion: Bool,
        caller: ClientID?,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenantFileError) -> TenantPlan {
        let planner: TenantPlanner
        do throws(TenancyError) {
            planner = try TenantPlanner(
                configuration,
                allowsDeletion: allowsDeletion,
                caller: caller,
                now: now,
                rules: rules,
                random: random
            )
        } catch { throw .tenancy(error) }
        let plan: TenantPlan
        do throws(TenantFileFaults) {
            plan = try planner.plan(file)
        } catch { throw .faults(error) }
        guard !plan.needsMetadata.isEmpty else { return plan }
        let hasMetadata: Bool
        do throws(TenancyError) { hasMetadata = try await self.hasMetadata() } catch { throw .tenancy(error) }
        guard hasMetadata else { throw .faults(TenantFileFaults(plan.needsMetadata)) }
        return plan
    }

    /// Makes the tenant be as its file says, in one transaction.
    ///
    /// Done only while the tenant is in the state `version`, whatever another server or administrator does meanwhile.
    /// - Parameters:
    ///   - file: what the tenant should be.
    ///   - version: the state that the plan was made from (``TenantExport/version``).
    ///   - allowsDeletion: whether what a section of the file does not name goes.
    ///   - caller: the client that asks, which is never deleted.
    ///   - configuration: the tenant as it was read.
    ///   - now: the time of the change.
    ///   - check: looks at the plan before anything is written, and throws what refuses it.
    /// - Returns: what was done.
    /// - Throws: `drift`, `faults`, `tenancy`, or what `check` throws.
    public func apply(
        _ file: TenantFile,
        version: String,
        allowsDeletion: Bool,
        caller: ClientID?,
        in configuration: TenantConfiguration,
        now: UnixTime,
        check: (TenantPlan) throws(TenantFileError) -> Void = { (_) throws(TenantFileError) in }
    ) async throws(TenantFileError) -> TenantPlan {
        var configuration = configuration
        // What another tenant changes raises the version too: then all is read and planned again.
        for _ in 0..<10 {
            let plan = try await plan(
                file,
                allowsDeletion: allowsDeletion,
                caller: caller,
                in: configuration,
                now: now
            )
            guard plan.version == version else { throw .drift }
            try check(plan)
            if plan.statements.isEmpty { return plan }
            let statements = try await proven(plan.statements, in: configuration)
            do throws(TenancyError) {
                try await write(
                    [.unchanged(since: configuration.version)] + statements,
                    of: configuration.tenant.id,
                    [
                        .domainHost: .exists(what: "domain", name: domainsAdded(plan)),
                        .relyingPartyID: .exists(what: "RP ID of", name: domainsAdded(plan)),
                    ]
                )
                return plan
            } catch .changedMeanwhile {
                let id = configuration.tenant.id
                let latest: TenantConfiguration?
                do throws(TenancyError) {
                    latest = try await stored([:]) { () throws(StoreError) in try await store.configuration(of: id) }
                } catch { throw .tenancy(error) }
                guard let latest else { throw .drift }
                // Nothing moved: what refused is a user directory that has users.
                if latest.version == configuration.version { throw .tenancy(.inUse(Self.usersThere(plan))) }
                configuration = latest
            } catch { throw .tenancy(error) }
        }
        throw .tenancy(.changedMeanwhile)
    }

    /// The changes with their domains proven: a name that is not the domain's own has its record, and nobody is left with
    /// passkeys under one that goes; a new domain has no other tenant's name (HTTP contract 11.6).
    private func proven(
        _ statements: [ConfigurationChange],
        in configuration: TenantConfiguration
    ) async throws(TenantFileError) -> [ConfigurationChange] {
        var proven: [ConfigurationChange] = []
        for statement in statements {
            do throws(TenancyError) {
                switch statement {
                case .setDomain(var domain, let replaced):
                    if let old = configuration.domains.first(where: { $0.id == domain.id }),
                        old.relyingPartyIDs != domain.relyingPartyIDs
                    {
                        try await prove(&domain, was: old, by: .records, in: configuration)
                        try await checkNobodyIsLeftBehind(domain, was: old)
                    }
                    proven.append(.setDomain(domain, replacing: replaced))
                case .addDomain(let domain):
                    let owner = try await stored([:]) { () throws(StoreError) in
                        try await store.owner(ofRelyingParty: domain.name)
                    }
                    guard owner == nil || owner == configuration.tenant.id else {
                        throw .exists(what: "domain", name: domain.host)
                    }
                    proven.append(statement)
                case .removeDomain(let domain):
                    // Those that go with it serve nobody either.
                    let gone = statements.compactMap { statement in
                        if case .removeDomain(let domain) = statement { domain.id } else { nil }
                    }
                    let changed = proven.compactMap { statement in
                        if case .setDomain(let domain, _) = statement { domain } else { nil }
                    }
                    let left = configuration.domains.filter { !gone.contains($0.id) }.map { domain in
                        changed.first { $0.id == domain.id } ?? domain
                    }
                    try await checkNobodyNeeds(domain, besides: left)
                    proven.append(statement)
                default: proven.append(statement)
                }
            } catch { throw .tenancy(error) }
        }
        return proven
    }

    private func domainsAdded(_ plan: TenantPlan) -> String {
        plan.changes.filter { $0.resource == .customDomains }.map(\.name).joined(separator: ", ")
    }

    private static func usersThere(_ plan: TenantPlan) -> String {
        let names = plan.changes.filter { $0.resource == .databases && $0.operation == .delete }.map(\.name)
        return "a database that is to go has users: delete those of \(names.joined(separator: ", ")) first."
    }
}
