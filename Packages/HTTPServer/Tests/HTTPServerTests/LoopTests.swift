import CLinux
import HTTPServer
import Testing
import Threads

@Suite("A loop watches other descriptors, keeps time, and is an executor")
struct LoopTests {
    /// A loop, and the server that keeps it.
    private func loop() throws -> (HTTPServer, any DescriptorWatcher) {
        let server = try HTTPServer(ServerConfiguration(listeners: [], loopCount: 1))
        return (server, try #require(server.loops.first))
    }

    @Test("A descriptor is reported for what was asked, again and again, until it is cancelled")
    func watches() async throws {
        let (server, loop) = try loop()
        defer { server.stop() }
        let event = latchkey_eventfd()
        defer { latchkey_close(event) }
        let seen = Mailbox<Readiness>()
        let watch = loop.watch(event, for: .readable) { readiness in
            latchkey_clear_wake(event)
            try? seen.post(readiness)
        }
        for _ in 0..<3 {
            latchkey_wake(event)
            #expect(try await onOwnThread { seen.waitForOne() } == .readable)
        }
        watch.change(to: [.readable, .writable])
        #expect(try await onOwnThread { seen.waitForOne()?.contains(.writable) } == true)
        watch.cancel()
        watch.cancel()
        // What was under way is over when a call behind it has been made.
        let done = Mailbox<Int>()
        _ = loop.schedule(after: .zero) { try? done.post(1) }
        _ = try await onOwnThread { done.waitForOne() }
        _ = seen.takeWaiting()
        latchkey_wake(event)
        try await Task.sleep(for: .milliseconds(100))
        #expect(seen.count == 0)
    }

    @Test("A descriptor that cannot be watched is reported closed")
    func badDescriptor() async throws {
        let (server, loop) = try loop()
        defer { server.stop() }
        let seen = Mailbox<Readiness>()
        let watch = loop.watch(-1, for: .readable) { try? seen.post($0) }
        #expect(try await onOwnThread { seen.waitForOne() } == .closed)
        watch.cancel()
    }

    @Test("Calls are made in the order of their times, not before them, and not when taken back")
    func schedules() async throws {
        let (server, loop) = try loop()
        defer { server.stop() }
        let made = Mailbox<Int>()
        let began = milliseconds()
        _ = loop.schedule(after: .milliseconds(200)) { try? made.post(3) }
        _ = loop.schedule(after: .milliseconds(20)) { try? made.post(1) }
        let taken = loop.schedule(after: .milliseconds(60)) { try? made.post(9) }
        _ = loop.schedule(after: .milliseconds(100)) { try? made.post(2) }
        _ = loop.schedule(after: .seconds(3_600)) { try? made.post(8) }
        taken.cancel()
        let order = try await onOwnThread { (0..<3).compactMap { _ in made.waitForOne() } }
        #expect(order == [1, 2, 3])
        #expect(milliseconds() - began >= 200)
        #expect(made.count == 0)
    }

    @Test("A task that prefers the loop runs on its thread, before and after a wait")
    func executes() async throws {
        let (server, loop) = try loop()
        defer { server.stop() }
        let thread = Mailbox<UInt>()
        _ = loop.schedule(after: .zero) { try? thread.post(UInt(pthread_self())) }
        let expected = try await onOwnThread { thread.waitForOne() }
        let threads = await Task(executorPreference: loop.executor) {
            let before = currentThread()
            try? await Task.sleep(for: .milliseconds(5))
            return [before, currentThread()]
        }.value
        #expect(threads == [expected, expected])
    }
}

private func currentThread() -> UInt { UInt(pthread_self()) }
