import Encodings
import Identity

extension TenantPlanner {
    mutating func planServers(_ entries: [JSONObject]) {
        var seen: Set<[UInt8]> = []
        for (index, entry) in entries.enumerated() {
            guard let given = key("identifier", of: entry, .resourceServers, index) else { continue }
            // A system API may be called by its whole address.
            let identifier = configuration.resourceServer(audience: given)?.identifier ?? given
            guard seen.insert(Array(identifier.utf8)).inserted else {
                duplicate(.resourceServers, index, "identifier", given)
                continue
            }
            do throws(TenancyError) {
                try planServer(entry, identifier)
            } catch { fault(.resourceServers, index, error) }
        }
        if allowsDeletion { deleteServers(except: seen) }
    }

    private mutating func planServer(_ entry: JSONObject, _ identifier: String) throws(TenancyError) {
        let old = configuration.resourceServer(identifier: identifier)
        var document = entry
        document.set("identifier", .string(identifier))
        if let old, let system = old.system { document = try systemDocument(document, old, system) }
        let server: ResourceServer
        do throws(DocumentError) {
            server = try ResourceServer(
                document: document,
                id: old?.id ?? ResourceServerID(random: random(12)),
                tenant: configuration.tenant.id,
                createdAt: old?.createdAt ?? now,
                updatedAt: old?.updatedAt.changed(at: now) ?? now
            )
        } catch { throw .document(error) }
        try BuildLimits.check(server)
        try TenantAdministration.checkAccess(server)
        guard let old else {
            guard !TenantAdministration.isReserved(identifier, under: domains) else {
                throw .invalid(
                    what: "identifier",
                    value: identifier,
                    problem: "is an address of the tenant itself, whose own APIs have it"
                )
            }
            servers.append(server)
            plan.statements.append(.addResourceServer(server))
            noteCreation(.resourceServers, identifier, TenantExport.resourceServer(server))
            return
        }
        guard server.document != old.document else { return }
        if let place = servers.firstIndex(where: { $0.id == old.id }) { servers[place] = server }
        plan.statements.append(.setResourceServer(server, replacing: old.updatedAt))
        note(.resourceServers, identifier, from: old.document, to: server.document)
    }

    /// Of the tenant's own APIs only lifetimes and who may have tokens change; the rest of an entry must be as it is.
    private func systemDocument(
        _ entry: JSONObject,
        _ old: ResourceServer,
        _ system: SystemAPI
    ) throws(TenancyError) -> JSONObject {
        var standard = old
        standard.tokenLifetime = 86400
        (standard.clientAccess, standard.userAccess) = system.standardAccess
        var document = standard.document
        for name in TenantAdministration.changeableOfSystem where name != "token_lifetime" {
            if name != "subject_type_authorization" { document.remove(name) }
        }
        for member in entry.members where !member.value.isNull {
            if TenantAdministration.changeableOfSystem.contains(member.name) {
                document.set(member.name, member.value)
            } else if old.document[member.name] != member.value {
                throw .conflict("\(member.name) of \(old.name) cannot change: it is the tenant's own API.")
            }
        }
        return document
    }

    private mutating func deleteServers(except seen: Set<[UInt8]>) {
        let gone = configuration.resourceServers.filter { !seen.contains(Array($0.identifier.utf8)) }
        for server in gone.sorted(by: { $0.identifier < $1.identifier }) {
            guard server.system == nil else {
                plan.kept.append(
                    KeptThing(
                        resource: .resourceServers,
                        name: server.identifier,
                        reason: "It is the tenant's own API."
                    )
                )
                continue
            }
            servers.removeAll { $0.id == server.id }
            grants.removeAll { $0.audience.utf8.elementsEqual(server.identifier.utf8) }
            deletions.append(.removeResourceServer(server))
            noteDeletion(.resourceServers, server.identifier)
        }
    }
}
