public import Identity
public import StoreSQL

/// Why a PostgreSQL store could not be opened. ``description`` says what to do, and shows no password.
public enum PostgresOpenError: Error, Hashable, Sendable {
    /// The URL cannot be read; `reason` is libpq's.
    case url(reason: String)
    /// No host took the connection; `reason` names each with its answer.
    case notConnected(reason: String, isTemporary: Bool)
    /// Every server that answers takes no writes; `reason` names each with its answer.
    case readOnly(reason: String)
    /// The database keeps its text in another encoding than UTF-8.
    case encoding(String)
    case schema(SchemaError)
    case store(StoreError)
    /// The system has no thread or descriptor left.
    case noThread
}

extension PostgresOpenError {
    /// Whether trying again later may help, with nothing changed.
    public var isTemporary: Bool {
        switch self {
        case .notConnected(_, let isTemporary): isTemporary
        case .readOnly: true
        case .store(.busy), .store(.unavailable), .store(.unknownOutcome), .store(.full), .noThread: true
        default: false
        }
    }
}

extension PostgresOpenError: CustomStringConvertible {
    /// What is wrong and what to do, for the operator.
    public var description: String {
        switch self {
        case .url(let reason):
            """
            store is a postgres:// URL that cannot be read: \(reason). \
            Use postgres://USER:PASSWORD@HOST,HOST/DATABASE?sslmode=verify-full.
            """
        case .notConnected(let reason, true):
            "PostgreSQL cannot be reached: \(reason). Start it, or correct the store's URL."
        case .notConnected(let reason, false):
            "PostgreSQL refuses the connection: \(reason). Correct the store's URL, or the server's rules and roles."
        case .readOnly(let reason):
            """
            PostgreSQL takes no writes: \(reason). Promote the standby, name the primary in the store's URL, or take \
            default_transaction_read_only back.
            """
        case .encoding(let encoding):
            "the PostgreSQL database has the encoding \(encoding). Make one with: createdb --encoding UTF8 NAME."
        case .schema(let error):
            "PostgreSQL: \(error)"
        case .store(let error):
            "the PostgreSQL store cannot be opened: \(error.reason)."
        case .noThread:
            "the system has no thread or descriptor left for the store. Raise the limits of the process."
        }
    }
}

extension StoreError {
    fileprivate var reason: String {
        switch self {
        case .busy(let reason), .full(let reason), .overQuota(let reason), .readOnly(let reason), .io(let reason),
            .corrupt(let reason), .constraint(let reason), .unavailable(let reason), .unknownOutcome(let reason):
            reason
        case .unique(let conflict):
            "\(conflict.rawValue) is taken"
        }
    }
}
