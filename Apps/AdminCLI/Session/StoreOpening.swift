import Identity
import Settings
import Storage

/// Opens the store that the settings name.
enum StoreOpening {
    /// A store that an older version made is refused: what upgrades it is `migrate up`, or the server.
    static func open(_ settings: Settings) async throws -> any CredentialDatabase {
        try await openStore(settings.store.value.url, prepares: settings.storePrepare.value)
    }

    /// What the store has of the migrations that this version knows. Nothing is changed.
    static func schema(_ settings: Settings) async throws -> SchemaState {
        try await schemaState(of: settings.store.value.url, prepares: settings.storePrepare.value)
    }

    /// Brings the store's schema forward, alone: whoever else opens it waits.
    static func upgrade(_ settings: Settings) async throws {
        let store = try await openStore(
            settings.store.value.url,
            schema: .upgrade,
            prepares: settings.storePrepare.value
        )
        await store.close()
    }
}
