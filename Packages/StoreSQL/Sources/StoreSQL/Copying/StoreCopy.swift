public import Identity

/// Moves everything from one store to another, whatever their engines.
///
/// Rows are copied table by table in the order of their keys, and where the copy has come to is written with them: a
/// copy that was cut off goes on there. At the end both stores are read whole and compared, by count and by a sum of
/// hashes that goes over every value. A table that differs, because the source was written meanwhile, is copied again.
/// Only then does the target get the deployment's own row, and with it the keys; until then no server takes it.
///
/// A source that is served meanwhile is copied in two runs: ``ahead(now:progress:)`` takes the time and finishes nothing,
/// ``run(now:progress:)`` brings what is new once the servers have stopped.
public struct StoreCopy: Sendable {
    private let source: any SQLDatabase
    private let target: any SQLDatabase
    private let digest: @Sendable ([UInt8]) -> [UInt8]

    /// Rows that are read and written at once.
    private static let chunk: Int64 = 500

    /// - Parameters:
    ///   - source: is only read.
    ///   - target: with the schema of this build, and no tenant; or what an earlier copy left.
    ///   - digest: a hash whose values have at least 32 bytes, of which the first 32 count.
    public init(from source: SQLStore, to target: SQLStore, digest: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.source = source.database
        self.target = target.database
        self.digest = digest
    }

    /// What was done with one table.
    public struct Table: Hashable, Sendable {
        public let name: String
        /// Rows that both stores have.
        public let rows: Int64
        /// The 32 bytes that the hashes of all rows add up to, in both stores.
        public let sum: [UInt8]
    }

    /// Why nothing, or not all, was moved.
    public enum Failure: Error, Hashable, Sendable {
        /// The target has data that is not of an unfinished copy.
        case targetInUse
        /// The source has no deployment: nothing was ever in it.
        case sourceEmpty
        /// The source went on changing while it was read.
        case sourceChanging(tables: [String])
        case source(StoreError)
        case target(StoreError)
    }

    /// Copies, or goes on copying, and leaves the target unfinished: the source may go on changing, and no row that it
    /// gets from now on is left behind by the run that finishes.
    ///
    /// - Parameters:
    ///   - now: when the copy begins.
    ///   - progress: hears of every table that is copied, and how many rows it has so far.
    /// - Returns: the tables with the rows that were copied up to now. They were not compared, and have no sum.
    /// - Throws: why not all was copied. What was copied stays.
    public func ahead(
        now: UnixTime,
        progress: @Sendable (String, Int64) -> Void = { _, _ in }
    ) async throws(Failure) -> [(name: String, rows: Int64)] {
        _ = try await deployment()
        try await begin(now)
        var tables: [(name: String, rows: Int64)] = []
        for table in CopiedTable.all { tables.append((table.name, try await copy(table, progress))) }
        return tables
    }

    /// Copies, or goes on copying, compares, and finishes.
    ///
    /// - Parameters:
    ///   - now: when the copy begins.
    ///   - progress: hears of every table that is copied, and how many rows it has so far.
    /// - Returns: the tables with their rows and sums, which are the same in both stores.
    /// - Throws: why it is not finished. What was copied stays, and another call goes on from there.
    public func run(
        now: UnixTime,
        progress: @Sendable (String, Int64) -> Void = { _, _ in }
    ) async throws(Failure) -> [Table] {
        let deployment = try await deployment()
        try await begin(now)
        for table in CopiedTable.all { _ = try await copy(table, progress) }
        var tables: [Table] = []
        var differing: [String] = []
        for table in CopiedTable.all {
            if let same = try await compare(table) {
                tables.append(same)
                continue
            }
            try await forget(table)
            _ = try await copy(table, progress)
            if let same = try await compare(table) { tables.append(same) } else { differing.append(table.name) }
        }
        guard differing.isEmpty else { throw .sourceChanging(tables: differing) }
        try await finish(deployment)
        return tables
    }

    /// The source's own row, which only a store that was used has.
    private func deployment() async throws(Failure) -> [SQLValue] {
        let deployment = try await read { () throws(StoreError) in
            try await source.read(
                .query(SQLStatement(Self.selectDeployment, [])) { (results) throws(StoreError) in
                    try results.first.first { (row) throws(StoreError) in row.rest() }
                }
            )
        }
        guard let deployment, deployment.contains(where: { if case .bytes = $0 { true } else { false } }) else {
            throw .sourceEmpty
        }
        return deployment
    }

    /// Marks the target as an unfinished copy, unless it is one.
    private func begin(_ now: UnixTime) async throws(Failure) {
        let mark = SQLStatement(Self.markUnfinished, [.text(Self.mark), .time(now)])
        let shutOut = SQLStatement(Self.setOldestServer, [.integer(Schema.unfinishedCopy)])
        let isOurs = try await write { () throws(StoreError) in
            try await target.write(
                .run([
                    SQLStatement(Self.selectMark, [.text(Self.mark)]), SQLStatement(Self.selectDeployment, []),
                    SQLStatement(Self.selectTenant, []),
                ]) { (results) throws(StoreError) in
                    if !results[0].isEmpty { return .commit([], true) }
                    let secret = try results[1].first { (row) throws(StoreError) in row.rest() } ?? []
                    let hasKey = secret.contains { if case .bytes = $0 { true } else { false } }
                    guard !hasKey, results[2].isEmpty else { return .rollBack(false) }
                    return .commit([mark, shutOut], true)
                }
            )
        }
        guard isOurs else { throw .targetInUse }
    }

    /// Copies what comes after the last row that was copied.
    ///
    /// - Returns: the rows that were copied up to now.
    private func copy(
        _ table: CopiedTable,
        _ progress: @Sendable (String, Int64) -> Void
    ) async throws(Failure) -> Int64 {
        var (position, rows) = try await place(of: table)
        while true {
            let chunk = try await read { () throws(StoreError) in
                try await Self.rows(of: table, after: position, source)
            }
            guard let last = chunk.last else {
                progress(table.name, rows)
                return rows
            }
            let next = Array(last.prefix(table.key.count))
            rows += Int64(chunk.count)
            let statements =
                chunk.map { SQLStatement(table.insert, $0) } + [
                    SQLStatement(Self.forgetPlace, [.text(table.name)]),
                    SQLStatement(Self.savePlace, [.text(table.name), .text(KeyText.write(next)), .integer(rows)]),
                ]
            try await write { () throws(StoreError) in try await target.write(.commit(statements, ())) }
            position = next
            progress(table.name, rows)
        }
    }

    private func place(of table: CopiedTable) async throws(Failure) -> (position: [SQLValue]?, rows: Int64) {
        let place = try await write { () throws(StoreError) in
            try await target.read(
                .query(SQLStatement(Self.selectPlace, [.text(table.name)])) { (results) throws(StoreError) in
                    try results.first.first { (row) throws(StoreError) in
                        (position: try KeyText.read(try row.text()), rows: try row.integer())
                    }
                }
            )
        }
        return (place?.position, place?.rows ?? 0)
    }

    /// Empties a table of the target, to copy it again.
    private func forget(_ table: CopiedTable) async throws(Failure) {
        let statements = [SQLStatement(table.deleteAll, []), SQLStatement(Self.forgetPlace, [.text(table.name)])]
        try await write { () throws(StoreError) in try await target.write(.commit(statements, ())) }
    }

    /// Reads a table in both stores.
    ///
    /// - Returns: nothing when they differ.
    private func compare(_ table: CopiedTable) async throws(Failure) -> Table? {
        let one = try await read { () throws(StoreError) in try await sum(of: table, in: source) }
        let other = try await write { () throws(StoreError) in try await sum(of: table, in: target) }
        guard one.rows == other.rows, one.bytes == other.bytes else { return nil }
        return Table(name: table.name, rows: one.rows, sum: one.bytes)
    }

    /// Counts the rows of a table and adds up their hashes, so that the order does not matter in which an engine sorts
    /// text.
    private func sum(of table: CopiedTable, in store: any SQLDatabase) async throws(StoreError) -> RowSum {
        var sum = RowSum()
        var position: [SQLValue]?
        while true {
            let chunk = try await Self.rows(of: table, after: position, store)
            for row in chunk { sum.add(digest(RowSum.bytes(of: row))) }
            guard let last = chunk.last else { return sum }
            position = Array(last.prefix(table.key.count))
        }
    }

    private static func rows(
        of table: CopiedTable,
        after position: [SQLValue]?,
        _ store: any SQLDatabase
    ) async throws(StoreError) -> [[SQLValue]] {
        let select =
            position.map { SQLStatement(table.selectAfter, $0 + [.integer(chunk)]) }
            ?? SQLStatement(table.selectFirst, [.integer(chunk)])
        return try await store.read(
            .query(select) { (results) throws(StoreError) in
                try results.first.map { (row) throws(StoreError) in row.rest() }
            }
        )
    }

    /// Gives the target its deployment, and takes the mark away: from now on it is a store like any other.
    private func finish(_ deployment: [SQLValue]) async throws(Failure) {
        let numbers = CopiedTable.all.compactMap { table in
            table.numbered.flatMap { target.dialect.goOnNumbering(table.name, $0) }
        }
        let statements =
            numbers.map { SQLStatement(SQL($0), []) } + [
                SQLStatement(Self.updateDeployment, deployment), SQLStatement(Self.forgetAll, []),
                SQLStatement(
                    Self.letIn,
                    [.integer(Migration.all.last?.oldestServer ?? 0), .integer(Schema.unfinishedCopy)]
                ),
            ]
        try await write { () throws(StoreError) in
            // What numbers go on from is asked for by statements that give rows.
            try await target.write(.run(statements) { _ in .commit([], ()) })
        }
    }

    private func read<Value>(_ body: () async throws(StoreError) -> Value) async throws(Failure) -> Value {
        do throws(StoreError) { return try await body() } catch { throw .source(error) }
    }

    private func write<Value>(_ body: () async throws(StoreError) -> Value) async throws(Failure) -> Value {
        do throws(StoreError) { return try await body() } catch { throw .target(error) }
    }

    /// The place of no table: that the store is the target of a copy.
    private static let mark = "-"
    private static let selectMark = SQL("SELECT 1 FROM store_copy WHERE name = ?")
    private static let markUnfinished = SQL("INSERT INTO store_copy (name, position, copied) VALUES (?, '', ?)")
    private static let selectPlace = SQL("SELECT position, copied FROM store_copy WHERE name = ?")
    private static let forgetPlace = SQL("DELETE FROM store_copy WHERE name = ?")
    private static let savePlace = SQL("INSERT INTO store_copy (name, position, copied) VALUES (?, ?, ?)")
    private static let forgetAll = SQL("DELETE FROM store_copy")
    private static let setOldestServer = SQL(
        "UPDATE schema_migration SET oldest_server = ? WHERE number = (SELECT MAX(number) FROM schema_migration)"
    )
    /// The mark lies where the schema ended when the copy began, which an upgrade may have moved since.
    private static let letIn = SQL("UPDATE schema_migration SET oldest_server = ? WHERE oldest_server = ?")
    private static let selectTenant = SQL("SELECT id FROM tenant LIMIT 1")
    private static let selectDeployment = SQL(
        """
        SELECT configuration_version, master_key_id, sealed_data_key, master_key_check, sealed_at
        FROM deployment WHERE id = 1
        """
    )
    /// One more than the source's version, so that no cache takes it for what it knows.
    private static let updateDeployment = SQL(
        """
        UPDATE deployment SET
            configuration_version = 1 + ?, master_key_id = ?, sealed_data_key = ?, master_key_check = ?, sealed_at = ?
        WHERE id = 1
        """
    )
}
