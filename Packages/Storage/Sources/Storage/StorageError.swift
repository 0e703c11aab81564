public import CacheRedis
public import StorePostgres
public import StoreSQLite

/// Why a store or cache was not opened. ``description`` says what to do.
public enum StorageError: Error, Hashable, Sendable {
    /// No adapter in this build answers the scheme; `known` are those that do, as they are written.
    case unknownScheme(setting: String, scheme: String, known: [String])
    /// `sqlite:` without a file.
    case noFile(url: String)
    case sqlite(SQLiteOpenError)
    case postgres(PostgresOpenError)
    /// A `redis:` URL that names no server.
    case redisLocation(scheme: String, RedisLocationError)
    case redis(RedisOpenError)
    /// `challenges` is `store`, and this store cannot keep them.
    case storeKeepsNoChallenges

    /// Whether trying again later may help, with nothing changed.
    public var isTemporary: Bool {
        switch self {
        case .unknownScheme, .noFile, .redisLocation, .redis, .storeKeepsNoChallenges: false
        case .sqlite(let error): error.isTemporary
        case .postgres(let error): error.isTemporary
        }
    }
}

extension StorageError: CustomStringConvertible {
    /// What is wrong and what to do, for the operator. Of a URL it shows the scheme alone, for the rest may be secret.
    public var description: String {
        switch self {
        case .unknownScheme(let setting, let scheme, let known):
            "\(setting) is \"\(scheme):\", which it cannot be in this build. Use \(known.joined(separator: ", or "))."
        case .noFile(let url):
            "store is \"\(url)\", which names no file. Use sqlite:PATH, as sqlite:/var/lib/latchkey/latchkey.db."
        case .sqlite(let error):
            error.description
        case .postgres(let error):
            error.description
        case .redisLocation(let scheme, let error):
            "challenges is a \(scheme): URL that cannot be used: \(error)."
        case .redis(let error):
            error.description
        case .storeKeepsNoChallenges:
            "challenges is store, and this store keeps none. Use memory for one server, or redis://HOST:PORT for several."
        }
    }
}
