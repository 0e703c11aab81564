import Glibc
import Identity
import StoreSQL
import Testing
import Threads

@testable import StoreSQLite

@Suite("Group commit, locks and the log")
struct WritingTests {
    private static let table = SQL("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)")
    private static let insert = SQL("INSERT INTO note (text) VALUES (?)")
    private static let select = SQL("SELECT text FROM note ORDER BY text")

    @Test("A member that fails after it has changed something takes nothing of the others with it")
    func failuresAreTheirOwn() async throws {
        try await withDatabase { database, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<60 {
                    group.addTask {
                        let first = SQLStatement(Self.insert, [.text("kept \(index)")])
                        switch index % 3 {
                        case 0:
                            try await database.write(.commit([first], ()))
                        case 1:
                            // It changes a row, then takes it back.
                            try await database.write(.run([first]) { _ in .rollBack(()) })
                        default:
                            // It changes a row, then breaks a rule of the table.
                            await #expect(throws: StoreError.unique(.identifier)) {
                                try await database.write(
                                    .commit(
                                        [first, SQLStatement(Self.insert, first.values, conflict: .identifier)],
                                        ()
                                    )
                                )
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let kept = try await texts(database)
            #expect(kept == stride(from: 0, to: 60, by: 3).map { "kept \($0)" }.sorted())
        }
    }

    @Test("A write that finds nothing to change can undo the transaction by its own error")
    func otherwise() async throws {
        try await withDatabase { database, _ in
            let nothing = SQLStatement(
                SQL("UPDATE note SET text = 'x' WHERE id = 99"),
                [],
                otherwise: .constraint(reason: "there is none")
            )
            await #expect(throws: StoreError.constraint(reason: "there is none")) {
                try await database.write(.commit([SQLStatement(Self.insert, [.text("a")]), nothing], ()))
            }
            let kept = try await texts(database)
            #expect(kept == [])
        }
    }

    @Test("A lock held too long gives busy, reads go on, and writes come back when it is gone")
    func busy() async throws {
        try await withDatabase { database, path in
            var holder = Optional(try SQLiteConnection(path: path, .readWrite, patience: 0))
            try holder?.execute("BEGIN IMMEDIATE")
            let error = await #expect(throws: StoreError.self) {
                try await database.write(.commit([SQLStatement(Self.insert, [.text("late")])], ()))
            }
            guard case .busy = error else {
                Issue.record("\(String(describing: error)) is not busy")
                return
            }
            #expect(try await texts(database) == [])
            holder = nil
            try await database.write(.commit([SQLStatement(Self.insert, [.text("in time")])], ()))
            #expect(try await texts(database) == ["in time"])
        }
    }

    /// The lock is held until the write was refused, and is waited for an hour otherwise: what waits for the lock alone
    /// never gets to the end.
    @Test("A lock is waited for no longer than the request of a write has time", .timeLimit(.minutes(30)))
    func busyInTime() async throws {
        try await withDatabase(lockWait: .seconds(3600)) { database, path in
            let holder = try SQLiteConnection(path: path, .readWrite, patience: 0)
            try holder.execute("BEGIN IMMEDIATE")
            await #expect(throws: StoreError.self) {
                try await StoreBudget.$current.withValue(StoreBudget(.milliseconds(50))) {
                    try await database.write(.commit([SQLStatement(Self.insert, [.text("late")])], ()))
                }
            }
            try holder.execute("ROLLBACK")
            try await database.write(.commit([SQLStatement(Self.insert, [.text("in time")])], ()))
            #expect(try await texts(database) == ["in time"])
        }
    }

    @Test("The log is copied back while the store is open")
    func copiesTheLog() async throws {
        try await withDatabase { database, path in
            let before = Files.size(path)
            let text = String(repeating: "x", count: 3000)
            for index in 0..<100 {
                try await database.write(.commit([SQLStatement(Self.insert, [.text("\(index)\(text)")])], ()))
            }
            for _ in 0..<100 where Files.size(path) < before + 300_000 {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(Files.size(path) >= before + 300_000)
        }
    }

    @Test("Values come back as they went in: bytes, empty ones too, zeros in text, the ends of numbers")
    func values() async throws {
        try await withDatabase { database, _ in
            let values: [SQLValue] = [
                .null, .integer(.max), .integer(.min), .integer(4_294_967_295), .text(""), .text("a\u{0}é\u{301}"),
                .bytes([]), .bytes([0, 255]), .bytes([UInt8](repeating: 7, count: 100_000)),
            ]
            let select = SQL("SELECT " + values.map { _ in "?" }.joined(separator: ", "))
            let read = try await database.read(
                .run([SQLStatement(select, values)]) { (results) throws(StoreError) in
                    let row = try results.first.first { (row) throws(StoreError) in
                        (
                            try row.integerIfAny(), try row.integer(), try row.integer(), try row.integer(),
                            try row.text(), try row.text(), try row.bytes(), try row.bytes(), try row.bytes()
                        )
                    }
                    guard let row else { throw .corrupt(reason: "no row") }
                    let numbers: [SQLValue] = [
                        row.0.map { .integer($0) } ?? .null, .integer(row.1), .integer(row.2), .integer(row.3),
                    ]
                    return .commit(
                        [],
                        numbers + [.text(row.4), .text(row.5), .bytes(row.6), .bytes(row.7), .bytes(row.8)]
                    )
                }
            )
            #expect(read == values)
        }
    }

    @Test(
        "A read that computes for longer than its request has time gives up, and the next one is answered",
        .timeLimit(.minutes(30))
    )
    func readsEnd() async throws {
        try await withDatabase { database, _ in
            try await database.write(.commit([SQLStatement(Self.insert, [.text("a")])], ()))
            for _ in 0..<3 {
                await #expect(throws: StoreError.self) {
                    try await StoreBudget.$current.withValue(StoreBudget(.milliseconds(50))) {
                        try await database.read(.query([SQLStatement(Self.endless, [])]) { _ in })
                    }
                }
                #expect(try await texts(database) == ["a"])
            }
        }
    }

    private static let endless = SQL(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    )

    private func texts(_ database: SQLiteDatabase) async throws -> [String] {
        try await database.read(
            .run([SQLStatement(Self.select, [])]) { (results) throws(StoreError) in
                .commit([], try results.first.map { (row) throws(StoreError) in try row.text() })
            }
        )
    }

    private func withDatabase(
        lockWait: Duration = .milliseconds(750),
        _ body: (SQLiteDatabase, String) async throws -> Void
    ) async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/notes.db"
            try Files.create(path)
            var writing = try SQLiteConnection(path: path, .readWrite, patience: 250)
            try writing.configureWriter(SQLiteOptions())
            try writing.write(.commit([SQLStatement(Self.table, [])], ()))
            let checkpointer = try Checkpointer(try SQLiteConnection.copier(path: path, SQLiteOptions()))
            let database = SQLiteDatabase(
                writer: try SQLiteWriter(writing, checkpointer: checkpointer, lockWait: lockWait),
                readers: SQLiteReaders(path: path),
                checkpointer: checkpointer
            )
            do {
                try await body(database, path)
            } catch {
                await database.close()
                throw error
            }
            await database.close()
        }
    }
}
