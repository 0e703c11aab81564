/// Keeps the chains that make the audit events of each tenant tamper-evident.
public protocol AuditChainStore: Sendable {
    /// The tenants that have an event after their newest seal, and not after `bound`, in the order of their numbers.
    func tenantsToSeal(through bound: TimeOrderedID) async throws(StoreError) -> [TenantID]
    /// The newest seal of the tenant.
    func newestSeal(of tenant: TenantID) async throws(StoreError) -> AuditSeal?
    /// Events of the tenant in the order of their ids: after `cursor` and up to `bound`, at most `limit`; `nil`: from
    /// the first, or to the last.
    func events(
        of tenant: TenantID,
        after cursor: TimeOrderedID?,
        through bound: TimeOrderedID?,
        limit: Int
    ) async throws(StoreError) -> [StoredAuditEvent]
    /// The newest events of the tenant, the newest first, at most `limit`.
    func newestEvents(of tenant: TenantID, limit: Int) async throws(StoreError) -> [StoredAuditEvent]
    /// Appends `seal`.
    ///
    /// - Returns: false when the tenant has a seal with that number already; then nothing was done.
    func append(_ seal: AuditSeal) async throws(StoreError) -> Bool
    /// Seals of the tenant in the order of their numbers, from after `number`, at most `limit`.
    func seals(of tenant: TenantID, after number: Int64, limit: Int) async throws(StoreError) -> [AuditSeal]
    /// Removes the oldest seals of every tenant, each with the events that it stands for, as far as all of these are from
    /// before `time`. The newest seal of a tenant stays: the next follows it.
    func removeSealedEvents(before time: UnixTime) async throws(StoreError)
}
