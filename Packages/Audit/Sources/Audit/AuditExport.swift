public import Identity

/// Writes a tenant's audit log with its seals, as it can be verified anywhere.
public struct AuditExport: Sendable {
    private let store: any AuditChainStore

    public init(store: any AuditChainStore) {
        self.store = store
    }

    /// What a page of the store holds at most; memory does not grow with the log.
    private static let page = 1000

    /// Gives the lines of an export, in order and without their line feeds.
    ///
    /// - Parameters:
    ///   - tenant: whose.
    ///   - name: its name.
    ///   - start: from the batch that has events since then; `nil`: from the first.
    ///   - now: the time of the export.
    ///   - line: takes each line.
    /// - Throws: what the store or `line` throws.
    public func write(
        _ tenant: TenantID,
        named name: String,
        since start: UnixTime? = nil,
        now: UnixTime,
        to line: (String) async throws -> Void
    ) async throws {
        let first = start.map { TimeOrderedID(now: $0, random: []) }
        var after = try await store.sealBefore(first, of: tenant)
        try await line(AuditLine.header(tenant, named: name, at: now))
        while true {
            let seals = try await store.seals(of: tenant, after: after?.number ?? 0, limit: 100)
            for seal in seals {
                try await writeEvents(of: tenant, after: after?.through, through: seal.through, to: line)
                try await line(AuditLine.text(of: seal))
                after = seal
            }
            if seals.isEmpty { break }
        }
        try await writeEvents(of: tenant, after: after?.through, through: nil, to: line)
    }

    private func writeEvents(
        of tenant: TenantID,
        after start: TimeOrderedID?,
        through bound: TimeOrderedID?,
        to line: (String) async throws -> Void
    ) async throws {
        var cursor = start
        while true {
            let events = try await store.events(of: tenant, after: cursor, through: bound, limit: Self.page)
            for event in events { try await line(AuditLine.text(of: event)) }
            guard events.count == Self.page, let last = events.last else { return }
            cursor = last.id
        }
    }
}

extension AuditChainStore {
    /// The newest seal before the one that stands for `id`; `nil`: there is none, or `id` is none.
    fileprivate func sealBefore(_ id: TimeOrderedID?, of tenant: TenantID) async throws(StoreError) -> AuditSeal? {
        guard let id else { return nil }
        var before: AuditSeal?
        while true {
            let seals = try await seals(of: tenant, after: before?.number ?? 0, limit: 1000)
            for seal in seals {
                // Ids are compared as they are sorted.
                guard seal.through.bytes.lexicographicallyPrecedes(id.bytes) else { return before }
                before = seal
            }
            if seals.isEmpty { return before }
        }
    }
}
