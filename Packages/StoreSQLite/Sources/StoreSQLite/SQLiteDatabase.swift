import Identity
import StoreSQL
import Threads

/// SQLite as an engine: one writer with group commit, readers on the callers' threads, checkpoints on a third.
final class SQLiteDatabase: SQLDatabase {
    private let writer: SQLiteWriter
    private let readers: SQLiteReaders
    private let checkpointer: Checkpointer

    init(writer: SQLiteWriter, readers: SQLiteReaders, checkpointer: Checkpointer) {
        self.writer = writer
        self.readers = readers
        self.checkpointer = checkpointer
    }

    var dialect: SQLDialect { .sqlite }

    func read<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value {
        let end = ContinuousClock.now + StoreBudget.allowance(atMost: Self.deadline)
        for _ in 0..<2 {
            do throws(StoreError) {
                return try readers.read(step, within: end - .now)
            } catch {
                guard case .busy = error, .now < end else { throw error }
            }
            // Rare: another process is recovering the log after a crash.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 5...25)))
        }
        return try readers.read(step, within: end - .now)
    }

    func write<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value {
        try await writer.write(step)
    }

    func check(probe: SQLStep<Void>) async throws(StoreError) {
        // After a full disk only a write can tell whether there is room again.
        if writer.fault != nil { try await write(probe) }
        try await read(.run([SQLStatement(Self.nothing, [])]) { _ in .commit([], ()) })
    }

    func close() async {
        // Closing waits for threads, which a thread of Swift's own pool must not.
        let (writer, readers, checkpointer) = (writer, readers, checkpointer)
        let finish: @Sendable () -> Void = {
            writer.stop()
            readers.close()
            checkpointer.stop()
            writer.close()  // The last one: SQLite empties the log and removes it.
        }
        guard let pool = try? BlockingPool(name: "sqlite-close", threadCount: 1) else { return finish() }
        try? await pool.run(refused: { $0 }, finish)
    }

    /// How long a read may take, unless its request has less time left.
    private static let deadline = Duration.seconds(1)
    private static let nothing = SQL("SELECT 1")
}
