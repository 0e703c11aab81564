public import Identity

/// Makes tenants and changes what is configured in them: each method checks everything, then writes once.
///
/// What a change leaves alone is written as it was read a moment before: of two changes to one thing at the same time
/// the later one wins whole.
public struct TenantAdministration: Sendable {
    let store: any TenantStore & ClientStore
    let directory: TenantDirectory?
    let metadata: (any MetadataStore)?
    let random: RandomSource

    /// - Parameters:
    ///   - store: where it is kept.
    ///   - directory: told of each change, so that this process sees it at once.
    ///   - metadata: where the metadata of authenticators is kept, without which no policy may go by their models.
    ///   - random: so many unpredictable bytes, for ids and secrets.
    public init(
        store: any TenantStore & ClientStore,
        directory: TenantDirectory? = nil,
        metadata: (any MetadataStore)? = nil,
        random: @escaping RandomSource
    ) {
        self.store = store
        self.directory = directory
        self.metadata = metadata
        self.random = random
    }

    /// Runs one write, names what is taken, and tells the directory.
    func write<Value>(
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
