public import Identity
internal import Synchronization
public import WebAuthn

/// The metadata of authenticators as this process knows it: what the store had when it was last looked into.
public final class MetadataCache: Sendable {
    private let store: any MetadataStore
    private let state = Mutex(State())

    private struct State {
        var revision: Int64 = 0
        var metadata: AuthenticatorMetadata?
        var importedAt: UnixTime?
    }

    public init(_ store: any MetadataStore) {
        self.store = store
    }

    /// What registrations are judged by now; `nil`: none was imported.
    public var current: AuthenticatorMetadata? { state.withLock { $0.metadata } }

    /// When ``current`` was imported; `nil`: none was.
    public var importedAt: UnixTime? { state.withLock { $0.importedAt } }

    /// Looks whether the store has other metadata, and reads it if so. What cannot be read leaves the last that could.
    ///
    /// - Returns: whether ``current`` is another one now.
    /// - Throws: what the store throws; `.corrupt` for metadata that is none.
    public func refresh() async throws(StoreError) -> Bool {
        let revision = try await store.metadataRevision()
        guard revision != state.withLock({ $0.revision }) else { return false }
        guard let stored = try await store.metadata() else { return false }
        let payload: MetadataPayload
        do throws(MetadataError) {
            payload = try MetadataPayload(decoding: stored.payload)
        } catch {
            throw .corrupt(reason: "the stored metadata of authenticators: \(error)")
        }
        let metadata = AuthenticatorMetadata(payload)
        state.withLock { $0 = State(revision: revision, metadata: metadata, importedAt: stored.importedAt) }
        return true
    }
}
