public import Identity
public import StoreSQL

/// Why a SQLite store could not be opened. ``description`` says what to do.
public enum SQLiteOpenError: Error, Hashable, Sendable {
    /// The folder or file cannot be made or used; `reason` is the system's.
    case file(path: String, reason: String)
    /// Another process has been opening the store for too long.
    case beingOpened(path: String)
    /// The file is no SQLite database, or another program's.
    case foreign(path: String)
    case schema(path: String, SchemaError)
    /// An option of the URL, or its value, is none of those that are `allowed`.
    case option(name: String, value: String?, allowed: [String])
    case store(path: String, StoreError)
    /// The system has no thread left.
    case noThread
}

extension SQLiteOpenError {
    /// Whether trying again later may help, with nothing changed.
    public var isTemporary: Bool {
        switch self {
        case .beingOpened, .noThread, .store(_, .busy), .store(_, .unavailable), .store(_, .full): true
        default: false
        }
    }
}

extension SQLiteOpenError: CustomStringConvertible {
    /// What is wrong and what to do, for the operator.
    public var description: String {
        switch self {
        case .file(let path, let reason):
            "\(path) cannot be used: \(reason). Give its folder to the user that runs Latchkey, with mode 0700."
        case .beingOpened(let path):
            "\(path) is being opened by another process, which has not finished. Try again, or end that process."
        case .foreign(let path):
            "\(path) is not a database of Latchkey. Name another file, or move this one away."
        case .schema(let path, let error):
            "\(path): \(error)"
        case .option(let name, nil, let allowed):
            "sqlite has no option \"\(name)\". It has \(allowed.joined(separator: ", "))."
        case .option(let name, let value?, let allowed):
            "\(name) is \"\(value)\", which it cannot be. Use \(allowed.joined(separator: " or "))."
        case .store(let path, let error):
            "\(path) cannot be opened: \(error.reason)."
        case .noThread:
            "the system has no thread left for the store. Raise the limit of threads or processes."
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
