import Identity
import StoreContract
import Synchronization
import Testing
import Threads

@testable import StoreSQL
@testable import StoreSQLite

@Suite("Moving a store into another")
struct CopyTests {
    private static let now = UnixTime(seconds: 1_800_000_900)

    @Test("All is there afterwards, the target keeps the contract, and its numbers go on where the source's were")
    func whole() async throws {
        try await Scratch.withFolder { folder in
            let source = try await Self.open(folder + "/a.db")
            for promise in CredentialDatabaseContract.promises { try await promise.verify(source) }
            // Which the contract does not ask for.
            try await source.database.write(
                .commit([SQLStatement(SQL("INSERT INTO passkey_attestation VALUES (1, 1, x'01', NULL)"), [])], ())
            )
            let secret = try await Self.giveSecret(source)
            let target = try await Self.open(folder + "/b.db", .copyTarget)
            let heard = Mutex<[String: Int64]>([:])
            let tables = try await StoreCopy(from: source, to: target, digest: Self.digest)
                .run(now: Self.now) { table, rows in heard.withLock { $0[table] = rows } }
            #expect(tables.filter { $0.rows == 0 }.map(\.name) == [], "the contract fills every table")
            for table in tables { #expect(heard.withLock { $0[table.name] } == table.rows) }
            #expect(try await target.version() == source.version() + 1)
            #expect(try await target.deploymentSecret() == secret)
            await target.close()

            let served = try await Self.open(folder + "/b.db")
            let names = try await source.tenants().map(\.name)
            #expect(try await served.tenants().map(\.name) == names)
            let newest = try await source.create(.random())
            #expect(try await served.create(.random()) == newest)
            for promise in CredentialDatabaseContract.promises { try await promise.verify(served) }
            await served.close()
            await source.close()
        }
    }

    @Test("A copy that was cut off is served by nobody, and goes on where it was")
    func cutOff() async throws {
        try await Scratch.withFolder { folder in
            let source = try await Self.open(folder + "/a.db")
            for _ in 0..<40 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<30 { group.addTask { _ = try await source.create(.random()) } }
                    try await group.waitForAll()
                }
            }
            _ = try await Self.giveSecret(source)
            let path = folder + "/b.db"
            // The mark, and two chunks of the first table.
            let first = try await Self.open(path, .copyTarget, writesUntilFull: 3)
            await #expect(throws: StoreCopy.Failure.target(.full(reason: "the test's disk"))) {
                _ = try await StoreCopy(from: source, to: first, digest: Self.digest).run(now: Self.now)
            }
            await first.close()
            await #expect(throws: SQLiteOpenError.schema(path: path, .unfinishedCopy)) {
                _ = try await SQLiteStore.open(path: path)
            }
            let second = try await Self.open(path, .copyTarget)
            let heard = Mutex<[Int64]>([])
            let tables = try await StoreCopy(from: source, to: second, digest: Self.digest)
                .run(now: Self.now) { table, rows in if table == "tenant" { heard.withLock { $0.append(rows) } } }
            // 1,000 were there.
            #expect(heard.withLock { $0.first } == 1200)
            #expect(tables.first { $0.name == "tenant" }?.rows == 1200)
            await second.close()
            let served = try await Self.open(path)
            #expect(try await served.tenants().count == 1200)
            await served.close()
            await source.close()
        }
    }

    @Test("A copy ahead is served by nobody, and what the source gets after it is brought by the run that finishes")
    func ahead() async throws {
        try await Scratch.withFolder { folder in
            let source = try await Self.open(folder + "/a.db")
            for _ in 0..<3 { _ = try await source.create(.random()) }
            _ = try await Self.giveSecret(source)
            let path = folder + "/b.db"
            for run in 0..<3 {
                let target = try await Self.open(path, .copyTarget)
                let tables = try await StoreCopy(from: source, to: target, digest: Self.digest).ahead(now: Self.now)
                // Nothing changed since the run before, or one tenant was made.
                #expect(tables.first { $0.name == "tenant" }?.rows == (run == 2 ? 4 : 3))
                await target.close()
                await #expect(throws: SQLiteOpenError.schema(path: path, .unfinishedCopy)) {
                    _ = try await SQLiteStore.open(path: path)
                }
                if run == 1 { _ = try await source.create(.random()) }
            }
            let late = try await source.create(.random())
            let target = try await Self.open(path, .copyTarget)
            _ = try await StoreCopy(from: source, to: target, digest: Self.digest).run(now: Self.now)
            await target.close()
            let served = try await Self.open(path)
            let tenants = try await served.tenants()
            #expect(tenants.count == 5 && tenants.contains { $0.id == late })
            await served.close()
            await source.close()
        }
    }

    @Test("What changed in the source while it was copied is copied again")
    func changing() async throws {
        try await Scratch.withFolder { folder in
            let source = try await Self.open(folder + "/a.db")
            for _ in 0..<3 { _ = try await source.create(.random()) }
            _ = try await Self.giveSecret(source)
            let path = folder + "/b.db"
            // The mark, and one chunk of each of the first six tables.
            let first = try await Self.open(path, .copyTarget, writesUntilFull: 7)
            await #expect(throws: StoreCopy.Failure.self) {
                _ = try await StoreCopy(from: source, to: first, digest: Self.digest).run(now: Self.now)
            }
            await first.close()
            let tenants = try await source.tenants()
            let changed = try #require(tenants.first)
            try await source.database.write(
                .commit([SQLStatement(SQL("UPDATE tenant SET updated_at = 5 WHERE id = ?"), [.tenant(changed.id)])], ())
            )
            let second = try await Self.open(path, .copyTarget)
            _ = try await StoreCopy(from: source, to: second, digest: Self.digest).run(now: Self.now)
            await second.close()
            let served = try await Self.open(path)
            let copied = try await served.tenants().first { $0.id == changed.id }
            #expect(copied?.updatedAt == UnixTime(milliseconds: 5))
            await served.close()
            await source.close()
        }
    }

    @Test("A target that is in use, and a source that was never used, are refused and left alone")
    func refused() async throws {
        try await Scratch.withFolder { folder in
            let source = try await Self.open(folder + "/a.db")
            let target = try await Self.open(folder + "/b.db", .copyTarget)
            await #expect(throws: StoreCopy.Failure.sourceEmpty) {
                _ = try await StoreCopy(from: source, to: target, digest: Self.digest).run(now: Self.now)
            }
            _ = try await Self.giveSecret(source)
            _ = try await target.create(.random())
            await #expect(throws: StoreCopy.Failure.targetInUse) {
                _ = try await StoreCopy(from: source, to: target, digest: Self.digest).run(now: Self.now)
            }
            #expect(try await target.tenants().count == 1)
            await target.close()
            let served = try await Self.open(folder + "/b.db")
            await served.close()
            await source.close()
        }
    }

    @Test("Every table and every column of the schema is moved, or stays for a reason")
    func columns() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/a.db"
            await (try Self.open(path)).close()
            var connection = try SQLiteConnection(path: path, .readOnly, patience: 250)
            let tables = try connection.run(
                SQLStatement(SQL("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"), [])
            ).map { (row) throws(StoreError) in try row.text() }
            let staying: Set<String> = ["challenge", "deployment", "schema_migration", "store_copy", "write_probe"]
            let moved = Dictionary(uniqueKeysWithValues: CopiedTable.all.map { ($0.name, $0) })
            for name in tables where !name.hasPrefix("sqlite_") && !staying.contains(name) {
                let table = try #require(moved[name], "\(name) is not moved")
                let columns = try connection.run(
                    SQLStatement(SQL("SELECT name, pk FROM pragma_table_info(?)"), [.text(name)])
                ).map { (row) throws(StoreError) in (name: try row.text(), place: try row.integer()) }
                #expect(Set(table.columns) == Set(columns.map(\.name)), "\(name)")
                let key = columns.filter { $0.place > 0 }.sorted { $0.place < $1.place }.map(\.name)
                #expect(table.key == key, "\(name)")
            }
        }
    }

    // MARK: What the tests share

    private static func open(
        _ path: String,
        _ policy: Schema.Policy = .refuseOlder,
        writesUntilFull: Int = .max
    ) async throws -> SQLStore {
        let store = try await SQLiteStore.open(path: path, schema: policy)
        let opened = try #require(store as? SQLStore)
        guard writesUntilFull < .max else { return opened }
        return SQLStore(FillingDatabase(opened.database, writes: writesUntilFull))
    }

    private static func giveSecret(_ store: SQLStore) async throws -> DeploymentSecret {
        try await store.deploymentSecret(
            orStoring: DeploymentSecret(masterKeyID: "test", sealedDataKey: [1, 2, 3], createdAt: now)
        )
    }

    /// FNV-1a from four beginnings: enough for what a test may break.
    private static let digest: @Sendable ([UInt8]) -> [UInt8] = { bytes in
        (UInt64(1)...4).flatMap { start in
            var hash = 0xcbf2_9ce4_8422_2325 &+ start
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0))) }
        }
    }
}

/// A database whose disk is full after some writes.
private final class FillingDatabase: SQLDatabase {
    private let inner: any SQLDatabase
    private let left: Mutex<Int>

    init(_ inner: any SQLDatabase, writes: Int) {
        self.inner = inner
        left = Mutex(writes)
    }

    var dialect: SQLDialect { inner.dialect }

    func read<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value { try await inner.read(step) }

    func write<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value {
        let isFull = left.withLock { left in
            left -= 1
            return left < 0
        }
        guard !isFull else { throw .full(reason: "the test's disk") }
        return try await inner.write(step)
    }

    func check(probe: SQLStep<Void>) async throws(StoreError) { try await inner.check(probe: probe) }

    func close() async { await inner.close() }
}
