import Encodings
import Identity

extension TenantPlanner {
    mutating func planGrants(_ entries: [JSONObject]) {
        var seen: Set<GrantKey> = []
        for (index, entry) in entries.enumerated() {
            do throws(TenancyError) {
                guard let grant = try read(entry, index) else { continue }
                guard seen.insert(GrantKey(grant)).inserted else {
                    duplicate(.clientGrants, index, "client_id", title(grant))
                    continue
                }
                plan(grant)
            } catch { fault(.clientGrants, index, error) }
        }
        if allowsDeletion { deleteGrants(except: seen) }
    }

    /// Reads an entry as a grant with an id of its own; `nil` when a fault was noted.
    private mutating func read(_ entry: JSONObject, _ index: Int) throws(TenancyError) -> ClientGrant? {
        let known = ["client_id", "audience", "scope", "subject_type", "allow_all_scopes"]
        for member in entry.members where !known.contains(member.name) {
            throw .document(.unknownMember(path: String(member.name.prefix(100))))
        }
        guard let name = key("client_id", of: entry, .clientGrants, index),
            let audience = key("audience", of: entry, .clientGrants, index)
        else { return nil }
        let place = "clientGrants[\(index)]"
        guard let id = names.client(name), let client = clients[id] else {
            faults.append(
                TenantFileFault("\(place).client_id", "there is no client \"\(name)\", here or in the tenant.")
            )
            return nil
        }
        let identifier = configuration.resourceServer(audience: audience)?.identifier ?? audience
        guard let server = servers.first(where: { $0.identifier.utf8.elementsEqual(identifier.utf8) }) else {
            faults.append(
                TenantFileFault("\(place).audience", "there is no API \"\(audience)\", here or in the tenant.")
            )
            return nil
        }
        let subject = try subject(entry)
        let allowsAll = try bool("allow_all_scopes", of: entry) ?? false
        let scope = try texts("scope", of: entry)
        guard scope != nil || allowsAll else { throw .document(.missingMember(path: "scope")) }
        try TenantAdministration.checkGrant(scope ?? [], subject, of: client, for: server)
        if server.system == .management {
            let own = SystemAPI.management.scopes.map(\.value)
            plan.givenManagementScopes.formUnion(allowsAll ? own : own.filter(Set(scope ?? []).contains))
        }
        var once: Set<String> = []
        return ClientGrant(
            id: ClientGrantID(random: random(12)),
            tenant: configuration.tenant.id,
            client: id,
            audience: server.identifier,
            subject: subject,
            scope: (scope ?? []).filter { once.insert($0).inserted },
            allowAllScopes: allowsAll,
            createdAt: now
        )
    }

    private mutating func plan(_ grant: ClientGrant) {
        guard
            let place = grants.firstIndex(where: { GrantKey($0) == GrantKey(grant) }),
            let old = configuration.grants.first(where: { $0.id == grants[place].id })
        else {
            grants.append(grant)
            plan.statements.append(.addGrant(grant))
            noteCreation(.clientGrants, title(grant), TenantExport.grant(grant, names))
            return
        }
        var changed = old
        // The order of scopes means nothing.
        if Set(old.scope) != Set(grant.scope) { changed.scope = grant.scope }
        changed.allowAllScopes = grant.allowAllScopes
        guard changed != old else {
            // What is as it was gives nothing.
            if grant.audience == SystemAPI.management.rawValue {
                plan.givenManagementScopes.subtract(Set(old.scope))
            }
            return
        }
        grants[place] = changed
        plan.statements.append(.setGrant(changed))
        note(
            .clientGrants,
            title(old),
            from: [
                "scope": .array(old.scope.sorted().map { .string($0) }), "allow_all_scopes": .bool(old.allowAllScopes),
            ],
            to: [
                "scope": .array(changed.scope.sorted().map { .string($0) }),
                "allow_all_scopes": .bool(changed.allowAllScopes),
            ]
        )
    }

    private mutating func deleteGrants(except seen: Set<GrantKey>) {
        for grant in configuration.grants.filter({ !seen.contains(GrantKey($0)) }).sorted(by: { title($0) < title($1) })
        {
            // Those of a client or an API that goes, go with it.
            guard grants.contains(where: { $0.id == grant.id }) else { continue }
            guard grant.client != caller || grant.audience != SystemAPI.management.rawValue else {
                plan.kept.append(
                    KeptThing(
                        resource: .clientGrants,
                        name: title(grant),
                        reason: "It is what the client that asks is let in by."
                    )
                )
                continue
            }
            grants.removeAll { $0.id == grant.id }
            plan.statements.append(.removeGrant(grant.id))
            noteDeletion(.clientGrants, title(grant))
        }
    }

    /// `Acme Backend → https://api.acme.example/`.
    private func title(_ grant: ClientGrant) -> String {
        let client = clients[grant.client]?.name ?? configuration.clients[grant.client]?.name ?? grant.client.text
        return "\(client) → \(grant.audience)" + (grant.subject == .user ? " (user)" : "")
    }

    private func subject(_ entry: JSONObject) throws(TenancyError) -> ClientGrant.Subject {
        guard let value = entry["subject_type"], !value.isNull else { return .client }
        guard let subject = value.string.flatMap(ClientGrant.Subject.init) else {
            throw .document(.invalidValue(path: "subject_type", value: "that", expected: "client or user"))
        }
        return subject
    }

    private func bool(_ name: String, of entry: JSONObject) throws(TenancyError) -> Bool? {
        guard let value = entry[name], !value.isNull else { return nil }
        guard let bool = value.bool else {
            throw .document(.invalidValue(path: name, value: "that", expected: "true or false"))
        }
        return bool
    }

    func texts(_ name: String, of entry: JSONObject) throws(TenancyError) -> [String]? {
        guard let value = entry[name], !value.isNull else { return nil }
        guard let elements = value.array, elements.count <= 1000, elements.allSatisfy({ $0.string != nil }) else {
            throw .document(.invalidValue(path: name, value: "that", expected: "a list of at most 1000 texts"))
        }
        return elements.compactMap(\.string)
    }
}

/// By what a grant is known in a file.
private struct GrantKey: Hashable {
    let client: ClientID
    let audience: [UInt8]
    let subject: ClientGrant.Subject

    init(_ grant: ClientGrant) {
        client = grant.client
        audience = Array(grant.audience.utf8)
        subject = grant.subject
    }
}
