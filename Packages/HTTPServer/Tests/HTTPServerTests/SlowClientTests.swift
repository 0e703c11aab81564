import HTTPServer
import Testing
import Threads

@Suite("Deadlines are absolute: slow clients and slow handlers are let go")
struct SlowClientTests {
    private func server() throws -> TestServer {
        try TestServer { configuration in
            configuration.limits.head = .milliseconds(300)
            configuration.limits.request = .milliseconds(600)
            configuration.limits.idle = .milliseconds(300)
            configuration.limits.writeProgress = .milliseconds(400)
            configuration.limits.linger = .milliseconds(300)
        }
    }

    /// Sends `start`, then `drip` again and again, and says what came of it and after how many milliseconds.
    private func dripping(
        _ test: TestServer,
        _ start: String,
        _ drip: String
    ) async throws -> (statuses: [Int], ending: Client.Ending, after: Int) {
        try await test.client { address in
            let client = try Client(address)
            let began = milliseconds()
            client.send(start)
            // It stops when the server has closed its side, which a client that only sends does not see at once.
            for _ in 0..<30 {
                pause(milliseconds: 50)
                client.send(drip)
                if test.server.metrics.timeouts > 0 { break }
            }
            let after = milliseconds() - began
            let (statuses, ending) = client.statuses()
            return (statuses, ending, after)
        }
    }

    @Test("A head that comes a line at a time gets 408 when its time is over, however busy it is")
    func slowHead() async throws {
        let test = try server()
        defer { test.server.stop() }
        let outcome = try await dripping(test, "GET / HTTP/1.1\r\nHost: a\r\n", "X-A: b\r\n")
        #expect(outcome.statuses == [408])
        #expect(outcome.ending == .closed)
        #expect(outcome.after >= 290)
        #expect(outcome.after < 1_400)
    }

    @Test("A body that comes a byte at a time gets 408 when its time is over")
    func slowBody() async throws {
        let test = try server()
        defer { test.server.stop() }
        let outcome = try await dripping(test, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", "b")
        #expect(outcome.statuses == [408])
        #expect(outcome.ending == .closed)
        #expect(outcome.after >= 590)
        #expect(outcome.after < 1_500)
    }

    @Test("A silent connection is closed without a word, a new one and an idle one")
    func silent() async throws {
        let test = try server()
        defer { test.server.stop() }
        let (fresh, used) = try await test.client { address in
            let fresh = try Client(address)
            let used = try Client(address)
            _ = try used.ask(get("/"))
            return (fresh.rest(), used.rest())
        }
        #expect(fresh.bytes.isEmpty)
        #expect(fresh.ending == .closed)
        #expect(used.bytes.isEmpty)
        #expect(used.ending == .closed)
    }

    @Test("A handler that does not answer in its time is cancelled, and its client gets 503")
    func stuckHandler() async throws {
        let test = try server()
        defer { test.server.stop() }
        let (answer, ending) = try await test.client { address in
            let client = try Client(address)
            return (try client.ask(get("/stuck")), client.rest().ending)
        }
        #expect(answer.status == 503)
        #expect(answer["retry-after"] == "1")
        #expect(answer["connection"] == "close")
        #expect(ending == .closed)
        #expect(try await test.waits { $0.requestsInFlight == 0 && $0.connectionsOpen == 0 })
        #expect(test.cancelled.withLock { $0 } == 1)
    }

    @Test("A client that does not take its answer is let go, and the one that pauses disturbs nobody")
    func slowReader() async throws {
        let test = try server()
        defer { test.server.stop() }
        let (ending, got) = try await test.client { address in
            let paused = try Client(address)
            paused.limitBuffer()
            // More than all buffers between the two can hold.
            for _ in 0..<8 { paused.send(get("/big")) }
            // A loop that waited for the reader would answer none of these.
            for _ in 0..<20 {
                guard try Client(address).ask(post("/echo", "x")).text == "x" else { throw ClientError.noOutcome }
                pause(milliseconds: 50)
            }
            let (bytes, ending) = paused.rest()
            return (ending, bytes.count)
        }
        #expect(ending != .open)
        #expect(got < 8 * TestServer.bigBody.count)
        #expect(test.server.metrics.timeouts == 1)
    }

    @Test("A reader that goes on gets all of a large answer, unharmed")
    func largeAnswer() async throws {
        let test = try server()
        defer { test.server.stop() }
        let bodies = try await test.client { address in
            let client = try Client(address)
            client.send(get("/big") + get("/big"))
            pause(milliseconds: 100)
            return [try client.response().body, try client.response().body]
        }
        #expect(bodies == [TestServer.bigBody, TestServer.bigBody])
    }

    @Test("Clients that vanish, while a handler waits or in the middle of an answer, leave nothing behind")
    func vanishing() async throws {
        let test = try server()
        defer { test.server.stop() }
        let before = descriptors(onPort: test.port)
        try await test.client { address in
            var clients: [Client] = []
            for number in 0..<90 {
                let client = try Client(address)
                client.send(get(number.isMultiple(of: 2) ? "/slow" : "/big"))
                clients.append(client)
            }
            pause(milliseconds: 50)
        }
        #expect(try await test.waits { $0.connectionsOpen == 0 && $0.requestsInFlight == 0 })
        #expect(descriptors(onPort: test.port) == before)
        let answer = try await test.client { try Client($0).ask(get("/")) }
        #expect(answer.status == 200)
    }

    @Test("While one handler waits, others are answered at once")
    func others() async throws {
        let test = try TestServer(loops: 1)
        defer { test.server.stop() }
        let (others, held) = try await test.client { address in
            let waiting = try Client(address)
            waiting.send(get("/held"))
            // The one handler waits until the others have been answered.
            let others = try (0..<3).map { _ in try Client(address).ask(get("/")).text }
            test.release()
            return (others, try waiting.response().text)
        }
        #expect(others == ["root", "root", "root"])
        #expect(held == "held")
    }
}
