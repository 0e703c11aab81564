import CacheInMemory
public import Identity
import StoreSQLite

/// Opens the credential store that `url` names.
///
/// `sqlite:PATH` is the embedded one; its query may say `synchronous=normal`, for measurements.
///
/// - Parameters:
///   - url: the setting `store`.
///   - upgradingSchema: whether a store that an older version made is brought forward; refused if not.
/// - Returns: the open store. Close it before the process ends.
/// - Throws: why it is not open, in words for the operator.
public func openStore(
    _ url: String,
    upgradingSchema: Bool = false
) async throws(StorageError) -> any CredentialDatabase {
    let location = Location(url)
    switch StoreScheme(rawValue: location.scheme) {
    case .sqlite:
        guard !location.path.isEmpty, location.path != ":memory:" else { throw .noFile(url: url) }
        do throws(SQLiteOpenError) {
            return try await SQLiteStore.open(
                path: location.path,
                options: try SQLiteOptions(query: location.query),
                upgradingSchema: upgradingSchema
            )
        } catch {
            throw .sqlite(error)
        }
    case nil:
        throw .unknownScheme(setting: "store", scheme: location.scheme, known: StoreScheme.allCases.map(\.usage))
    }
}

/// Opens the challenge cache that `url` names.
///
/// - Parameters:
///   - url: the setting `challenges`; `memory` and `memory:` are the cache of a single server.
///   - capacity: how many ceremonies may be pending in it.
/// - Returns: the cache.
/// - Throws: ``StorageError/unknownScheme(setting:scheme:known:)``.
public func openChallengeCache(
    _ url: String,
    capacity: Int = 100_000
) throws(StorageError) -> any ChallengeCache {
    let location = Location(url)
    switch CacheScheme(rawValue: location.scheme) {
    case .memory:
        return InMemoryChallengeCache(limits: InMemoryChallengeCache.Limits(total: capacity))
    case nil:
        throw .unknownScheme(setting: "challenges", scheme: location.scheme, known: CacheScheme.allCases.map(\.usage))
    }
}

/// The stores of this build.
private enum StoreScheme: String, CaseIterable {
    case sqlite

    /// How it is written, and for whom it is.
    var usage: String {
        switch self {
        case .sqlite: "sqlite:PATH for one server"
        }
    }
}

/// The challenge caches of this build.
private enum CacheScheme: String, CaseIterable {
    case memory

    var usage: String {
        switch self {
        case .memory: "memory for one server"
        }
    }
}

/// A URL in the three parts that count here; without a colon it is all scheme.
private struct Location {
    let scheme: String
    let path: String
    let query: String

    init(_ url: String) {
        let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = (parts.count > 1 ? parts[1] : "")
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        scheme = parts.first.map(String.init) ?? ""
        path = rest.first.map(String.init) ?? ""
        query = rest.count > 1 ? String(rest[1]) : ""
    }
}
