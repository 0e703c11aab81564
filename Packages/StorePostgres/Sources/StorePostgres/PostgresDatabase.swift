import Identity
import StoreSQL
import Threads

/// PostgreSQL as an engine.
final class PostgresDatabase: SQLDatabase {
    private let engine: Engine
    private let options: PostgresOptions

    init(_ engine: Engine, _ options: PostgresOptions) {
        self.engine = engine
        self.options = options
    }

    var dialect: SQLDialect { .postgreSQL }

    func read<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value {
        try await run(step, isWrite: false)
    }

    func write<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value {
        try await run(step, isWrite: true)
    }

    private func run<Value: Sendable>(_ step: SQLStep<Value>, isWrite: Bool) async throws(StoreError) -> Value {
        try await engine.run(
            step,
            isWrite: isWrite,
            poolWait: options.poolWait,
            deadline: StoreBudget.allowance(atMost: options.deadline)
        )
    }

    func check(probe: SQLStep<Void>) async throws(StoreError) {
        // After a full disk only a write can tell whether there is room again.
        if engine.fault != nil { try await write(probe) }
        try await read(.query([SQLStatement(Self.nothing, [])]) { _ in })
    }

    var vitals: StoreVitals { engine.pool.vitals }

    func close() async {
        // Closing waits for threads, which a thread of Swift's own pool must not.
        let engine = engine
        guard let pool = try? BlockingPool(name: "postgres-close", threadCount: 1) else { return engine.stop() }
        try? await pool.run(refused: { $0 }) { engine.stop() }
    }

    private static let nothing = SQL("SELECT 1")
}
