import Identity
import Synchronization
import Testing

@testable import StoreSQL

@Suite("An engine that does not answer is not asked by everybody")
struct GuardTests {
    @Test("After five lost calls reads and writes are refused at once, until the probe is answered")
    func opens() async throws {
        let engine = FailingEngine()
        let store = SQLStore(engine, named: "Test")
        engine.fault.withLock { $0 = .unknownOutcome(reason: "lost") }
        for _ in 0..<3 {
            await #expect(throws: StoreError.unknownOutcome(reason: "lost")) { try await store.tenants() }
        }
        for _ in 0..<2 {
            await #expect(throws: StoreError.unknownOutcome(reason: "lost")) {
                try await store.removeCeremonies(endedBefore: UnixTime(seconds: 1))
            }
        }
        let asked = engine.calls.load(ordering: .relaxed)
        for _ in 0..<10 {
            let error = await #expect(throws: StoreError.self) { try await store.tenants() }
            guard case .unavailable(let reason) = error else {
                Issue.record("an open breaker refuses")
                return
            }
            #expect(reason.hasPrefix("Test "))
        }
        #expect(engine.calls.load(ordering: .relaxed) == asked)
        // Who asks how it is, is told so.
        await #expect(throws: StoreError.unknownOutcome(reason: "lost")) { try await store.check() }
        engine.fault.withLock { $0 = nil }
        while (try? await store.tenants()) == nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(engine.checks.load(ordering: .relaxed) >= 2)
    }
}

/// An engine without rows, that can be taken away.
private final class FailingEngine: SQLDatabase {
    let fault = Mutex<StoreError?>(nil)
    let calls = Atomic(0)
    let checks = Atomic(0)

    var dialect: SQLDialect { .sqlite }

    func read<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value { try run(step) }
    func write<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value { try run(step) }

    func check(probe: SQLStep<Void>) async throws(StoreError) {
        checks.add(1, ordering: .relaxed)
        if let fault = fault.withLock({ $0 }) { throw fault }
    }

    func close() async {}

    private func run<Value>(_ step: SQLStep<Value>) throws(StoreError) -> Value {
        calls.add(1, ordering: .relaxed)
        if let fault = fault.withLock({ $0 }) { throw fault }
        switch step {
        case .run(_, let next): return try run(next(SQLResults([])))
        case .query(_, let value): return try value(SQLResults([]))
        case .commit(_, let value), .rollBack(let value), .commitIfChanged(_, _, let value, _): return value
        }
    }
}
