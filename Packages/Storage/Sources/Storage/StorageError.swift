public import CacheRedis
import Identity
public import StorePostgres
public import StoreSQL
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
    /// A copy of the store was not made or not put back.
    case backup(SQLiteBackupError)
    /// Copies are made and put back here of the embedded store alone.
    case notEmbedded(scheme: String)
    /// A store was not moved into another, or not all of it.
    case copy(StoreCopy.Failure)
    /// One of the stores is none that can be moved.
    case notCopied

    /// Whether trying again later may help, with nothing changed.
    public var isTemporary: Bool {
        switch self {
        case .unknownScheme, .noFile, .redisLocation, .redis, .storeKeepsNoChallenges, .notEmbedded, .notCopied: false
        case .copy(.source(let error)), .copy(.target(let error)): error.isTemporary
        case .copy: false
        case .backup(.open(let error)): error.isTemporary
        case .backup: false
        case .sqlite(let error): error.isTemporary
        case .postgres(let error): error.isTemporary
        }
    }
}

extension StorageError {
    /// Whether a file that was named is not there.
    public var isMissing: Bool {
        switch self {
        case .backup(.noStore), .backup(.noFolder): true
        default: false
        }
    }

    /// Whether something is there that is in the way, or in use.
    public var isConflict: Bool {
        switch self {
        case .backup(.exists), .backup(.inUse), .copy(.targetInUse), .copy(.sourceEmpty), .copy(.sourceChanging): true
        default: false
        }
    }
}

extension StoreError {
    fileprivate var isTemporary: Bool {
        switch self {
        case .busy, .unavailable, .full: true
        default: false
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
        case .backup(let error):
            error.description
        case .notEmbedded(let scheme):
            """
            the store is \"\(scheme):\", whose own tools make and restore backups. Use pg_dump, or point-in-time \
            recovery: docs/operations.md says how.
            """
        case .copy(.targetInUse):
            "the store that --to names is in use: a copy goes into an empty one. Name another, or empty it."
        case .copy(.sourceEmpty):
            "the store that --from names was never used: there is nothing to move."
        case .copy(.sourceChanging(let tables)):
            """
            \(tables.joined(separator: ", ")) went on changing while it was copied. Stop the servers of the store that is \
            moved, and run the command again: it goes on where it was.
            """
        case .copy(.source(let error)):
            "the store that is moved cannot be read: \(error). Run the command again: it goes on where it was."
        case .copy(.target(let error)):
            "the new store cannot be written: \(error). Run the command again: it goes on where it was."
        case .notCopied:
            "one of the stores is of an adapter that cannot be moved by this command."
        }
    }
}
