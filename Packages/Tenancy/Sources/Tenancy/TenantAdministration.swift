public import Identity
public import PublicSuffix

/// Makes tenants and changes what is configured in them: each method checks everything, then writes once.
///
/// A change replaces what was read, and only that: when somebody else was faster it is refused with `changedMeanwhile`, and
/// nothing of theirs is lost.
public struct TenantAdministration: Sendable {
    let store: any TenantStore & ConfigurationStore & RelyingPartyStore
    let directory: TenantDirectory?
    let metadata: (any MetadataStore)?
    let random: RandomSource
    let rules: DomainRules
    let names: NameAuthority
    private var events: [AuditEvent] = []

    /// - Parameters:
    ///   - store: where it is kept.
    ///   - directory: told of each change, so that this process sees it at once.
    ///   - metadata: where the metadata of authenticators is kept, without which no policy may go by their models.
    ///   - names: what says whose a name is.
    ///   - random: so many unpredictable bytes, for ids and secrets.
    public init(
        store: any TenantStore & ConfigurationStore & RelyingPartyStore,
        directory: TenantDirectory? = nil,
        metadata: (any MetadataStore)? = nil,
        names: NameAuthority = NameAuthority(),
        random: @escaping RandomSource
    ) {
        self.store = store
        self.directory = directory
        self.metadata = metadata
        self.random = random
        self.names = names
        rules = DomainRules(suffixes: names.publicSuffixes)
    }

    /// The names that nobody can speak for; `nil`: no list could be read.
    public var publicSuffixes: PublicSuffixList? { names.publicSuffixes }

    /// The same, writing `event` down in the transaction of the next change.
    public func recording(_ event: AuditEvent) -> TenantAdministration {
        var recording = self
        recording.events.append(event)
        return recording
    }

    /// Makes the changes in one transaction, names what is taken, and tells the directory.
    ///
    /// - Throws: what `conflicts` says for a unique key that is taken, `changedMeanwhile`, `store`.
    func write(
        _ changes: [ConfigurationChange],
        of tenant: TenantID,
        _ conflicts: [StoreError.Conflict: TenancyError] = [:]
    ) async throws(TenancyError) {
        let isDone = try await stored(conflicts) { () throws(StoreError) in
            try await store.change(tenant, changes, events: events)
        }
        guard isDone else { throw .changedMeanwhile }
    }

    /// Runs one write, names what is taken, and tells the directory.
    func stored<Value>(
        _ conflicts: [StoreError.Conflict: TenancyError],
        _ body: () async throws(StoreError) -> Value
    ) async throws(TenancyError) -> Value {
        defer { directory?.changed() }
        do throws(StoreError) {
            return try await body()
        } catch .unique(let conflict) {
            throw conflicts[conflict] ?? .store(.unique(conflict))
        } catch {
            throw .store(error)
        }
    }
}

extension UnixTime {
    /// When a thing is changed that was last changed at this moment: now, and never the same moment again, since a change
    /// is known by it.
    func changed(at now: UnixTime) -> UnixTime { max(now, adding(milliseconds: 1)) }
}
