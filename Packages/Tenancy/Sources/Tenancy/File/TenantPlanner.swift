import Encodings
import Identity

/// Works out what a file changes. Pure: it reads a tenant's state and a file, and writes nothing.
struct TenantPlanner: Sendable {
    let configuration: TenantConfiguration
    let allowsDeletion: Bool
    let caller: ClientID?
    let now: UnixTime
    let random: RandomSource
    let rules: DomainRules

    /// The plan in the making.
    var plan: TenantPlan
    var faults: [TenantFileFault] = []
    /// Names as they will be.
    var names: ClientNames
    var settings: TenantSettings
    var clients: [ClientID: Client]
    var connections: [Connection]
    var servers: [ResourceServer]
    var grants: [ClientGrant]
    var domains: [Domain]
    var deletions: [ConfigurationChange] = []

    /// - Parameters:
    ///   - configuration: the tenant as it is.
    ///   - allowsDeletion: whether what a section of the file does not name goes.
    ///   - caller: the client that asks, which is never deleted.
    ///   - now: the time of the change.
    ///   - rules: what a domain may be.
    ///   - random: for the ids of what is new.
    /// - Throws: `conflict` where a name belongs to several clients of the tenant.
    init(
        _ configuration: TenantConfiguration,
        allowsDeletion: Bool,
        caller: ClientID?,
        now: UnixTime,
        rules: DomainRules,
        random: @escaping RandomSource
    ) throws(TenancyError) {
        self.rules = rules
        self.configuration = configuration
        self.allowsDeletion = allowsDeletion
        self.caller = caller
        self.now = now
        self.random = random
        plan = TenantPlan(version: try TenantExport(configuration).version, target: configuration)
        names = try ClientNames(configuration)
        settings = configuration.tenant.settings
        clients = configuration.clients
        connections = configuration.connections
        servers = configuration.resourceServers
        grants = configuration.grants
        domains = configuration.domains
    }

    /// - Returns: the plan.
    /// - Throws: every fault of the file, with its place.
    consuming func plan(_ file: TenantFile) throws(TenantFileFaults) -> TenantPlan {
        plan.skipped = file.skipped
        // Each refers to those before it. What is shown comes in the file's order.
        var changes: [TenantFile.Section: [PlannedChange]] = [:]
        for section in [TenantFile.Section.clients, .customDomains, .databases, .resourceServers, .clientGrants] {
            guard let entries = file.entries[section] else { continue }
            plan.changes = []
            switch section {
            case .clients: planClients(entries)
            case .databases: planConnections(entries)
            case .resourceServers: planServers(entries)
            case .clientGrants: planGrants(entries)
            case .customDomains: planDomains(entries)
            case .tenant: break
            }
            changes[section] = plan.changes
        }
        plan.changes = []
        if let settings = file.settings { planSettings(settings) }
        changes[.tenant] = plan.changes
        checkReferences(settingsChange: file.settings != nil)
        guard faults.isEmpty else { throw TenantFileFaults(faults) }
        plan.changes = TenantFile.Section.allCases.flatMap { changes[$0] ?? [] }
        plan.statements += deletions
        plan.target = TenantConfiguration(
            tenant: Tenant(
                id: configuration.tenant.id,
                name: configuration.tenant.name,
                settings: settings,
                suspendedAt: configuration.tenant.suspendedAt,
                createdAt: configuration.tenant.createdAt,
                updatedAt: configuration.tenant.updatedAt
            ),
            domains: domains,
            clients: clients,
            connections: connections,
            resourceServers: servers,
            grants: grants,
            version: configuration.version
        )
        return plan
    }

    // MARK: What the sections have in common

    /// Notes a fault of an entry.
    mutating func fault(_ section: TenantFile.Section, _ index: Int, _ error: TenancyError) {
        let place = section == .tenant ? "tenant" : "\(section.rawValue)[\(index)]"
        switch error {
        case .document(let error): fault(section, index, error)
        default:
            let sentence = "\(error)"
            faults.append(TenantFileFault(place, sentence.hasSuffix(".") ? sentence : sentence + "."))
        }
    }

    mutating func fault(_ section: TenantFile.Section, _ index: Int, _ error: DocumentError) {
        let place = section == .tenant ? "tenant" : "\(section.rawValue)[\(index)]"
        faults.append(TenantFileFault(error.path.isEmpty ? place : place + "." + error.path, "\(error)"))
    }

    /// Notes the members of a thing that change.
    mutating func note(_ section: TenantFile.Section, _ name: String, from old: JSONObject, to new: JSONObject) {
        for difference in old.differences(to: new) {
            // That a secret changes is shown, and not what it is.
            let isSecret = difference.path == Self.secrets || difference.path.hasPrefix(Self.secrets + ".")
            plan.changes.append(
                PlannedChange(
                    resource: section,
                    name: name,
                    operation: .update,
                    path: difference.path,
                    before: isSecret ? difference.before.map { _ in "(secret)" } : difference.before,
                    after: isSecret ? difference.after.map { _ in "(another secret)" } : difference.after
                )
            )
        }
    }

    /// The member of a database that custom scripts keep their keys in.
    private static let secrets = "options.configuration"

    mutating func noteCreation(_ section: TenantFile.Section, _ name: String, _ document: JSONObject) {
        plan.changes.append(
            PlannedChange(resource: section, name: name, operation: .create, after: .object(document))
        )
    }

    mutating func noteDeletion(_ section: TenantFile.Section, _ name: String) {
        plan.changes.append(PlannedChange(resource: section, name: name, operation: .delete))
    }

    /// The text by which an entry is known.
    mutating func key(
        _ member: String,
        of entry: JSONObject,
        _ section: TenantFile.Section,
        _ index: Int
    ) -> String? {
        guard let value = entry[member], !value.isNull else {
            fault(section, index, .missingMember(path: member))
            return nil
        }
        guard let text = value.string, !text.isEmpty else {
            fault(section, index, .invalidValue(path: member, value: "that", expected: "text"))
            return nil
        }
        return text
    }

    /// Notes that two entries mean one thing.
    mutating func duplicate(_ section: TenantFile.Section, _ index: Int, _ member: String, _ name: String) {
        faults.append(
            TenantFileFault(
                "\(section.rawValue)[\(index)].\(member)",
                "\"\(name)\" stands twice in \(section.rawValue)."
            )
        )
    }
}
