public import Encodings
public import Identity

/// Custom domains as a tenant's administrator changes them (HTTP contract 11.6): what cannot be seen from here, that a name
/// is theirs, its TXT records have to say.
extension TenantAdministration {
    /// Whose word proves a name.
    public enum NameProof: Hashable, Sendable {
        /// What its TXT records say.
        case records
        /// Who runs the deployment.
        case operatorsWord
    }

    /// Adds a custom domain, which serves nothing before ``verifyDomain(_:in:now:)``.
    ///
    /// - Parameters:
    ///   - entered: `HOST[:PORT]`.
    ///   - document: what else was chosen; names are refused, since only a proven domain may have them.
    ///   - configuration: the tenant as it is.
    ///   - now: the time of the change.
    /// - Returns: the domain as it was stored, with the record that proves it.
    /// - Throws: `invalid`, `document`, `conflict`; `exists` for a name that is taken; `store`.
    public func createDomain(
        _ entered: String,
        _ document: JSONObject,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> Domain {
        let host = try DomainRules.host(entered)
        try Self.checkFree(host, in: configuration)
        let choices = try Self.read(document)
        let name = HostName.withoutPort(host)
        if let id = choices.relyingPartyID, !(try rules.relyingPartyID(id, host: host)).hasSameBytes(as: name) {
            throw .conflict(Self.needsProof)
        }
        guard choices.legacyRelyingPartyIDs.isEmpty else { throw .conflict(Self.needsProof) }
        let owner = try await stored([:]) { () throws(StoreError) in try await store.owner(ofRelyingParty: name) }
        guard owner == nil || owner == configuration.tenant.id else { throw .exists(what: "domain", name: host) }
        let domain = Domain(
            id: DomainID(random: random(12)),
            tenant: configuration.tenant.id,
            host: host,
            isCanonical: false,
            status: .pendingVerification,
            relyingPartyID: name,
            relatedOrigins: try rules.relatedOrigins(choices.relatedOrigins, relyingPartyID: name),
            isDefault: !configuration.domains.contains { !$0.isCanonical },
            verification: newVerification(),
            stored: choices.stored,
            createdAt: now
        )
        try await write([.addDomain(domain)], of: configuration.tenant.id, Self.conflicts(of: domain))
        return domain
    }

    /// Looks whether the domain's TXT record is there, and serves the domain from then on.
    ///
    /// - Returns: the domain as it is now; still pending, with the reason, when the record was not found.
    /// - Throws: `notFound`; `exists` when another tenant proved the name first; `conflict` when nobody can be asked;
    ///   `changedMeanwhile`, `store`.
    public func verifyDomain(
        _ id: DomainID,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> Domain {
        let old = try Self.domain(id, in: configuration)
        guard old.status != .ready else { return old }
        var domain = old
        if domain.verification.record.isEmpty { domain.verification = newVerification() }
        domain.updatedAt = old.updatedAt.changed(at: now)
        switch await look(for: domain.verification.record, at: domain.name) {
        case nil:
            domain.status = .ready
            domain.verification.verifiedAt = now
            domain.verification.problem = nil
        case let problem?:
            domain.status = .pendingVerification
            domain.verification.problem = problem
        }
        try await write(
            [.setDomain(domain, replacing: old.updatedAt)],
            of: configuration.tenant.id,
            Self.conflicts(of: domain)
        )
        return domain
    }

    /// Serves a domain from now on by the operator's word, who also confirms RP IDs that it may then choose.
    ///
    /// - Parameters:
    ///   - id: the domain.
    ///   - names: RP IDs: parents of the domain, or such as were used before.
    ///   - configuration: the tenant as it is.
    ///   - now: the time of the change.
    /// - Returns: the domain as it is now.
    /// - Throws: `notFound`, `invalid`, `exists`, `changedMeanwhile`, `store`.
    public func confirmDomain(
        _ id: DomainID,
        alsoProving names: [String] = [],
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> Domain {
        let old = try Self.domain(id, in: configuration)
        var domain = old
        if domain.verification.record.isEmpty { domain.verification = newVerification() }
        for name in try rules.legacyRelyingPartyIDs(names, current: "")
        where !domain.verification.provenNames.contains(name) {
            domain.verification.provenNames.append(name)
        }
        domain.status = .ready
        domain.verification.verifiedAt = now
        domain.verification.problem = nil
        domain.updatedAt = old.updatedAt.changed(at: now)
        try await write(
            [.setDomain(domain, replacing: old.updatedAt)],
            of: configuration.tenant.id,
            Self.conflicts(of: domain)
        )
        return domain
    }

    /// Changes a domain: RP IDs, related origins, and what is only kept.
    ///
    /// - Parameters:
    ///   - id: the domain.
    ///   - patch: of the choices of a domain.
    ///   - proof: what proves an RP ID that is not the domain's own name.
    ///   - isForced: whether passkeys may be left behind.
    ///   - configuration: the tenant as it is.
    ///   - now: the time of the change.
    /// - Returns: the domain as it is now.
    /// - Throws: `notFound`, `document`, `invalid`, `conflict` for what is not proven; `exists` for another tenant's RP ID;
    ///   `inUse` when passkeys would be left behind; `changedMeanwhile`, `store`.
    public func setDomain(
        _ id: DomainID,
        _ patch: DocumentPatch,
        provenBy proof: NameProof = .records,
        isForced: Bool = false,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> Domain {
        let old = try Self.domain(id, in: configuration)
        let choices = try Self.read(patch.applied(to: old.choices))
        var domain = old
        domain.relyingPartyID = try rules.relyingPartyID(choices.relyingPartyID, host: old.host)
        domain.legacyRelyingPartyIDs = try rules.legacyRelyingPartyIDs(
            choices.legacyRelyingPartyIDs,
            current: domain.relyingPartyID
        )
        domain.relatedOrigins = try rules.relatedOrigins(
            choices.relatedOrigins,
            relyingPartyID: domain.relyingPartyID
        )
        domain.stored = choices.stored
        domain.updatedAt = old.updatedAt.changed(at: now)
        if domain.relyingPartyIDs != old.relyingPartyIDs {
            guard old.status == .ready else { throw .conflict(Self.needsProof) }
            try await prove(&domain, was: old, by: proof, in: configuration)
            if !isForced { try await checkNobodyIsLeftBehind(domain, was: old) }
        }
        try await write(
            [.setDomain(domain, replacing: old.updatedAt)],
            of: configuration.tenant.id,
            Self.conflicts(of: domain)
        )
        return domain
    }

    /// Takes a custom domain away.
    ///
    /// - Throws: `notFound`, `conflict` for the canonical domain; `inUse` when passkeys would be left without a domain;
    ///   `changedMeanwhile`, `store`.
    public func removeDomain(
        _ id: DomainID,
        isForced: Bool = false,
        in configuration: TenantConfiguration
    ) async throws(TenancyError) {
        let domain = try Self.domain(id, in: configuration)
        guard !domain.isCanonical else {
            throw .conflict("\(domain.host) is the tenant's canonical domain, which cannot be deleted.")
        }
        if !isForced {
            try await checkNobodyNeeds(domain, besides: configuration.domains.filter { $0.id != id })
        }
        try await write([.removeDomain(domain)], of: configuration.tenant.id)
    }

    /// Makes the custom domain of this host the default; the canonical domain's host: none of them.
    ///
    /// - Returns: the domain.
    /// - Throws: `notFound`, `conflict` for one that is not ready; `changedMeanwhile`, `store`.
    public func setDefaultDomain(
        _ host: String,
        in configuration: TenantConfiguration,
        now: UnixTime
    ) async throws(TenancyError) -> Domain {
        guard let chosen = configuration.domain(host: host.lowercased()) else {
            throw .notFound(what: "domain", name: host)
        }
        guard chosen.status == .ready else { throw .conflict("\(chosen.host) is not verified yet.") }
        var changes: [ConfigurationChange] = []
        var result = chosen
        for old in configuration.domains where old.isDefault != (old.id == chosen.id && !old.isCanonical) {
            var domain = old
            domain.isDefault.toggle()
            domain.updatedAt = old.updatedAt.changed(at: now)
            changes.append(.setDomain(domain, replacing: old.updatedAt))
            if domain.id == chosen.id { result = domain }
        }
        if !changes.isEmpty { try await write(changes, of: configuration.tenant.id) }
        return result
    }

    // MARK: What they share

    static let needsProof =
        "An RP ID that is not the domain's own name can be chosen once the domain is verified."

    /// A domain's books, with a record that nobody can guess.
    func newVerification(confirmed: UnixTime? = nil, also names: [String] = []) -> DomainVerification {
        DomainVerification(
            record: Self.newRecord(random),
            verifiedAt: confirmed,
            provenNames: confirmed == nil ? [] : names
        )
    }

    /// What the TXT record of a new domain has to say.
    static func newRecord(_ random: RandomSource) -> String { "latchkey-verify=" + Base64URL.encode(random(24)) }

    static func conflicts(of domain: Domain) -> [StoreError.Conflict: TenancyError] {
        [
            .domainHost: .exists(what: "domain", name: domain.host),
            .relyingPartyID: .exists(
                what: "RP ID",
                name: ([domain.name] + domain.relyingPartyIDs.filter { !$0.hasSameBytes(as: domain.name) })
                    .joined(separator: ", ")
            ),
        ]
    }

    /// - Throws: `conflict` when an API has an identifier under the host's address.
    static func checkFree(_ host: String, in configuration: TenantConfiguration) throws(TenancyError) {
        if let server = configuration.resourceServers.first(where: { isAddress($0.identifier, under: host) }) {
            throw .conflict("the API \"\(server.identifier)\" has an identifier under this domain's address.")
        }
    }

    private static func read(_ document: JSONObject) throws(TenancyError) -> CustomDomainDocument {
        do throws(DocumentError) {
            return try CustomDomainDocument(document: document)
        } catch {
            throw .document(error)
        }
    }

    private static func domain(
        _ id: DomainID,
        in configuration: TenantConfiguration
    ) throws(TenancyError) -> Domain {
        guard let domain = configuration.domains.first(where: { $0.id == id }) else {
            throw .notFound(what: "domain", name: id.text)
        }
        return domain
    }

    /// Why the record was not found at the name; `nil` when it was.
    private func look(for record: String, at name: String) async -> String? {
        let place = DomainVerification.recordName(of: name)
        guard let textRecords = names.textRecords else {
            return "Nobody is asked for \(place) here: the operator can confirm the domain."
        }
        switch await textRecords(place) {
        case .unavailable(let reason): return "\(place) could not be looked up: \(reason)."
        case .found(let records):
            if records.contains(Array(record.utf8)) { return nil }
            return records.isEmpty
                ? "There is no TXT record at \(place)."
                : "None of the \(records.count) TXT records at \(place) is the one that proves the domain."
        }
    }

    /// Sees that each RP ID of `domain` that it had not before is the tenant's.
    func prove(
        _ domain: inout Domain,
        was old: Domain,
        by proof: NameProof,
        in configuration: TenantConfiguration
    ) async throws(TenancyError) {
        if domain.verification.record.isEmpty { domain.verification = newVerification() }
        for name in domain.relyingPartyIDs where !Self.isProven(name, in: configuration) {
            if proof == .records, let problem = await look(for: domain.verification.record, at: name) {
                throw .conflict(
                    "Whoever has \(domain.name) need not have \(name). \(problem) Make the TXT record "
                        + "\"\(domain.verification.record)\" at \(DomainVerification.recordName(of: name)), or let the "
                        + "operator confirm it."
                )
            }
            domain.verification.provenNames.append(name)
        }
    }

    /// Whether the tenant has shown already that a name is its own.
    private static func isProven(_ name: String, in configuration: TenantConfiguration) -> Bool {
        configuration.domains.contains { domain in
            domain.status == .ready
                && (domain.name.hasSameBytes(as: name) || domain.serves(name)
                    || domain.verification.provenNames.contains { $0.hasSameBytes(as: name) })
        }
    }

    /// Looks whether passkeys would be left without a domain when this one goes and `left` stay.
    ///
    /// - Throws: `inUse`, `store`.
    func checkNobodyNeeds(_ domain: Domain, besides left: [Domain]) async throws(TenancyError) {
        guard domain.status == .ready else { return }
        let others = left.filter { $0.status == .ready }
        for name in domain.relyingPartyIDs where !others.contains(where: { $0.serves(name) }) {
            let isUsed = try await stored([:]) { () throws(StoreError) in
                try await store.hasPasskeys(under: name, of: domain.tenant)
            }
            guard !isUsed else {
                throw .inUse(
                    "There are passkeys under \(name), which no other domain serves: nobody could use them. "
                        + "Delete it all the same with force."
                )
            }
        }
    }

    /// The check is for mistakes: a passkey that is made at the same moment may be missed.
    func checkNobodyIsLeftBehind(_ domain: Domain, was old: Domain) async throws(TenancyError) {
        if !domain.serves(old.relyingPartyID) {
            let isUsed = try await stored([:]) { () throws(StoreError) in
                try await store.hasPasskeys(under: old.relyingPartyID, of: domain.tenant)
            }
            guard !isUsed else {
                throw .inUse(
                    "There are passkeys under \(old.relyingPartyID): they would sign nobody in any more. Put it into "
                        + "legacy_relying_party_identifiers, or change it all the same with force."
                )
            }
        }
        for name in old.legacyRelyingPartyIDs where !domain.serves(name) {
            let coverage = try await coverage(of: name, on: domain)
            guard coverage.leftBehind == 0 else {
                throw .inUse(
                    "\(coverage.leftBehind) of \(coverage.users) users have passkeys under \(name) alone: they could not "
                        + "sign in with a passkey any more. Remove it all the same with force."
                )
            }
        }
    }
}

extension String {
    /// Byte for byte: `==` would take two spellings of one character for the same.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
