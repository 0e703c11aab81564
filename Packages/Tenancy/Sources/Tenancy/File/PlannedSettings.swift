import Encodings
import Identity

extension TenantPlanner {
    mutating func planSettings(_ given: JSONObject) {
        var document = given
        if let value = given["default_browser_client"], !value.isNull {
            guard let name = value.string, let id = names.client(name), clients[id] != nil else {
                let sentence = "there is no client \"\(value.string ?? "")\", here or in the tenant."
                faults.append(TenantFileFault("tenant.default_browser_client", sentence))
                return
            }
            document.set("default_browser_client", .string(id.text))
        }
        do throws(DocumentError) {
            settings = try TenantSettings(document: document)
        } catch {
            fault(.tenant, 0, error)
            return
        }
        do throws(TenancyError) {
            try BuildLimits.check(settings)
        } catch {
            fault(.tenant, 0, error)
            return
        }
        let tenant = configuration.tenant
        guard settings.document != tenant.settings.document else { return }
        if settings.conformanceAPI, configuration.connection(named: Connection.conformanceName) == nil {
            let directory = TenantAdministration.conformanceDirectory(of: tenant.id, now: now, random: random)
            connections.append(directory)
            plan.statements.append(.addConnection(directory))
        }
        plan.statements.append(
            .setSettings(settings, replacing: tenant.updatedAt, at: tenant.updatedAt.changed(at: now))
        )
        note(.tenant, tenant.name, from: shown(tenant.settings), to: shown(settings))
    }

    /// Settings with the client by name.
    private func shown(_ settings: TenantSettings) -> JSONObject {
        var document = settings.document
        if let id = settings.defaultBrowserClient, let client = clients[id] ?? configuration.clients[id] {
            document.set("default_browser_client", .string(client.name))
        }
        return document
    }

    /// What the settings name must be there when all is done, whichever section took it away.
    mutating func checkReferences(settingsChange: Bool) {
        func note(_ member: String, _ sentence: String) {
            faults.append(TenantFileFault(settingsChange ? "tenant.\(member)" : "", sentence))
        }
        if let name = settings.defaultDirectory {
            if name == Connection.conformanceName {
                note("default_directory", "default_directory cannot be \(name): nobody signs in there.")
            } else if !connections.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
                note("default_directory", "default_directory is \"\(name)\", and there would be no such database.")
            }
        }
        if let name = settings.defaultAudience {
            let identifier = configuration.resourceServer(audience: name)?.identifier ?? name
            if !servers.contains(where: { $0.identifier.utf8.elementsEqual(identifier.utf8) }) {
                note("default_audience", "default_audience is \"\(name)\", and there would be no such API.")
            }
        }
        if let id = settings.defaultBrowserClient, clients[id] == nil {
            let name = configuration.clients[id]?.name ?? id.text
            note("default_browser_client", "default_browser_client is \"\(name)\", and there would be no such client.")
        }
        for connection in connections where !connection.enabledClients.allSatisfy({ clients[$0] != nil }) {
            faults.append(TenantFileFault("", "database \(connection.name) has a client that would not be there."))
        }
    }
}
