import Encodings
import Identity

extension TenantFile {
    /// Looks at everything that can be judged without the tenant: each thing by itself, and names that stand twice. Whether
    /// what it refers to is there, the server knows.
    ///
    /// - Throws: every fault, with its place.
    public func validate() throws(TenantFileFaults) {
        var faults: [TenantFileFault] = []
        if let settings {
            var document = settings
            document.remove("default_browser_client")
            note(&faults, "tenant") { () throws(TenancyError) in
                let settings: TenantSettings
                do throws(DocumentError) { settings = try TenantSettings(document: document) } catch {
                    throw .document(error)
                }
                try BuildLimits.check(settings)
            }
        }
        for section in Section.allCases {
            var seen: Set<String> = []
            for (index, entry) in (entries[section] ?? []).enumerated() {
                let place = "\(section.rawValue)[\(index)]"
                note(&faults, place) { () throws(TenancyError) in try Self.check(entry, section) }
                guard let name = Self.key(entry, section) else { continue }
                if !seen.insert(name).inserted {
                    faults.append(TenantFileFault(place, "\"\(name)\" stands twice in \(section.rawValue)."))
                }
            }
        }
        guard faults.isEmpty else { throw TenantFileFaults(faults) }
    }

    private func note(
        _ faults: inout [TenantFileFault],
        _ place: String,
        _ check: () throws(TenancyError) -> Void
    ) {
        do throws(TenancyError) {
            try check()
        } catch .document(let error) {
            faults.append(TenantFileFault(error.path.isEmpty ? place : place + "." + error.path, "\(error)"))
        } catch {
            faults.append(TenantFileFault(place, "\(error)"))
        }
    }

    private static func key(_ entry: JSONObject, _ section: Section) -> String? {
        switch section {
        case .tenant: nil
        case .clients, .databases: entry["name"]?.string
        case .resourceServers: entry["identifier"]?.string
        case .customDomains: entry["domain"]?.string
        case .clientGrants:
            ["client_id", "audience", "subject_type"].map { entry[$0]?.string ?? "" }.joined(separator: " → ")
        }
    }

    private static func check(_ entry: JSONObject, _ section: Section) throws(TenancyError) {
        let (tenant, now) = (TenantID(number: 0), UnixTime(seconds: 0))
        switch section {
        case .tenant: break
        case .clients:
            let client: Client
            do throws(DocumentError) {
                client = try Client(
                    document: entry,
                    id: ClientID("x"),
                    tenant: tenant,
                    secretHash: nil,
                    createdAt: now,
                    updatedAt: now
                )
            } catch { throw .document(error) }
            try BuildLimits.check(client)
        case .databases:
            var document = entry
            // Names, which only the tenant turns into ids.
            document.remove("enabled_clients")
            let connection: Connection
            do throws(DocumentError) {
                connection = try Connection(
                    document: document,
                    id: ConnectionID("x"),
                    tenant: tenant,
                    createdAt: now,
                    updatedAt: now
                )
            } catch { throw .document(error) }
            try BuildLimits.check(connection.options)
        case .resourceServers:
            // A system API's address means something to its tenant alone.
            let server: ResourceServer
            do throws(DocumentError) {
                server = try ResourceServer(
                    document: entry,
                    id: ResourceServerID("x"),
                    tenant: tenant,
                    createdAt: now,
                    updatedAt: now
                )
            } catch { throw .document(error) }
            try BuildLimits.check(server)
        case .clientGrants:
            for name in ["client_id", "audience"] where entry[name]?.string == nil {
                throw .document(.missingMember(path: name))
            }
        case .customDomains:
            guard let host = entry["domain"]?.string else { throw .document(.missingMember(path: "domain")) }
            _ = try DomainRules(suffixes: nil).relyingPartyID(
                entry["relying_party_identifier"]?.string,
                host: try DomainRules.host(host)
            )
        }
    }
}
