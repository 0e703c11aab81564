import HTTPServer
import Testing
import Threads

@Suite("Caps: as many as may be, and no more")
struct CapacityTests {
    @Test("A connection more than a loop may have gets 503, and there is room again when one has gone")
    func connections() async throws {
        let test = try TestServer(loops: 1) { $0.limits.connectionsPerLoop = 2 }
        defer { test.server.stop() }
        let third = try await test.client { address in
            let (one, two) = (try Client(address), try Client(address))
            _ = (try one.ask(get("/")), try two.ask(get("/")))
            return try Client(address).response()
        }
        #expect(third.status == 503)
        #expect(third["retry-after"] == "1")
        #expect(third["connection"] == "close")
        #expect(test.server.metrics.refusedByCap == 1)
        #expect(try await test.waits { $0.connectionsOpen == 0 })
        #expect(try await test.client { try Client($0).ask(get("/")).status } == 200)
    }

    @Test("An address may have so many connections, unless it is one that is not counted")
    func perAddress() async throws {
        let counted = try TestServer { configuration in
            configuration.limits.connectionsPerAddress = 1
            configuration.limits.addressesWithoutLimit = []
        }
        defer { counted.server.stop() }
        let second = try await counted.client { address in
            let one = try Client(address)
            _ = try one.ask(get("/"))
            return try Client(address).response().status
        }
        #expect(second == 503)
        #expect(try await counted.waits { $0.connectionsOpen == 0 })
        #expect(try await counted.client { try Client($0).ask(get("/")).status } == 200)

        let free = try TestServer { $0.limits.connectionsPerAddress = 1 }
        defer { free.server.stop() }
        let both = try await free.client { address in
            let (one, two) = (try Client(address), try Client(address))
            return [try one.ask(get("/")).status, try two.ask(get("/")).status]
        }
        #expect(both == [200, 200])
    }

    @Test("A request more than may be in flight gets 503 and keeps its connection")
    func inFlight() async throws {
        let test = try TestServer { $0.limits.requestsInFlight = 1 }
        defer { test.server.stop() }
        let (refused, held, again) = try await test.client { address in
            let (one, two) = (try Client(address), try Client(address))
            one.send(get("/held"))
            while test.server.metrics.requestsInFlight == 0 { pause(milliseconds: 2) }
            two.send(get("/") + get("/") + get("/"))
            let refused = try (0..<3).map { _ in try two.response() }
            test.release()
            let held = try one.response()
            return (refused, held, try two.ask(get("/")))
        }
        #expect(refused.map(\.status) == [503, 503, 503])
        #expect(refused[0]["retry-after"] == "1")
        #expect(refused[0]["connection"] == nil)
        #expect(held.text == "held")
        #expect(again.text == "root")
        #expect(test.server.metrics.refusedByCap == 3)
    }

    @Test("A connection is closed after as many requests as it may bring, and the last answer says so")
    func requestsPerConnection() async throws {
        let test = try TestServer { $0.limits.requestsPerConnection = 3 }
        defer { test.server.stop() }
        let (answers, ending) = try await test.client { address in
            let client = try Client(address)
            let answers = try (0..<3).map { _ in try client.ask(get("/"))["connection"] }
            return (answers, client.rest().ending)
        }
        #expect(answers == [nil, nil, "close"])
        #expect(ending == .closed)
    }

    @Test("Many clients at once each get their own answers, and the loops share the connections")
    func manyClients() async throws {
        let test = try TestServer(loops: 2)
        defer { test.server.stop() }
        let wrong = try await withThrowingTaskGroup(of: Int.self, returning: Int.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await test.client { address in
                        let client = try Client(address)
                        var wrong = 0
                        for round in 0..<100 {
                            let text = "\(number) \(round) " + String(repeating: "x", count: round * 37)
                            if try client.ask(post("/echo", text)).text != text { wrong += 1 }
                        }
                        return wrong
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(wrong == 0)
        let metrics = test.server.metrics
        #expect(metrics.requests == 800)
        #expect(metrics.connectionsAccepted == 8)
        #expect(metrics.bytesReceived > 800 * 60)
        #expect(metrics.bytesSent > 800 * 60)
        #expect(metrics.requestsInFlight == 0)
    }
}
