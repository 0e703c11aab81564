import Identity
import Settings
import Storage

/// Opens the store that the settings name.
enum StoreOpening {
    static func open(_ location: StoreLocation) async throws -> any CredentialDatabase {
        let url =
            switch location {
            case .sqlite(let path): "sqlite:\(path)"
            case .postgres(let uri): uri
            case .other(_, let url): url
            }
        return try await openStore(url)
    }
}
