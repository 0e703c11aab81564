import HTTPServer
import Testing

/// One row of the table: what is sent, which answers come, and whether the server then closes.
private struct Probe: Sendable, CustomTestStringConvertible {
    let name: String
    let sent: String
    let statuses: [Int]
    var closes = true

    var testDescription: String { name }

    static let last = get("/", "Connection: close\r\n")
    static let big = String(repeating: "a", count: 61_440)

    static let all: [Probe] = [
        Probe(name: "three pipelined GETs", sent: get("/") + get("/nope") + last, statuses: [200, 404, 200]),
        Probe(
            name: "POST, POST and GET in one packet",
            sent: post("/echo", "one") + post("/tiny", "two") + last,
            statuses: [200, 200, 200]
        ),
        Probe(name: "a chunked body", sent: chunked("5\r\nhello\r\n0\r\n\r\n") + last, statuses: [200, 200]),
        Probe(
            name: "a chunk extension and a trailer",
            sent: chunked("5;a=b\r\nhello\r\n0\r\nT: v\r\n\r\n") + last,
            statuses: [200, 200]
        ),
        Probe(name: "another expectation", sent: post("/echo", "x", "Expect: x\r\n"), statuses: [417]),
        Probe(
            name: "Content-Length and Transfer-Encoding",
            sent: post("/echo", "5\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n") + last,
            statuses: [400]
        ),
        Probe(
            name: "two lengths that differ",
            sent: post("/echo", "x", "Content-Length: 2\r\n") + last,
            statuses: [400]
        ),
        Probe(name: "a length with a sign", sent: raw("Content-Length: +1500"), statuses: [400]),
        Probe(name: "an unknown transfer coding", sent: raw("Transfer-Encoding: xchunked"), statuses: [501]),
        Probe(
            name: "Transfer-Encoding twice",
            sent: raw("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
            statuses: [400]
        ),
        Probe(name: "a chunk size with 0x", sent: chunked("0x5dc\r\n"), statuses: [400]),
        Probe(name: "a chunk size with a sign", sent: chunked("+5dc\r\n"), statuses: [400]),
        Probe(name: "a space before a colon", sent: raw("Content-Length : 1500"), statuses: [400]),
        Probe(name: "a folded field", sent: raw("X-A: a\r\n b"), statuses: [400]),
        Probe(name: "bare LF line ends", sent: "GET / HTTP/1.1\nHost: a\n\n", statuses: [400]),
        Probe(name: "a bare CR in a value", sent: raw("X-A: a\rb"), statuses: [400]),
        Probe(name: "a NUL in a value", sent: raw("X-A: a\0b"), statuses: [400]),
        Probe(name: "no Host", sent: "GET / HTTP/1.1\r\n\r\n", statuses: [400]),
        Probe(name: "two Hosts", sent: raw("Host: b"), statuses: [400]),
        Probe(name: "HTTP/2.0", sent: "GET / HTTP/2.0\r\nHost: a\r\n\r\n", statuses: [505]),
        Probe(name: "HTTP/9.9", sent: "GET / HTTP/9.9\r\nHost: a\r\n\r\n", statuses: [505]),
        Probe(
            name: "an absolute target",
            sent: "GET http://b.example/who HTTP/1.1\r\nHost: a\r\n\r\n" + last,
            statuses: [200, 200]
        ),
        Probe(name: "a header of 60 KB", sent: raw("X-A: " + big), statuses: [431]),
        Probe(
            name: "a thousand small headers",
            sent: raw((0..<1_000).map { "X-\($0): y" }.joined(separator: "\r\n")),
            statuses: [431]
        ),
        Probe(name: "a target of 60 KB", sent: get("/" + big), statuses: [414]),
        Probe(name: "100 MB announced, nothing sent", sent: raw("Content-Length: 104857600"), statuses: [413]),
        Probe(name: "a body over its route's limit", sent: post("/tiny", "fives"), statuses: [413]),
        Probe(name: "an endless chunked body", sent: chunked("8000\r\n" + big), statuses: [400]),
        Probe(
            name: "chunks without end",
            sent: chunked(String(repeating: "400\r\n" + String(repeating: "b", count: 1_024) + "\r\n", count: 200)),
            statuses: [413]
        ),
        Probe(
            name: "chunks of one byte without end",
            sent: chunked(String(repeating: "1\r\nb\r\n", count: 40_000)),
            statuses: [413]
        ),
        Probe(name: "HTTP/1.0", sent: "GET / HTTP/1.0\r\n\r\n", statuses: [200]),
        Probe(
            name: "HTTP/1.0 that stays",
            sent: "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n",
            statuses: [200, 200]
        ),
        Probe(name: "an asterisk", sent: "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n" + last, statuses: [204, 200]),
        Probe(name: "CONNECT", sent: "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", statuses: [501]),
        Probe(name: "a handshake of TLS", sent: "\u{16}\u{3}\u{1}\u{2}\0\u{1}", statuses: [400]),
        Probe(name: "one empty line first", sent: "\r\n" + last, statuses: [200]),
    ]

    private static func raw(_ fields: String) -> String { "POST /echo HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n" }
    private static func chunked(_ body: String) -> String { raw("Transfer-Encoding: chunked") + body }
}

@Suite("The engine's answers to what clients should not send, and to what they may")
struct ProbeTests {
    @Test("Each probe gets these answers, whole and a byte at a time, and a clean end", arguments: Probe.all)
    fileprivate func answers(_ probe: Probe) async throws {
        let test = try TestServer()
        defer { test.server.stop() }
        let whole = try await test.client { address in
            let client = try Client(address)
            client.send(probe.sent)
            return client.statuses()
        }
        #expect(whole.statuses == probe.statuses)
        // Not a reset: that could take the answer away from the client.
        #expect(whole.ending == .closed)
        guard probe.sent.utf8.count < 400 else { return }
        let single = try await test.client { address in
            let client = try Client(address)
            for byte in probe.sent.utf8 { client.send([byte]) }
            return client.statuses()
        }
        #expect(single.statuses == probe.statuses)
    }

    @Test("100 Continue is said when the body is waited for, and only then")
    func continues() async throws {
        let test = try TestServer()
        defer { test.server.stop() }
        let (first, second, third) = try await test.client { address in
            let client = try Client(address)
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            let first = try client.response()
            client.send("hello")
            let second = try client.response()
            // With the body behind it there is nothing to wait for.
            let third = try client.ask(post("/echo", "again", "Expect: 100-continue\r\n"))
            return (first, second, third)
        }
        #expect(first.status == 100)
        #expect(second.text == "hello")
        #expect(third.text == "again")
        let refused = try await test.client { address in
            try Client(address).ask(
                "POST /tiny HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
            )
        }
        #expect(refused.status == 413)
    }

    @Test("HEAD has the length of GET's body and no body")
    func head() async throws {
        let test = try TestServer()
        defer { test.server.stop() }
        let (head, after) = try await test.client { address in
            let client = try Client(address)
            let head = try client.ask("HEAD /big HTTP/1.1\r\nHost: a\r\n\r\n")
            return (head, try client.ask(get("/")))
        }
        #expect(head.status == 200)
        #expect(head["content-length"] == "4194304")
        #expect(after.text == "root")
    }

    @Test("A body that arrives in pieces is put together, and what follows it is kept for the next request")
    func pieces() async throws {
        let test = try TestServer()
        defer { test.server.stop() }
        let body = String(repeating: "0123456789abcdef", count: 4_096)
        let answers = try await test.client { address in
            let client = try Client(address)
            let all = Array((post("/echo", body) + post("/echo", "next")).utf8)
            for start in stride(from: 0, to: all.count, by: 7_001) {
                client.send(Array(all[start..<min(all.count, start + 7_001)]))
                pause(milliseconds: 1)
            }
            return [try client.response(), try client.response()]
        }
        #expect(answers.map(\.text) == [body, "next"])
    }

    @Test("Two thousand pipelined requests are answered in order")
    func pipelining() async throws {
        let test = try TestServer { $0.limits.requestsPerConnection = 10_000 }
        defer { test.server.stop() }
        let texts = try await test.client { address in
            let client = try Client(address)
            client.send((0..<2_000).map { post("/echo", "\($0)") }.joined())
            return try (0..<2_000).map { _ in try client.response().text }
        }
        #expect(texts == (0..<2_000).map { "\($0)" })
    }

    @Test("Bytes that come while earlier ones wait for their turn are put behind them")
    func order() async throws {
        let test = try TestServer { $0.limits.requestsPerConnection = 100_000 }
        defer { test.server.stop() }
        let wrong = try await test.client { address in
            let client = try Client(address)
            var wrong = 0
            for round in 0..<3_000 {
                let second = Array(post("/echo", "second \(round)").utf8)
                let cut = 1 + round % (second.count - 1)
                client.send(Array(post("/echo", "first \(round)").utf8) + second[..<cut])
                // At another moment of the server's work each time.
                for _ in 0..<(round % 50) { _ = milliseconds() }
                client.send(Array(second[cut...]))
                if try client.response().text != "first \(round)" { wrong += 1 }
                if try client.response().text != "second \(round)" { wrong += 1 }
            }
            return wrong
        }
        #expect(wrong == 0)
    }

    @Test("A client that has said all it will, and closed its side, still gets its answers")
    func halfClosed() async throws {
        let test = try TestServer()
        defer { test.server.stop() }
        let outcome = try await test.client { address in
            let client = try Client(address)
            client.send(get("/slow") + post("/echo", "x"))
            client.finishSending()
            return client.statuses()
        }
        #expect(outcome.statuses == [200, 200])
        #expect(outcome.ending == .closed)
    }
}
