/// Reads what the audit log holds, row by row.
public protocol EventLog: Sendable {
    /// Events of the tenant, of one user or of all, from one side of an event on.
    func events(
        of tenant: TenantID,
        user: UserID?,
        from place: EventPlace,
        limit: Int
    ) async throws(StoreError) -> [RecordedEvent]
    func event(_ id: TimeOrderedID, of tenant: TenantID) async throws(StoreError) -> RecordedEvent?
    /// What users are shown as: a name, or else an identifier.
    func names(of users: [UserID], tenant: TenantID) async throws(StoreError) -> [UserID: String]
}

/// From where, and in which direction, events are read. The event at the place is not among them.
public enum EventPlace: Hashable, Sendable {
    /// Newest first; `nil`: from the newest.
    case before(TimeOrderedID?)
    /// Oldest first; `nil`: from the oldest.
    case after(TimeOrderedID?)
}

/// An event with its id, which begins with the time.
public struct RecordedEvent: Hashable, Sendable {
    public let id: TimeOrderedID
    public let event: AuditEvent

    public init(id: TimeOrderedID, event: AuditEvent) {
        self.id = id
        self.event = event
    }
}
