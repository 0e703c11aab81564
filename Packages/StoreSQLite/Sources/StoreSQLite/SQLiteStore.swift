public import Identity
import StoreSQL
import Threads

/// The embedded store: one file, beside it SQLite's log and the lock that openers take.
public enum SQLiteStore {
    /// Opens the store in `path`, making folder, file and schema where they are missing.
    ///
    /// Two processes may open it at once; one waits for the other.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - options: what its URL says.
    ///   - upgradingSchema: whether a schema older than this build's is brought forward; refused if not.
    /// - Returns: the open store. Close it before the process ends.
    /// - Throws: why it is not, in words for the operator.
    public static func open(
        path: String,
        options: SQLiteOptions = SQLiteOptions(),
        upgradingSchema: Bool = false
    ) async throws(SQLiteOpenError) -> any CredentialDatabase {
        // Opening waits for locks, which a thread of Swift's own pool must not.
        guard let pool = try? BlockingPool(name: "sqlite-open", threadCount: 1) else { throw .noThread }
        return try await pool.run(refused: { _ in .noThread }) { () throws(SQLiteOpenError) in
            try openWaiting(path: path, options: options, policy: upgradingSchema ? .upgrade : .refuseOlder)
        }
    }

    private static func openWaiting(
        path: String,
        options: SQLiteOptions,
        policy: Schema.Policy
    ) throws(SQLiteOpenError) -> any CredentialDatabase {
        let file = StoreFile(path: path)
        try file.make()
        let writing = try file.whileLocked { () throws(SQLiteOpenError) in
            try writer(path: path, options: options, policy: policy)
        }
        do throws(StoreError) {
            let copying = try SQLiteConnection.copier(path: path, options)
            return try start(writing, copying, path: path)
        } catch {
            throw .store(path: path, error)
        }
    }

    private static func start(
        _ writing: consuming SQLiteConnection,
        _ copying: consuming SQLiteConnection,
        path: String
    ) throws(StoreError) -> SQLStore {
        do throws(ThreadError) {
            let checkpointer = try Checkpointer(copying)
            let writer = try SQLiteWriter(writing, checkpointer: checkpointer)
            let readers = SQLiteReaders(path: path)
            return SQLStore(
                SQLiteDatabase(writer: writer, readers: readers, checkpointer: checkpointer),
                named: "SQLite"
            )
        } catch {
            throw .unavailable(reason: "the system has no thread left (\(error.code))")
        }
    }

    /// Opens the writing connection and brings the schema forward; under the openers' lock, for even the change to a
    /// write-ahead log fails when two do it at once.
    private static func writer(
        path: String,
        options: SQLiteOptions,
        policy: Schema.Policy
    ) throws(SQLiteOpenError) -> SQLiteConnection {
        let prepared: Result<Schema, SchemaError>
        do throws(StoreError) {
            var connection = try SQLiteConnection(path: path, .readWrite, patience: 5000)
            guard try connection.isOurs() else { throw .corrupt(reason: "another program's database") }
            try connection.configureWriter(options)
            prepared = try connection.write(Schema.prepare(policy, dialect: .sqlite))
            if case .success = prepared {
                try connection.claim()
                connection.setPatience(250)  // Three tries of it stay within the deadline of a write.
                return connection
            }
        } catch {
            if case .corrupt = error { throw .foreign(path: path) }
            throw .store(path: path, error)
        }
        switch prepared {
        case .success: throw .foreign(path: path)
        case .failure(let error): throw .schema(path: path, error)
        }
    }
}
