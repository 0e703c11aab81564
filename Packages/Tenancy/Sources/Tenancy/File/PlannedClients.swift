import Encodings
import Identity

extension TenantPlanner {
    mutating func planClients(_ entries: [JSONObject]) {
        var seen: Set<ClientID> = []
        var new: Set<[UInt8]> = []
        for (index, entry) in entries.enumerated() {
            guard let name = key("name", of: entry, .clients, index) else { continue }
            let old = names.client(name).flatMap { configuration.clients[$0] }
            if let old {
                guard seen.insert(old.id).inserted else {
                    duplicate(.clients, index, "name", name)
                    continue
                }
            } else if !new.insert(Array(name.utf8)).inserted {
                duplicate(.clients, index, "name", name)
                continue
            }
            do throws(TenancyError) {
                try planClient(entry, old)
            } catch { fault(.clients, index, error) }
        }
        if allowsDeletion { deleteClients(except: seen) }
        do throws(TenancyError) {
            names = try ClientNames(clients.values.map { ($0.id, $0.name) })
        } catch { faults.append(TenantFileFault("clients", "\(error)")) }
    }

    private mutating func planClient(_ entry: JSONObject, _ old: Client?) throws(TenancyError) {
        var client: Client
        do throws(DocumentError) {
            client = try Client(
                document: entry,
                id: old?.id ?? ClientID(random: random(24)),
                tenant: configuration.tenant.id,
                secretHash: old?.secretHash,
                createdAt: old?.createdAt ?? now,
                updatedAt: old?.updatedAt.changed(at: now) ?? now
            )
        } catch { throw .document(error) }
        try BuildLimits.check(client)
        if TenantAdministration.needsSecret(client), client.secretHash == nil {
            // Nobody sees it: a file and its plan hold no secrets. Whoever needs it makes another.
            client.secretHash = ClientSecret(random: random(48)).hash
            plan.newSecrets.append(client.name)
        }
        guard let old else {
            clients[client.id] = client
            plan.statements.append(.addClient(client, enabling: []))
            noteCreation(.clients, client.name, TenantExport.client(client))
            return
        }
        guard client.document != old.document else { return }
        clients[client.id] = client
        plan.statements.append(.setClient(client, replacing: old.updatedAt))
        note(.clients, old.name, from: old.document, to: client.document)
    }

    private mutating func deleteClients(except seen: Set<ClientID>) {
        let gone = configuration.clients.values.filter { !seen.contains($0.id) }.sorted { $0.name < $1.name }
        for client in gone {
            guard client.id != caller else {
                plan.kept.append(
                    KeptThing(resource: .clients, name: client.name, reason: "It is the client that asks.")
                )
                continue
            }
            clients[client.id] = nil
            grants.removeAll { $0.client == client.id }
            for index in connections.indices { connections[index].enabledClients.removeAll { $0 == client.id } }
            deletions.append(.removeClient(client.id))
            noteDeletion(.clients, client.name)
        }
    }
}
