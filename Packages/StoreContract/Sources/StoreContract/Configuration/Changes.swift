import Identity

/// One change at a time, as most promises make them.
extension Scene {
    @discardableResult
    func change(_ changes: ConfigurationChange..., events: [AuditEvent] = []) async throws(StoreError) -> Bool {
        try await store.change(tenant, changes, events: events)
    }
}
