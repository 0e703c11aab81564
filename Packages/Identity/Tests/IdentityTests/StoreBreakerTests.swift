import Identity
import Synchronization
import Testing

@Suite("Design §8: one budget a request, and a breaker a store")
struct StoreBreakerTests {
    /// A store that can be taken away.
    private final class Store: Sendable {
        let fault = Mutex<StoreError?>(.unavailable(reason: "refused"))
        let calls = Atomic(0)

        func call() throws(StoreError) -> Int {
            let number = calls.add(1, ordering: .relaxed).newValue
            if let fault = fault.withLock({ $0 }) { throw fault }
            return number
        }
    }

    private func breaker(_ store: Store, each interval: Duration = .milliseconds(5)) -> StoreBreaker {
        StoreBreaker(of: "Test", probesEach: interval) { () throws(StoreError) in _ = try store.call() }
    }

    private func outcome(_ breaker: StoreBreaker, _ store: Store) async -> Result<Int, StoreError> {
        do throws(StoreError) {
            return .success(try await breaker.call { () throws(StoreError) in try store.call() })
        } catch {
            return .failure(error)
        }
    }

    @Test(
        "Five calls in a row without an answer open it; then nobody asks the store but its probe",
        arguments: [StoreError.unavailable(reason: ""), .unknownOutcome(reason: "")]
    )
    func opens(fault: StoreError) async {
        let store = Store()
        store.fault.withLock { $0 = fault }
        let breaker = breaker(store, each: .seconds(3600))
        for _ in 0..<5 {
            #expect(!breaker.isOpen)
            #expect(await outcome(breaker, store) == .failure(fault))
        }
        #expect(breaker.isOpen)
        for _ in 0..<100 {
            guard case .failure(.unavailable(let reason)) = await outcome(breaker, store) else {
                Issue.record("an open breaker refuses")
                return
            }
            #expect(reason.hasPrefix("Test "))
        }
        #expect(store.calls.load(ordering: .relaxed) == 5)
        #expect(breaker.timesOpened == 1)
        #expect(breaker.vitals.isBreakerOpen == true && breaker.vitals.breakerOpenings == 1)
        #expect(breaker.vitals.unanswered == 5 && breaker.vitals.calls?.total == 5)
    }

    @Test(
        "An answer in between begins the row anew, a refusal too",
        arguments: [StoreError.full(reason: ""), .busy(reason: ""), .unique(.identifier), .readOnly(reason: "")]
    )
    func row(answer: StoreError) async {
        let store = Store()
        let breaker = breaker(store, each: .seconds(3600))
        for fault in [StoreError](repeating: .unavailable(reason: ""), count: 4) + [answer]
            + [StoreError](repeating: .unavailable(reason: ""), count: 4)
        {
            store.fault.withLock { $0 = fault }
            _ = await outcome(breaker, store)
        }
        #expect(!breaker.isOpen)
        _ = await outcome(breaker, store)
        #expect(breaker.isOpen)
    }

    @Test("The probe goes on until the store answers; then calls go through again")
    func closes() async throws {
        let store = Store()
        let breaker = breaker(store)
        for _ in 0..<5 { _ = await outcome(breaker, store) }
        let asked = store.calls.load(ordering: .relaxed)
        while store.calls.load(ordering: .relaxed) < asked + 3 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(breaker.isOpen)
        store.fault.withLock { $0 = nil }
        while breaker.isOpen { try await Task.sleep(for: .milliseconds(1)) }
        guard case .success = await outcome(breaker, store) else {
            Issue.record("a closed breaker lets calls through")
            return
        }
    }

    @Test("All calls of a request draw on one budget, and when it is spent the store is not asked")
    func budget() async {
        let store = Store()
        store.fault.withLock { $0 = nil }
        let breaker = breaker(store)
        await StoreBudget.$current.withValue(StoreBudget(.milliseconds(20))) {
            #expect(StoreBudget.allowance(atMost: .milliseconds(5)) == .milliseconds(5))
            #expect(StoreBudget.allowance(atMost: .seconds(1)) == .milliseconds(20))
            do throws(StoreError) {
                try await breaker.call { () throws(StoreError) in
                    _ = try store.call()
                    try? await Task.sleep(for: .milliseconds(25))
                }
            } catch {
                Issue.record("\(error)")
            }
            #expect(StoreBudget.allowance(atMost: .seconds(1)) == .zero)
            guard case .failure(.unavailable) = await outcome(breaker, store) else {
                Issue.record("the budget is spent")
                return
            }
        }
        #expect(store.calls.load(ordering: .relaxed) == 1)
        #expect(StoreBudget.allowance(atMost: .seconds(1)) == .seconds(1))
        guard case .success = await outcome(breaker, store) else {
            Issue.record("work that belongs to no request has no budget")
            return
        }
    }
}
