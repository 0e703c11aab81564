import Identity
import Testing

@testable import Passkeys

@Suite("Design, section 10: refusals are written down without any answer waiting")
struct RefusalLogTests {
    private func event(_ number: Int) -> AuditEvent {
        AuditEvent(
            tenant: House.tenant,
            types: ["\(number)"],
            at: UnixTime(seconds: 0),
            device: Device(address: "", userAgent: "")
        )
    }

    @Test("What was added is written in its order, in as many transactions as it takes")
    func writes() async {
        let store = MemoryStore()
        let log = RefusalLog(store)
        for number in 0..<1000 { log.add(event(number)) }
        #expect(await log.flush())
        #expect(store.now.events.map(\.types) == (0..<1000).map { ["\($0)"] })
        #expect(log.waitingCount == 0)
    }

    @Test("Over its capacity it counts and drops; what it holds stays")
    func bounded() async {
        let store = MemoryStore()
        let log = RefusalLog(store, capacity: 3)
        for number in 0..<5 { log.add(event(number)) }
        #expect(log.droppedCount == 2)
        #expect(await log.flush())
        #expect(store.now.events.count == 3)
    }

    @Test("While the store does not answer everything waits, and nothing is written twice")
    func waits() async {
        let store = MemoryStore()
        let log = RefusalLog(store)
        store.change { $0.fault = .unavailable(reason: "test") }
        log.add(event(1))
        #expect(await !log.flush())
        #expect(log.waitingCount == 1)
        store.change { $0.fault = nil }
        #expect(await log.flush())
        #expect(store.now.events.count == 1)
    }

    @Test("A running log writes what comes, and what waits when it is cancelled")
    func runs() async throws {
        let store = MemoryStore()
        let log = RefusalLog(store)
        let running = Task { await log.run() }
        log.add(event(1))
        while store.now.events.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        store.change { $0.fault = .unavailable(reason: "test") }
        log.add(event(2))
        while log.waitingCount == 0 { await Task.yield() }
        store.change { $0.fault = nil }
        running.cancel()
        await running.value
        #expect(store.now.events.map(\.types) == [["1"], ["2"]])
    }
}
