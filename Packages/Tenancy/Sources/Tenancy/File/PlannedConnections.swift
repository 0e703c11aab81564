import Encodings
import Identity

extension TenantPlanner {
    mutating func planConnections(_ entries: [JSONObject]) {
        var seen: Set<ConnectionID> = []
        var new: Set<[UInt8]> = []
        for (index, entry) in entries.enumerated() {
            guard let name = key("name", of: entry, .databases, index) else { continue }
            let old = configuration.connection(named: name)
            if let old {
                guard seen.insert(old.id).inserted else {
                    duplicate(.databases, index, "name", name)
                    continue
                }
            } else if !new.insert(Array(name.utf8)).inserted {
                duplicate(.databases, index, "name", name)
                continue
            }
            guard name != Connection.conformanceName else {
                let sentence = "\(name) is made by the setting conformance_api, and is not for a file."
                faults.append(TenantFileFault("databases[\(index)].name", sentence))
                continue
            }
            do throws(TenancyError) {
                try planConnection(entry, old, index)
            } catch { fault(.databases, index, error) }
        }
        if allowsDeletion { deleteConnections(except: seen) }
    }

    private mutating func planConnection(
        _ entry: JSONObject,
        _ old: Connection?,
        _ index: Int
    ) throws(TenancyError) {
        var document = entry
        let enabled = try clientIDs(entry["enabled_clients"], index)
        document.set("enabled_clients", .array(enabled.map { .string($0.text) }))
        var connection: Connection
        do throws(DocumentError) {
            connection = try Connection(
                document: document,
                id: old?.id ?? ConnectionID(random: random(12)),
                tenant: configuration.tenant.id,
                createdAt: old?.createdAt ?? now,
                updatedAt: old?.updatedAt.changed(at: now) ?? now
            )
        } catch { throw .document(error) }
        try BuildLimits.check(connection.options)
        noteMetadata(connection, index)
        guard let old else {
            connections.append(connection)
            plan.statements.append(.addConnection(connection))
            noteCreation(.databases, connection.name, TenantExport.connection(connection, names))
            return
        }
        // The order of clients means nothing.
        if Set(old.enabledClients) == Set(connection.enabledClients) { connection.enabledClients = old.enabledClients }
        guard connection.document != old.document else { return }
        if let place = connections.firstIndex(where: { $0.id == old.id }) { connections[place] = connection }
        plan.statements.append(.setConnection(connection, replacing: old.updatedAt))
        note(.databases, old.name, from: shown(old), to: shown(connection))
    }

    /// A connection with its clients by name.
    private func shown(_ connection: Connection) -> JSONObject {
        var document = connection.document
        let names = connection.enabledClients.map { clients[$0]?.name ?? configuration.clients[$0]?.name ?? $0.text }
        document.set("enabled_clients", .array(names.sorted().map { .string($0) }))
        return document
    }

    private mutating func clientIDs(_ value: JSONValue?, _ index: Int) throws(TenancyError) -> [ClientID] {
        guard let value, !value.isNull else { return [] }
        guard let elements = value.array else {
            throw .document(.invalidValue(path: "enabled_clients", value: "that", expected: "a list of names"))
        }
        var ids: [ClientID] = []
        for (place, element) in elements.enumerated() {
            let path = "databases[\(index)].enabled_clients[\(place)]"
            guard let name = element.string else {
                faults.append(TenantFileFault(path, "\(path) must be the name of a client."))
                continue
            }
            guard let id = names.client(name), clients[id] != nil else {
                faults.append(TenantFileFault(path, "there is no client \"\(name)\", here or in the tenant."))
                continue
            }
            if !ids.contains(id) { ids.append(id) }
        }
        return ids
    }

    /// What only a trusted attestation proves needs the metadata that it is proven by.
    private mutating func noteMetadata(_ connection: Connection, _ index: Int) {
        guard let member = connection.options.passkey.memberThatNeedsMetadata else { return }
        plan.needsMetadata.append(
            TenantFileFault(
                "databases[\(index)].options.passkey_options.webauthn.\(member)",
                TenantAdministration.needsMetadata(member)
            )
        )
    }

    private mutating func deleteConnections(except seen: Set<ConnectionID>) {
        let gone = configuration.connections.filter { !seen.contains($0.id) && $0.servesClients }
        for connection in gone.sorted(by: { $0.name < $1.name }) {
            connections.removeAll { $0.id == connection.id }
            deletions.append(.removeConnection(connection.id))
            noteDeletion(.databases, connection.name)
        }
    }
}
