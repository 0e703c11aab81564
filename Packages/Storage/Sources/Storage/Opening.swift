public import Identity
import StorePostgres
import StoreSQL
import StoreSQLite

/// Opens the credential store that `url` names.
///
/// `sqlite:PATH` is the embedded one; its query may say `synchronous=normal`, for measurements.
/// `postgres://USER:PASSWORD@HOST,HOST/DATABASE?…` is a database for several servers.
///
/// - Parameters:
///   - url: the setting `store`.
///   - policy: what to do about a store that an older version made.
///   - prepares: the setting `store_prepare`: whether a PostgreSQL connection keeps its statements prepared.
///   - readyConnections: PostgreSQL connections that are made before they are needed.
/// - Returns: the open store. Close it before the process ends.
/// - Throws: why it is not open, in words for the operator.
public func openStore(
    _ url: String,
    schema policy: SchemaPolicy = .refuseOlder,
    prepares: Bool = true,
    readyConnections: Int = 1
) async throws(StorageError) -> any CredentialDatabase {
    let location = Location(url)
    switch StoreScheme(rawValue: location.scheme) {
    case .sqlite:
        guard !location.path.isEmpty, location.path != ":memory:" else { throw .noFile(url: url) }
        do throws(SQLiteOpenError) {
            return try await SQLiteStore.open(
                path: location.path,
                options: try SQLiteOptions(query: location.query),
                schema: policy.value
            )
        } catch {
            throw .sqlite(error)
        }
    case .postgres, .postgresql:
        do throws(PostgresOpenError) {
            return try await PostgresStore.open(
                url,
                options: PostgresOptions(prepares: prepares, readyConnections: readyConnections),
                schema: policy.value
            )
        } catch {
            throw .postgres(error)
        }
    case nil:
        throw .unknownScheme(setting: "store", scheme: location.scheme, known: StoreScheme.usages)
    }
}

/// Reads what schema the store that `url` names has, and changes nothing.
///
/// - Parameters:
///   - url: the setting `store`.
///   - prepares: the setting `store_prepare`.
/// - Returns: what is applied and what is to come.
/// - Throws: why it cannot be read, in words for the operator.
public func schemaState(of url: String, prepares: Bool = true) async throws(StorageError) -> SchemaState {
    let location = Location(url)
    switch StoreScheme(rawValue: location.scheme) {
    case .sqlite:
        guard !location.path.isEmpty, location.path != ":memory:" else { throw .noFile(url: url) }
        do throws(SQLiteOpenError) {
            return SchemaState(try await SQLiteStore.schema(path: location.path))
        } catch {
            throw .sqlite(error)
        }
    case .postgres, .postgresql:
        do throws(PostgresOpenError) {
            return SchemaState(try await PostgresStore.schema(url, options: PostgresOptions(prepares: prepares)))
        } catch {
            throw .postgres(error)
        }
    case nil:
        throw .unknownScheme(setting: "store", scheme: location.scheme, known: StoreScheme.usages)
    }
}

/// The stores of this build.
private enum StoreScheme: String, CaseIterable {
    case sqlite
    case postgres
    case postgresql

    /// How each is written, and for whom it is.
    static let usages = ["sqlite:PATH for one server", "postgres://HOST/DATABASE for several"]
}

/// A URL in the three parts that count here; without a colon it is all scheme.
struct Location {
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
