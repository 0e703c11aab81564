public import Identity
public import StoreSQL
import Threads

/// The credential store for several servers: a PostgreSQL database.
public enum PostgresStore {
    /// Opens the store that `url` names, making its schema where it is missing.
    ///
    /// Any number of processes may open it at once; while one makes or upgrades the schema, the others wait.
    ///
    /// - Parameters:
    ///   - url: for libpq, `postgres://USER:PASSWORD@HOST,HOST/DATABASE?…`. Of several hosts the first is used that
    ///     takes writes.
    ///   - options: limits.
    ///   - policy: what to do about a schema older than this build's.
    /// - Returns: the open store. Close it before the process ends.
    /// - Throws: why it is not, in words for the operator.
    public static func open(
        _ url: String,
        options: PostgresOptions = PostgresOptions(),
        schema policy: Schema.Policy = .refuseOlder
    ) async throws(PostgresOpenError) -> any CredentialDatabase {
        let engine = try await connect(url, options)
        do throws(PostgresOpenError) {
            try await prepareSchema(engine, policy)
        } catch {
            await PostgresDatabase(engine, options).close()
            throw error
        }
        return SQLStore(PostgresDatabase(engine, options), named: "PostgreSQL")
    }

    /// Reads what schema the store that `url` names has, and changes nothing.
    ///
    /// - Parameters:
    ///   - url: for libpq.
    ///   - options: limits.
    /// - Returns: what is applied and what is to come.
    /// - Throws: why it cannot be read.
    public static func schema(
        _ url: String,
        options: PostgresOptions = PostgresOptions()
    ) async throws(PostgresOpenError) -> Schema.Status {
        let engine = try await connect(url, options)
        let status: Result<Schema.Status, PostgresOpenError>
        do throws(PostgresOpenError) {
            status = .success(try await look(engine))
        } catch {
            status = .failure(error)
        }
        await PostgresDatabase(engine, options).close()
        return try status.get()
    }

    private static func look(
        _ engine: Engine,
        for policy: Schema.Policy = .upgrade
    ) async throws(PostgresOpenError) -> Schema.Status {
        do throws(StoreError) {
            return try await engine.run(
                Schema.look(.postgreSQL, for: policy),
                isWrite: false,
                poolWait: patience,
                deadline: patience
            )
        } catch {
            throw .store(error)
        }
    }

    /// Connects once, so that what is wrong shows at once and in full.
    private static func connect(_ url: String, _ options: PostgresOptions) async throws(PostgresOpenError) -> Engine {
        let string = try ConnectionString(url)
        // Connecting waits, which a thread of Swift's own pool must not.
        guard let pool = try? BlockingPool(name: "postgres-open", threadCount: 1),
            let inbox = Inbox(capacity: capacity)
        else { throw .noThread }
        return try await pool.run(refused: { _ in .noThread }) { () throws(PostgresOpenError) in
            let first: (connection: PostgresConnection, host: Int)
            do throws(ConnectFault) {
                // Nobody's request waits for the first one: a database that is busy, or starts itself, gets more time.
                var patient = options
                patient.connectTimeout = max(options.connectTimeout, .seconds(5))
                first = try PostgresConnection.connect(string, patient)
            } catch {
                if let encoding = error.encoding { throw .encoding(encoding) }
                if error.isReadOnly { throw .readOnly(reason: error.reason) }
                throw .notConnected(reason: error.reason, isTemporary: error.isTemporary)
            }
            do throws(ThreadError) {
                return try Engine(inbox, first, string, options)
            } catch {
                throw .noThread
            }
        }
    }

    /// Brings the schema forward, in one transaction, while every other opener waits. A schema that is current is only
    /// looked at, so that a role without rights to define anything will do.
    private static func prepareSchema(_ engine: Engine, _ policy: Schema.Policy) async throws(PostgresOpenError) {
        let status = try await look(engine, for: policy)
        if let fault = status.fault { throw .schema(fault) }
        guard !status.pending.isEmpty else { return }
        let alone: SQLStep<Result<Schema, SchemaError>> = .run(
            [SQLStatement(setPatience, []), SQLStatement(lock, [])]
        ) { _ in Schema.prepare(policy, dialect: .postgreSQL) }
        let prepared: Result<Schema, SchemaError>
        do throws(StoreError) {
            prepared = try await engine.run(alone, isWrite: true, poolWait: patience, deadline: patience)
        } catch {
            throw .store(error)
        }
        if case .failure(let error) = prepared { throw .schema(error) }
    }

    /// Transactions that may wait.
    private static let capacity = 4096
    /// How long an opener waits for another one, and for its own migrations.
    private static let patience = Duration.seconds(60)
    private static let setPatience = SQL(
        "SELECT set_config('lock_timeout', '55000', true), set_config('statement_timeout', '0', true)"
    )
    /// `Latchkey` as a number: the lock that only whoever changes the schema holds, until its transaction ends.
    private static let lock = SQL("SELECT pg_advisory_xact_lock(5503808189925909881)")
}
