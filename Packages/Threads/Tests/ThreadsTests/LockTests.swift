import Testing
import Threads

@Suite("Lock")
struct LockTests {
    @Test("Of many threads that count, none is lost")
    func countsExactly() throws {
        let count = Lock(0)
        let threads = try (0..<4).map { number in
            try WorkerThread(name: "counter-\(number)") {
                for _ in 0..<10_000 { count.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(count.withLock { $0 } == 40_000)
    }

    @Test("A typed error leaves with its type, and the lock is open again")
    func keepsTypedErrors() {
        let lock = Lock([1])
        do throws(Refusal) {
            try lock.withLock { (state) throws(Refusal) in
                state.append(2)
                throw Refusal.full
            }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == .full)
        }
        #expect(lock.withLock { $0 } == [1, 2])
    }
}
