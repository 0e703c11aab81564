/// One change of what is configured in a tenant.
///
/// A `set` puts a thing in the place of the one that was read with this `updatedAt`, so that nobody's change is lost: a
/// thing that was changed meanwhile has another.
public enum ConfigurationChange: Hashable, Sendable {
    /// Changes nothing, and is done only while the whole configuration has this version (``TenantStore/version()``): the
    /// changes beside it are then made of the state that was read, and of no other.
    case unchanged(since: Int64)
    /// Adds a client and lets it use the connections.
    case addClient(Client, enabling: [ConnectionID])
    case setClient(Client, replacing: UnixTime)
    /// Takes a client away, from its connections and with its grants. Its refresh tokens are worth nothing from then on:
    /// no client of that id can prove itself again.
    case removeClient(ClientID)
    case addConnection(Connection)
    case setConnection(Connection, replacing: UnixTime)
    /// Takes a user directory away, as long as it has no users.
    case removeConnection(ConnectionID)
    case addResourceServer(ResourceServer)
    case setResourceServer(ResourceServer, replacing: UnixTime)
    /// Takes an API away with the client grants for it.
    case removeResourceServer(ResourceServer)
    case addGrant(ClientGrant)
    case setGrant(ClientGrant)
    case removeGrant(ClientGrantID)
    case setSettings(TenantSettings, replacing: UnixTime, at: UnixTime)
    /// Suspends the tenant from `since` on; `nil`: it serves again.
    case setSuspension(since: UnixTime?, replacing: UnixTime, at: UnixTime)
    case addDomain(Domain)
    case setDomain(Domain, replacing: UnixTime)
    /// Takes a custom domain away. Its name and RP IDs become free, unless another domain of the tenant has them or
    /// passkeys exist under them.
    case removeDomain(Domain)
}

/// Changes what is configured in tenants: settings, domains, applications, user directories, APIs and grants.
public protocol ConfigurationStore: Sendable {
    /// Makes all `changes` in their order, with the records of them, in one transaction.
    ///
    /// - Returns: false, with nothing done, when something that is to be replaced or removed is not there, or was changed
    ///   since it was read.
    /// - Throws: `.unique` with what is taken: `.clientID`, `.connectionName`, `.resourceServer`, `.clientGrant`,
    ///   `.domainHost`, `.relyingPartyID` (it belongs to another tenant); `.constraint` for a connection that is not there.
    func change(
        _ tenant: TenantID,
        _ changes: [ConfigurationChange],
        events: [AuditEvent]
    ) async throws(StoreError) -> Bool
}
