/// Takes a tenant out of the store, with everything that is its own.
public protocol TenantRemovalStore: Sendable {
    /// What a tenant has that would go with it.
    func holdings(of tenant: TenantID) async throws(StoreError) -> TenantHoldings
    /// Removes a part of what a suspended tenant has: at most `limit` rows of each table. The tenant itself, its
    /// configuration, names and keys go last, in one transaction with the end of the rest; its name and RP IDs are free
    /// from then on. What was cut off goes on with the next call.
    ///
    /// - Returns: whether something is left.
    /// - Throws: `.constraint` for a tenant that is not suspended: it still gets new rows.
    func removePart(of tenant: TenantID, limit: Int) async throws(StoreError) -> Bool
}

/// How much hangs on a tenant.
public struct TenantHoldings: Hashable, Sendable {
    public let users: Int
    public let passkeys: Int
    public let clients: Int

    public init(users: Int, passkeys: Int, clients: Int) {
        self.users = users
        self.passkeys = passkeys
        self.clients = clients
    }
}
