import DNS
import Testing

@Suite("TXT records, from a name server on loopback")
struct ResolverTests {
    private func asking<Value>(
        _ zone: [String: NameServer.Answer],
        timeout: Int = 60_000,
        _ body: (Resolver, NameServer) throws -> Value
    ) throws -> Value {
        let server = try #require(NameServer(zone))
        defer { server.stop() }
        return try body(Resolver(servers: ["127.0.0.1:\(server.port)"], timeout: timeout), server)
    }

    private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("Each record is one text, its strings joined; several come in the order of the answer")
    func records() throws {
        let long = [UInt8](repeating: 0x61, count: 255)
        let zone: [String: NameServer.Answer] = [
            "_pk.acme.test": .texts([[text("one")], [long, text("b")], [text("three")]])
        ]
        try asking(zone) { resolver, server in
            let records = try resolver.textRecords(of: "_pk.acme.test")
            #expect(records == [text("one"), long + text("b"), text("three")])
            #expect(server.queries == ["_pk.acme.test"])
        }
    }

    @Test("A name that is not there, and one without such records, have none")
    func nothing() throws {
        try asking(["empty.test": .texts([])]) { resolver, _ in
            let (empty, nobody) = (
                try resolver.textRecords(of: "empty.test"), try resolver.textRecords(of: "nobody.test")
            )
            #expect(empty.isEmpty && nobody.isEmpty)
        }
    }

    @Test("What does not fit into a datagram comes over TCP")
    func overTCP() throws {
        let records = (0..<9).map { [[UInt8](repeating: 0x30 + $0, count: 200)] }
        try asking(["large.test": .overTCP(records)]) { resolver, _ in
            let got = try resolver.textRecords(of: "large.test")
            #expect(got == records.map { $0.joined().map { $0 } })
        }
    }

    @Test("More text than is wanted is an error, and not a part of it")
    func tooLarge() throws {
        let zone: [String: NameServer.Answer] = ["a.test": .texts([[text("12345")], [text("6")]])]
        try asking(zone) { resolver, _ in
            var resolver = resolver
            resolver.maximumSize = 5
            #expect(throws: ResolverError.tooLarge(limit: 5)) { try resolver.textRecords(of: "a.test") }
            resolver.maximumSize = 6
            let records = try resolver.textRecords(of: "a.test")
            #expect(records.count == 2)
        }
    }

    @Test(
        "A server that fails, and an answer that is none, are no statement about the name",
        arguments: [
            NameServer.Answer.code(2), .code(5), .raw([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]), .raw([0x81]),
            .raw([0x81, 0x80, 0, 0, 0, 0, 0, 0, 0, 0]),
        ]
    )
    func failures(_ answer: NameServer.Answer) throws {
        try asking(["a.test": answer], timeout: 300) { resolver, _ in
            let error = #expect(throws: ResolverError.self) { try resolver.textRecords(of: "a.test") }
            guard case .unavailable = error else { return #expect(Bool(false), "\(String(describing: error))") }
        }
    }

    @Test("A server that says nothing is waited for as long as was said, over all tries")
    func silence() throws {
        try asking(["a.test": .silence], timeout: 300) { resolver, server in
            #expect(throws: ResolverError.self) { try resolver.textRecords(of: "a.test") }
            #expect(server.queries.count <= 3)
        }
    }

    @Test(
        "What is no name is not asked for",
        arguments: [
            "", "a\u{0}b.test", String(repeating: "a", count: 254), "a..test",
            String(repeating: "a", count: 64) + ".test",
        ]
    )
    func badName(_ name: String) throws {
        try asking([:]) { resolver, server in
            let error = #expect(throws: ResolverError.self) { try resolver.textRecords(of: name) }
            #expect(error == .badName, "\(String(describing: error))")
            #expect(server.queries.isEmpty)
        }
    }

    @Test("A list of servers that is none is an error", arguments: ["nonsense", "127.0.0.1:99999999"])
    func badServers(_ server: String) {
        #expect(throws: ResolverError.self) {
            try Resolver(servers: [server], timeout: 300).textRecords(of: "a.test")
        }
    }
}
