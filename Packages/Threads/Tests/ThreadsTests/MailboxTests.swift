import Testing
import Threads

private enum StoreFault: Error, Hashable {
    case closed
    case full
    case odd(Int)

    init(_ refusal: Refusal) {
        switch refusal {
        case .full: self = .full
        case .closed: self = .closed
        }
    }
}

private struct Write: Sendable {
    let value: Int
    let reply: Reply<Int, StoreFault>
}

@Suite("Mailbox")
struct MailboxTests {
    @Test("Messages come out in the order in which they went in, however they are taken")
    func keepsOrder() throws {
        let mailbox = Mailbox<Int>()
        for number in 0..<10 { try mailbox.post(number) }
        #expect(mailbox.waitForOne() == 0)
        #expect(mailbox.takeWaiting(atMost: 3) == [1, 2, 3])
        try mailbox.post(10)
        #expect(mailbox.count == 7)
        #expect(mailbox.waitForAll() == [4, 5, 6, 7, 8, 9, 10])
        #expect(mailbox.takeWaiting().isEmpty)
    }

    @Test("A full mailbox refuses, and takes again when there is room")
    func refusesWhenFull() throws {
        let mailbox = Mailbox<Int>(capacity: 2)
        try mailbox.post(1)
        try mailbox.post(2)
        #expect(throws: Refusal.full) { try mailbox.post(3) }
        #expect(mailbox.waitForOne() == 1)
        try mailbox.post(4)
        #expect(mailbox.waitForAll() == [2, 4])
    }

    @Test("A closed mailbox refuses, gives what is in it, then ends")
    func closes() throws {
        let mailbox = Mailbox<Int>()
        try mailbox.post(1)
        mailbox.close()
        #expect(throws: Refusal.closed) { try mailbox.post(2) }
        #expect(mailbox.isClosed)
        #expect(mailbox.waitForAll() == [1])
        #expect(mailbox.waitForAll().isEmpty)
        #expect(mailbox.waitForOne() == nil)
    }

    @Test("Every question gets its own answer, and a typed error keeps its type")
    func answersEach() async throws {
        let groups = Lock<[Int]>([])
        let writer = try MailboxThread<Write>(name: "writer") { mailbox in
            while true {
                var group = mailbox.waitForAll()
                if group.isEmpty { return }
                group += mailbox.takeWaiting(atMost: 128)
                groups.withLock { $0.append(group.count) }
                for write in group {
                    write.reply.send(
                        write.value.isMultiple(of: 2) ? .success(write.value) : .failure(.odd(write.value))
                    )
                }
            }
        }
        let answers = await withTaskGroup(of: Result<Int, StoreFault>.self, returning: [Result<Int, StoreFault>].self) {
            group in
            for value in 0..<500 {
                group.addTask {
                    do throws(StoreFault) {
                        return .success(
                            try await writer.mailbox.ask(refused: StoreFault.init) { reply in
                                Write(value: value, reply: reply)
                            }
                        )
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.compactMap { try? $0.get() }) == Set(stride(from: 0, to: 500, by: 2)))
        let faults = answers.compactMap { answer -> StoreFault? in
            if case .failure(let fault) = answer { return fault }
            return nil
        }
        #expect(Set(faults) == Set(stride(from: 1, to: 500, by: 2).map { StoreFault.odd($0) }))
        writer.stop()
        #expect(groups.withLock { $0.reduce(0, +) } == 500)
        await #expect(throws: StoreFault.closed) {
            try await writer.mailbox.ask(refused: StoreFault.init) { Write(value: 0, reply: $0) }
        }
    }

    @Test("Stopping works off what is waiting")
    func stopFinishes() throws {
        let sum = Lock(0)
        let adder = try MailboxThread<Int>(name: "adder") { mailbox in
            while let number = mailbox.waitForOne() { sum.withLock { $0 += number } }
        }
        for number in 1...1_000 { try adder.mailbox.post(number) }
        adder.stop()
        adder.stop()
        #expect(sum.withLock { $0 } == 500_500)
    }
}
