/// All of one tenant's configuration, read at one moment: what requests are judged by.
///
/// A class, and never changed: every request carries it along, and as a value each hand-over would count up dozens of
/// references.
public final class TenantConfiguration: Sendable {
    public let tenant: Tenant
    public let domains: [Domain]
    public let clients: [ClientID: Client]
    public let connections: [Connection]
    public let resourceServers: [ResourceServer]
    public let grants: [ClientGrant]
    /// The number that the store gave this state; it grows with every change of any tenant.
    public let version: Int64

    public init(
        tenant: Tenant,
        domains: [Domain],
        clients: [ClientID: Client],
        connections: [Connection],
        resourceServers: [ResourceServer],
        grants: [ClientGrant],
        version: Int64
    ) {
        self.tenant = tenant
        self.domains = domains
        self.clients = clients
        self.connections = connections
        self.resourceServers = resourceServers
        self.grants = grants
        self.version = version
    }

    /// The domain that answers to `host` (lower case, with the port when it is not the default), ready or not.
    public func domain(host: String) -> Domain? {
        domains.first { $0.host.utf8.elementsEqual(host.utf8) }
    }

    /// The ready domain whose well-known files `host` serves: the one of that name, or else one whose RP ID it is, the
    /// current one before those of before (HTTP contract 14).
    public func publishingDomain(host: String) -> Domain? {
        if let domain = domain(host: host), domain.status == .ready { return domain }
        let ready = domains.filter { $0.status == .ready }
        return ready.first { $0.relyingPartyID.utf8.elementsEqual(host.utf8) } ?? ready.first { $0.serves(host) }
    }

    /// The connection that requests call `name`; compared byte for byte.
    public func connection(named name: String) -> Connection? {
        connections.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    public func connection(_ id: ConnectionID) -> Connection? {
        connections.first { $0.id == id }
    }

    /// The RP IDs of the ready domains, those used before included.
    public var relyingPartyIDs: [String] {
        domains.filter { $0.status == .ready }.flatMap { [$0.relyingPartyID] + $0.legacyRelyingPartyIDs }
    }

    /// The API that `identifier` names; a system API by its path.
    public func resourceServer(identifier: String) -> ResourceServer? {
        resourceServers.first { $0.identifier.utf8.elementsEqual(identifier.utf8) }
    }

    public func grant(of client: ClientID, audience: String, subject: ClientGrant.Subject) -> ClientGrant? {
        grants.first { $0.client == client && $0.subject == subject && $0.audience.utf8.elementsEqual(audience.utf8) }
    }
}
