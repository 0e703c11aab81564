import Testing
import Threads

private enum HashFault: Error, Hashable {
    case busy
    case stopped
    case wrong

    init(_ refusal: Refusal) {
        switch refusal {
        case .full: self = .busy
        case .closed: self = .stopped
        }
    }
}

@Suite("BlockingPool")
struct BlockingPoolTests {
    @Test("Work runs on the pool's threads and its result comes back")
    func runs() async throws {
        let pool = try BlockingPool(name: "pool", threadCount: 2)
        let results = try await withThrowingTaskGroup(of: Int.self, returning: Int.self) { group in
            for number in 1...100 {
                group.addTask { try await pool.run(refused: HashFault.init) { number } }
            }
            return try await group.reduce(0, +)
        }
        #expect(results == 5_050)
        await #expect(throws: HashFault.wrong) {
            try await pool.run(refused: HashFault.init) { () throws(HashFault) -> Int in throw .wrong }
        }
        pool.stop()
        await #expect(throws: HashFault.stopped) { try await pool.run(refused: HashFault.init) { 1 } }
    }

    @Test("When its queue is full, the pool refuses at once and the rest is finished")
    func refuses() async throws {
        let pool = try BlockingPool(name: "pool", threadCount: 1, queueLimit: 1)
        let (started, gate) = (Mailbox<Int>(), Mailbox<Int>())
        let running = Task {
            try await pool.run(refused: HashFault.init) { () -> Int? in
                try? started.post(0)
                return gate.waitForOne()
            }
        }
        while started.count == 0 { await Task.yield() }
        let waiting = Task { try await pool.run(refused: HashFault.init) { 7 } }
        while pool.waitingCount == 0 { await Task.yield() }
        await #expect(throws: HashFault.busy) { try await pool.run(refused: HashFault.init) { 8 } }
        try gate.post(1)
        #expect(try await running.value == 1)
        #expect(try await waiting.value == 7)
        pool.stop()
    }
}
