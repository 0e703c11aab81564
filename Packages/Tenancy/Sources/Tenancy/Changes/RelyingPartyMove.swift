internal import Encodings
public import Identity

/// The way from one RP ID to another, and who has gone it.
extension TenantAdministration {
    /// How many of those who have a passkey under the old RP ID could sign in on the domain without it.
    ///
    /// - Throws: `store`.
    public func coverage(of legacy: String, on domain: Domain) async throws(TenancyError) -> RelyingPartyCoverage {
        let others = Self.others(than: legacy, on: domain)
        return try await stored([:]) { () throws(StoreError) in
            try await store.coverage(of: legacy, by: domain.relyingPartyID, others, of: domain.tenant)
        }
    }

    /// Who could not, in the order of their ids from after `last`.
    ///
    /// - Throws: `store`.
    public func usersLeftBehind(
        under legacy: String,
        on domain: Domain,
        after last: UserID? = nil,
        limit: Int
    ) async throws(TenancyError) -> [User] {
        let others = Self.others(than: legacy, on: domain)
        return try await stored([:]) { () throws(StoreError) in
            try await store.usersLeftBehind(
                under: legacy,
                by: domain.relyingPartyID,
                others,
                of: domain.tenant,
                after: last,
                limit: limit
            )
        }
    }

    /// Takes the old RP ID off the domain, when enough of its users can do without.
    ///
    /// - Parameters:
    ///   - legacy: one of the domain's legacy RP IDs.
    ///   - id: the domain.
    ///   - threshold: how many hundredths of a percent of the users have to be covered.
    ///   - configuration: the tenant as it is.
    ///   - now: the time of the change.
    /// - Returns: the domain as it is now, and how far its users had come.
    /// - Throws: `notFound`; `inUse` below the threshold; `changedMeanwhile`, `store`.
    public func cutOver(
        from legacy: String,
        on id: DomainID,
        threshold: Int64,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> (domain: Domain, coverage: RelyingPartyCoverage) {
        guard let domain = configuration.domains.first(where: { $0.id == id }) else {
            throw .notFound(what: "domain", name: id.text)
        }
        guard domain.legacyRelyingPartyIDs.contains(where: { $0.hasSameBytes(as: legacy) }) else {
            throw .notFound(what: "legacy RP ID", name: legacy)
        }
        let coverage = try await coverage(of: legacy, on: domain)
        guard coverage.basisPoints >= threshold else {
            throw .inUse(
                "\(coverage.covered) of \(coverage.users) users with a passkey under \(legacy) could sign in without it "
                    + "(\(coverage.percent)), and \(RelyingPartyCoverage.percent(threshold)) are asked for: "
                    + "\(coverage.leftBehind) would be left behind."
            )
        }
        var patch = DocumentPatch()
        let rest = domain.legacyRelyingPartyIDs.filter { !$0.hasSameBytes(as: legacy) }
        patch.set(["legacy_relying_party_identifiers"], .array(rest.map { .string($0) }))
        let changed = try await setDomain(id, patch, isForced: true, in: configuration, now: now)
        return (changed, coverage)
    }

    private static func others(than legacy: String, on domain: Domain) -> [String] {
        domain.legacyRelyingPartyIDs.filter { !$0.hasSameBytes(as: legacy) }
    }
}

extension RelyingPartyCoverage {
    /// As a person reads it: `98.75 %`, rounded down.
    public var percent: String { Self.percent(basisPoints) }

    /// Hundredths of a percent, without zeros at the end.
    public static func percent(_ basisPoints: Int64) -> String {
        let (whole, rest) = (basisPoints / 100, basisPoints % 100)
        guard rest != 0 else { return "\(whole) %" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10) %" : "\(whole).\(rest < 10 ? "0" : "")\(rest) %"
    }
}
