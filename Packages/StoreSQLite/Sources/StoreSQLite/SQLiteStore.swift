public import Identity
public import StoreSQL
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
    ///   - policy: what to do about a schema older than this build's.
    /// - Returns: the open store. Close it before the process ends.
    /// - Throws: why it is not, in words for the operator.
    public static func open(
        path: String,
        options: SQLiteOptions = SQLiteOptions(),
        schema policy: Schema.Policy = .refuseOlder
    ) async throws(SQLiteOpenError) -> any CredentialDatabase {
        // Opening waits for locks, which a thread of Swift's own pool must not.
        guard let pool = try? BlockingPool(name: "sqlite-open", threadCount: 1) else { throw .noThread }
        return try await pool.run(refused: { _ in .noThread }) { () throws(SQLiteOpenError) in
            try openWaiting(path: path, options: options, policy: policy)
        }
    }

    /// Reads what schema the store in `path` has, and changes nothing.
    ///
    /// - Parameter path: the file; one that is not there is an empty store.
    /// - Returns: what is applied and what is to come.
    /// - Throws: why it cannot be read.
    public static func schema(path: String) async throws(SQLiteOpenError) -> Schema.Status {
        guard let pool = try? BlockingPool(name: "sqlite-open", threadCount: 1) else { throw .noThread }
        return try await pool.run(refused: { _ in .noThread }) { () throws(SQLiteOpenError) in
            guard try StoreFile(path: path).isThere() else { return .ofEmptyStore }
            do throws(StoreError) {
                var connection = try SQLiteConnection(path: path, .readOnly, patience: 5000)
                guard try connection.isOurs() else { throw .corrupt(reason: "another program's database") }
                return try connection.read(Schema.look(.sqlite))
            } catch {
                if case .corrupt = error { throw .foreign(path: path) }
                throw .store(path: path, error)
            }
        }
    }

    private static func openWaiting(
        path: String,
        options: SQLiteOptions,
        policy: Schema.Policy
    ) throws(SQLiteOpenError) -> any CredentialDatabase {
        let file = StoreFile(path: path)
        if policy == .refuseAny, try !file.isThere() {
            throw .schema(path: path, .tooOld(found: 0, needed: Schema.newest))
        }
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
