import Encodings
import Identity

extension TenantPlanner {
    mutating func planDomains(_ entries: [JSONObject]) {
        var seen: Set<DomainID> = []
        var new: Set<[UInt8]> = []
        for (index, entry) in entries.enumerated() {
            guard let given = key("domain", of: entry, .customDomains, index) else { continue }
            do throws(TenancyError) {
                let host = try DomainRules.host(given)
                let old = configuration.domain(host: host)
                guard old.map({ seen.insert($0.id).inserted }) ?? new.insert(Array(host.utf8)).inserted else {
                    duplicate(.customDomains, index, "domain", given)
                    continue
                }
                try planDomain(entry, host, old)
            } catch { fault(.customDomains, index, error) }
        }
        guard allowsDeletion else { return }
        for domain in configuration.domains.filter({ !seen.contains($0.id) }).sorted(by: { $0.host < $1.host }) {
            guard !domain.isCanonical else {
                let reason = "It is the tenant's first domain."
                plan.kept.append(KeptThing(resource: .customDomains, name: domain.host, reason: reason))
                continue
            }
            domains.removeAll { $0.id == domain.id }
            deletions.append(.removeDomain(domain))
            noteDeletion(.customDomains, domain.host)
        }
    }

    private mutating func planDomain(_ entry: JSONObject, _ host: String, _ old: Domain?) throws(TenancyError) {
        var document = entry
        document.remove("domain")
        let choices: CustomDomainDocument
        do throws(DocumentError) {
            choices = try CustomDomainDocument(document: document)
        } catch { throw .document(error) }
        let id = try rules.relyingPartyID(choices.relyingPartyID, host: host)
        var domain =
            old
            ?? Domain(
                id: DomainID(random: random(12)),
                tenant: configuration.tenant.id,
                host: host,
                isCanonical: false,
                status: .pendingVerification,
                relyingPartyID: id,
                isDefault: !domains.contains { !$0.isCanonical },
                verification: DomainVerification(record: TenantAdministration.newRecord(random)),
                createdAt: now
            )
        domain.relyingPartyID = id
        domain.legacyRelyingPartyIDs = try rules.legacyRelyingPartyIDs(choices.legacyRelyingPartyIDs, current: id)
        domain.relatedOrigins = try rules.relatedOrigins(choices.relatedOrigins, relyingPartyID: id)
        domain.stored = choices.stored
        guard let old else {
            try TenantAdministration.checkFree(host, in: configuration)
            guard domain.relyingPartyIDs.allSatisfy({ $0.hasSameBytes(as: domain.name) }) else {
                throw .conflict(TenantAdministration.needsProof)
            }
            domains.append(domain)
            plan.statements.append(.addDomain(domain))
            noteCreation(.customDomains, host, TenantExport.domain(domain))
            return
        }
        guard domain != old else { return }
        guard old.status == .ready || domain.relyingPartyIDs == old.relyingPartyIDs else {
            throw .conflict(TenantAdministration.needsProof)
        }
        domain.updatedAt = old.updatedAt.changed(at: now)
        if let place = domains.firstIndex(where: { $0.id == old.id }) { domains[place] = domain }
        plan.statements.append(.setDomain(domain, replacing: old.updatedAt))
        note(.customDomains, host, from: old.choices, to: domain.choices)
    }
}
