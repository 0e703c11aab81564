import CSQLite
import Identity
import StoreSQL

extension SQLiteConnection {
    /// What our files carry as their application id: `Ltky`.
    private static let applicationID: Int64 = 0x4C74_6B79

    /// Whether the database is empty or one of Latchkey's.
    func isOurs() throws(StoreError) -> Bool {
        guard try execute("PRAGMA application_id") != .integer(Self.applicationID) else { return true }
        return try execute("SELECT COUNT(*) FROM sqlite_schema") == .integer(0)
    }

    /// Marks the database as Latchkey's.
    func claim() throws(StoreError) {
        guard try execute("PRAGMA application_id") != .integer(Self.applicationID) else { return }
        try execute("PRAGMA application_id = \(Self.applicationID)")
    }

    /// Settings of the connection that writes.
    func configureWriter(_ options: SQLiteOptions) throws(StoreError) {
        guard try execute("PRAGMA journal_mode = WAL") == .text("wal") else {
            throw .unavailable(reason: "the file system has no shared memory, which a write-ahead log needs")
        }
        try execute("PRAGMA synchronous = \(options.synchronous.rawValue)")
        try execute("PRAGMA wal_autocheckpoint = 0")  // Another thread does it.
        try execute("PRAGMA journal_size_limit = 67108864")
        try execute("PRAGMA cache_size = -8192")
        try execute("PRAGMA temp_store = MEMORY")
        try execute("PRAGMA trusted_schema = OFF")
    }

    /// The connection that copies the log back.
    static func copier(path: String, _ options: SQLiteOptions) throws(StoreError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, .readWrite, patience: 0)
        try connection.execute("PRAGMA synchronous = \(options.synchronous.rawValue)")
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        // Without a first read the connection does not know of the log, and its checkpoints do nothing.
        try connection.execute("SELECT COUNT(*) FROM sqlite_schema")
        return connection
    }

    /// A connection that only reads.
    static func reader(path: String) throws(StoreError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, .readOnly, patience: 100)
        try connection.execute("PRAGMA cache_size = -2048")
        try connection.execute("PRAGMA temp_store = MEMORY")
        try connection.execute("PRAGMA trusted_schema = OFF")
        return connection
    }
}
