import Identity

/// An engine behind a breaker: while it does not answer nobody waits for it, and what each call takes is counted against
/// its request's budget.
final class GuardedDatabase: SQLDatabase {
    private let engine: any SQLDatabase
    private let breaker: StoreBreaker

    /// - Parameters:
    ///   - engine: what is guarded.
    ///   - name: what the operator calls it.
    ///   - probe: a small write, for the engine to try when it has to.
    init(_ engine: any SQLDatabase, named name: String, probe: SQLStep<Void>) {
        self.engine = engine
        breaker = StoreBreaker(of: name) { () throws(StoreError) in try await engine.check(probe: probe) }
    }

    var dialect: SQLDialect { engine.dialect }

    func read<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value {
        try await breaker.call { () throws(StoreError) in try await engine.read(step) }
    }

    func write<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value {
        try await breaker.call { () throws(StoreError) in try await engine.write(step) }
    }

    var vitals: StoreVitals {
        var vitals = breaker.vitals
        let engine = engine.vitals
        vitals.openConnections = engine.openConnections
        vitals.busyConnections = engine.busyConnections
        vitals.waiting = engine.waiting
        vitals.connectionWaits = engine.connectionWaits
        return vitals
    }

    /// Asks the engine itself, breaker or not: whoever checks wants to know how it is.
    func check(probe: SQLStep<Void>) async throws(StoreError) {
        try await engine.check(probe: probe)
    }

    func close() async {
        await engine.close()
    }
}
