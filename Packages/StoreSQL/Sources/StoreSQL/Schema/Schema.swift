import Identity

/// The state of a store's schema, and the way to the one that this build needs.
public struct Schema: Hashable, Sendable {
    /// The number of the newest migration that was applied.
    public let number: Int64
    /// The oldest schema number that a server must know to run on this store.
    public let oldestServer: Int64
    /// Whether this call applied anything.
    public let hasChanged: Bool

    /// The newest schema that this build knows, and brings a store to.
    public static var newest: Int64 { Migration.newest }

    /// What to do about a store whose schema is older than this build's.
    public enum Policy: Hashable, Sendable {
        /// Refuse it, and an empty store too: nothing of a schema is changed.
        case refuseAny
        /// Refuse it; an empty store gets its schema all the same.
        case refuseOlder
        /// Bring it forward.
        case upgrade
        /// The same, and take a store too into which another is being copied.
        case copyTarget
    }

    /// What a store says instead of the oldest server's number while another is being copied into it: every server is
    /// shut out, also one of an earlier version.
    static let unfinishedCopy = Int64.max

    /// What a store has of the migrations that this build knows.
    public struct Status: Hashable, Sendable {
        /// The number of the newest migration that was applied; 0 for an empty store.
        public let number: Int64
        /// The numbers of those that are to come.
        public let pending: [Int64]
        /// Why this build does not run on the store, whatever it may do to an older one.
        public let fault: SchemaError?

        /// Of a store that has nothing yet.
        public static var ofEmptyStore: Status { Schema.status([], of: Migration.all) }
    }

    /// Reads what the store has, and changes nothing: a step for one consistent read.
    ///
    /// - Parameters:
    ///   - dialect: the engine's.
    ///   - policy: for whom; only the target of a copy may be unfinished.
    /// - Returns: what is applied, what is to come, and what is wrong.
    public static func look(_ dialect: SQLDialect, for policy: Policy = .upgrade) -> SQLStep<Status> {
        .run([SQLStatement(SQL(dialect.findSchemaTable), [])]) { (results) throws(StoreError) in
            guard !results.first.isEmpty else { return .commit([], .ofEmptyStore) }
            return .query([SQLStatement(select, [])]) { (results) throws(StoreError) in
                status(try applied(results.first), of: Migration.all, for: policy)
            }
        }
    }

    private static func status(
        _ applied: [Applied],
        of migrations: [Migration],
        for policy: Policy = .upgrade
    ) -> Status {
        let number = applied.last?.number ?? 0
        do throws(SchemaError) {
            // What is to come is no fault, whether it may be applied or not.
            let policy = policy == .copyTarget ? policy : .upgrade
            let pending = try pending(after: applied, of: migrations, policy: policy)
            return Status(number: number, pending: pending.map(\.number), fault: nil)
        } catch {
            return Status(number: number, pending: [], fault: error)
        }
    }

    /// Reads the store's schema, and creates or upgrades it as `policy` allows: one transaction.
    ///
    /// An engine runs it as a write, alone: under a lock that keeps every other opener out.
    public static func prepare(_ policy: Policy, dialect: SQLDialect) -> SQLStep<Result<Schema, SchemaError>> {
        prepare(policy, dialect: dialect, migrations: Migration.all)
    }

    /// Makes the schema that an empty store has after migration `number`: what another of that number has to have.
    public static func make(upTo number: Int64, dialect: SQLDialect) -> SQLStep<Result<Schema, SchemaError>> {
        prepare(.upgrade, dialect: dialect, migrations: Migration.all.filter { $0.number <= number })
    }

    static func prepare(
        _ policy: Policy,
        dialect: SQLDialect,
        migrations: [Migration]
    ) -> SQLStep<Result<Schema, SchemaError>> {
        .run([SQLStatement(SQL(createTable(dialect)), []), SQLStatement(select, [])]) { (results) throws(StoreError) in
            let applied = try applied(results[1])
            do throws(SchemaError) {
                let pending = try pending(after: applied, of: migrations, policy: policy)
                let last = pending.last ?? Migration(number: 0, oldestServer: 0) { _ in [] }
                let schema = Schema(
                    number: max(last.number, applied.last?.number ?? 0),
                    oldestServer: max(last.oldestServer, oldestServer(applied) ?? 0),
                    hasChanged: !pending.isEmpty
                )
                return .commit(pending.flatMap { $0.steps(dialect) }, .success(schema))
            } catch {
                return .rollBack(.failure(error))
            }
        }
    }

    private static func pending(
        after applied: [Applied],
        of migrations: [Migration],
        policy: Policy
    ) throws(SchemaError) -> [Migration] {
        let newest = migrations.last?.number ?? 0
        let found = applied.last?.number ?? 0
        guard policy == .copyTarget || !applied.contains(where: { $0.oldestServer == unfinishedCopy }) else {
            throw .unfinishedCopy
        }
        let oldestServer = oldestServer(applied) ?? 0
        guard oldestServer <= newest else {
            throw .tooNew(found: found, oldestServer: oldestServer, known: newest)
        }
        for (row, migration) in zip(applied, migrations) {
            guard row.number == migration.number, row.hash == migration.hash else {
                throw .changed(migration: migration.number)
            }
        }
        let pending = migrations.filter { $0.number > found }
        let isAllowed =
            switch policy {
            case .refuseAny: pending.isEmpty
            case .refuseOlder: pending.isEmpty || applied.isEmpty
            case .upgrade, .copyTarget: true
            }
        guard isAllowed else { throw .tooOld(found: found, needed: newest) }
        return pending
    }

    private static func applied(_ result: SQLResult) throws(StoreError) -> [Applied] {
        try result.map { (row) throws(StoreError) in
            Applied(number: try row.integer(), oldestServer: try row.integer(), hash: try row.integer())
        }
    }

    private static func oldestServer(_ applied: [Applied]) -> Int64? {
        applied.map(\.oldestServer).filter { $0 != unfinishedCopy }.max()
    }

    private struct Applied {
        let number: Int64
        let oldestServer: Int64
        let hash: Int64
    }

    private static func createTable(_ dialect: SQLDialect) -> String {
        """
        CREATE TABLE IF NOT EXISTS schema_migration (
            number \(dialect.integer) PRIMARY KEY,
            oldest_server \(dialect.integer) NOT NULL,
            hash \(dialect.integer) NOT NULL
        ) \(dialect.strict)
        """
    }

    private static let select = SQL("SELECT number, oldest_server, hash FROM schema_migration ORDER BY number")
    fileprivate static let insert = SQL("INSERT INTO schema_migration (number, oldest_server, hash) VALUES (?, ?, ?)")
}

extension Migration {
    fileprivate func steps(_ dialect: SQLDialect) -> [SQLStatement] {
        statements(dialect).map { SQLStatement(SQL(dialect.definition($0)), []) } + [
            SQLStatement(Schema.insert, [.integer(number), .integer(oldestServer), .integer(hash)])
        ]
    }
}

/// Why a store's schema is not one that this build runs on.
public enum SchemaError: Error, Hashable, Sendable {
    /// The store was upgraded by a newer version and shuts this one out.
    case tooNew(found: Int64, oldestServer: Int64, known: Int64)
    /// The store needs an upgrade, which was not asked for.
    case tooOld(found: Int64, needed: Int64)
    /// A migration that the store has is another than the one of this number in this build.
    case changed(migration: Int64)
    /// Another store is being copied into it, and it lacks a part of its rows.
    case unfinishedCopy
}

extension SchemaError: CustomStringConvertible {
    /// What is wrong and what to do, for the operator.
    public var description: String {
        switch self {
        case .tooNew(let found, let oldestServer, let known):
            """
            the store has schema \(found), which needs a version that knows schema \(oldestServer); this one knows \
            \(known). Install the newer version again, or restore a backup made before the upgrade.
            """
        case .tooOld(0, let needed):
            """
            the store is empty and this version needs schema \(needed). Run latchkey-admin migrate up, or start \
            without --no-migrate.
            """
        case .tooOld(let found, let needed):
            """
            the store has schema \(found) and this version needs \(needed). Make a backup, then run \
            latchkey-admin migrate up.
            """
        case .changed(let migration):
            """
            the store's schema \(migration) is not the one that this version calls \(migration). The store was made by \
            a build that was never released; restore a backup, or begin with an empty store.
            """
        case .unfinishedCopy:
            "the store is the target of a copy that was not finished. Run latchkey-admin copy again; it goes on there."
        }
    }
}
