import HTTPServer
import Testing
import Threads

@Suite("Drain: what is in flight is answered, and nothing new is taken")
struct DrainTests {
    @Test("A request in flight is answered with Connection: close, an idle connection is closed, a new one refused")
    func drains() async throws {
        let test = try TestServer()
        let address = test.address
        async let outcome = onOwnThread {
            let (busy, idle) = (try Client(address), try Client(address))
            _ = try idle.ask(get("/"))
            busy.send(get("/held"))
            let answer = try busy.response()
            return (answer, busy.rest().ending, idle.rest())
        }
        #expect(try await test.waits { $0.requestsInFlight == 1 })
        async let drained = test.server.drain(timeout: .seconds(600))
        while !test.server.isDraining { try await Task.sleep(for: .milliseconds(2)) }
        test.release()
        #expect(await drained)
        #expect(test.server.isDraining)
        let (answer, ending, idle) = try await outcome
        #expect(answer.status == 200)
        #expect(answer.text == "held")
        #expect(answer["connection"] == "close")
        #expect(ending == .closed)
        #expect(idle.bytes.isEmpty)
        #expect(idle.ending == .closed)
        await #expect(throws: ClientError.self) { try await test.client { _ = try Client($0).ask(get("/")) } }
        #expect(await test.server.drain(timeout: .seconds(1)), "a second drain is over at once")
        test.server.stop()
    }

    @Test("A request that is half sent when the drain begins is received and answered")
    func halfSent() async throws {
        let test = try TestServer()
        let address = test.address
        let started = Lock(false)
        async let answer = onOwnThread {
            let client = try Client(address)
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
            while test.server.metrics.bytesReceived == 0 { pause(milliseconds: 2) }
            started.withLock { $0 = true }
            pause(milliseconds: 200)
            client.send("llo")
            return try client.response()
        }
        while !started.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(2)) }
        #expect(await test.server.drain(timeout: .seconds(600)))
        #expect(try await answer.text == "hello")
        test.server.stop()
    }

    @Test("When the time is over the drain says so, and stop ends what is left")
    func timesOut() async throws {
        let test = try TestServer()
        let address = test.address
        async let ending = onOwnThread {
            let client = try Client(address)
            client.send(get("/asleep"))
            return client.rest().bytes.count
        }
        #expect(try await test.waits { $0.requestsInFlight == 1 })
        #expect(await !test.server.drain(timeout: .milliseconds(50)))
        test.server.stop()
        #expect(try await ending == 0)
    }

    @Test("Stopping twice, draining what was stopped, and stopping what never started are harmless")
    func stops() async throws {
        let test = try TestServer()
        test.server.stop()
        test.server.stop()
        #expect(await !test.server.drain(timeout: .seconds(1)))
        let idle = try HTTPServer(ServerConfiguration(listeners: [], loopCount: 1))
        #expect(await idle.drain(timeout: .seconds(1)))
        idle.stop()
    }

    @Test("A handler that outlives the server finishes, and its answer goes nowhere")
    func outlives() async throws {
        let test = try TestServer()
        let address = test.address
        let client = Task { try await onOwnThread { try Client(address).ask(get("/asleep")) } }
        #expect(try await test.waits { $0.requestsInFlight == 1 })
        test.server.stop()
        await #expect(throws: ClientError.self) { try await client.value }
        // Its task is cancelled, and ends on Swift's own threads: there is nothing left to see but that nothing breaks.
        try await Task.sleep(for: .milliseconds(100))
    }
}
