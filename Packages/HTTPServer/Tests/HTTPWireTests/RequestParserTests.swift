import HTTPWire
import Testing

@Suite("RFC 9112 §2 to §7: reading requests")
struct RequestParserTests {
    @Test("A request with a body is taken apart")
    func wholeRequest() throws {
        let trace = Trace(
            "POST /oauth/token?x=1&y HTTP/1.1\r\nHost: login.example.com:8443\r\nX-A:  one \r\nx-a: two\r\n"
                + "Content-Length: 5\r\n\r\nhello"
        )
        let head = try #require(trace.heads.first)
        #expect(head.method == .post)
        #expect(head.target == "/oauth/token?x=1&y")
        #expect(head.path == "/oauth/token")
        #expect(head.query == "x=1&y")
        #expect(head.authority == "login.example.com:8443")
        #expect(head.version == .http11)
        #expect(head.framing == .length(5))
        #expect(head.keepsAlive)
        #expect(!head.expectsContinue)
        #expect(head.headers["x-A"] == "one, two")
        #expect(head.headers.values(of: "X-a") == ["one", "two"])
        #expect(head.headers["absent"] == nil)
        #expect(head.headers.count == 4)
        #expect(trace.bodies == ["hello"])
        #expect(trace.isIdle)
    }

    @Test("Requests in one packet come out in order, each with its own body")
    func pipelined() {
        let trace = Trace(
            "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                + "POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ndef\r\n0\r\n\r\n"
                + "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        #expect(trace.heads.map(\.path) == ["/1", "/2", "/3"])
        #expect(trace.bodies == ["abc", "def", ""])
    }

    @Test("Chunks, their extensions and trailers make one body", arguments: ["chunked", "Chunked", "CHUNKED"])
    func chunked(_ coding: String) {
        let trace = Trace(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(coding)\r\n\r\n"
                + "5\r\nhello\r\n0A;name=value;q=\"a b\"\r\n, world!!!\r\n000\r\nTrailer-One: 1\r\nTwo:\r\n\r\n"
        )
        #expect(trace.bodies == ["hello, world!!!"])
        #expect(trace.isIdle)
    }

    /// What is refused: the words of the request after its name, and the fault.
    static let refused: [(String, String, HTTPFault)] = [
        (
            "Content-Length and Transfer-Encoding", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
            .badRequest(.transferEncoding)
        ),
        ("two lengths that differ", post("Content-Length: 5\r\nContent-Length: 6\r\n"), .badRequest(.contentLength)),
        ("two lengths that agree", post("Content-Length: 5\r\nContent-Length: 5\r\n"), .badRequest(.contentLength)),
        ("a list of lengths", post("Content-Length: 5, 5\r\n"), .badRequest(.contentLength)),
        ("a length with a sign", post("Content-Length: +1500\r\n"), .badRequest(.contentLength)),
        ("a negative length", post("Content-Length: -1\r\n"), .badRequest(.contentLength)),
        ("an empty length", post("Content-Length:\r\n"), .badRequest(.contentLength)),
        ("a length in hexadecimal", post("Content-Length: 0x5\r\n"), .badRequest(.contentLength)),
        ("a length over 64 bits", post("Content-Length: 99999999999999999999\r\n"), .bodyTooLarge),
        ("a length over the limit", post("Content-Length: 65537\r\n"), .bodyTooLarge),
        ("an unknown coding", post("Transfer-Encoding: xchunked\r\n"), .notImplemented),
        ("gzip before chunked", post("Transfer-Encoding: gzip, chunked\r\n"), .notImplemented),
        ("identity", post("Transfer-Encoding: identity\r\n"), .notImplemented),
        (
            "chunked in two fields", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
            .badRequest(.transferEncoding)
        ),
        ("chunked twice in one field", post("Transfer-Encoding: chunked, chunked\r\n"), .badRequest(.transferEncoding)),
        (
            "chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
            .badRequest(.transferEncoding)
        ),
        ("a chunk size with 0x", chunks("0x5dc\r\n"), .badRequest(.chunk)),
        ("a chunk size with a sign", chunks("+5dc\r\n"), .badRequest(.chunk)),
        ("a chunk size of nothing", chunks("\r\n"), .badRequest(.chunk)),
        ("a chunk size with a space", chunks("5 \r\nhello\r\n"), .badRequest(.chunk)),
        ("a chunk size over the limit", chunks("10001\r\n"), .bodyTooLarge),
        ("a chunk size over 64 bits", chunks("FFFFFFFFFFFFFFFFF\r\n"), .bodyTooLarge),
        ("a chunk line without CR", chunks("5\nhello\r\n"), .badRequest(.chunk)),
        ("a chunk that is longer than it says", chunks("5\r\nhello!\r\n"), .badRequest(.chunk)),
        ("a chunk that ends in LF", chunks("5\r\nhello\n"), .badRequest(.chunk)),
        ("a NUL in a chunk extension", chunks("5;a=\0\r\nhello\r\n"), .badRequest(.chunk)),
        (
            "a chunk line that is too long", chunks("5;" + String(repeating: "a", count: 512) + "\r\n"),
            .badRequest(.chunk)
        ),
        ("a folded trailer", chunks("0\r\n A: b\r\n\r\n"), .badRequest(.trailer)),
        ("a trailer without a colon", chunks("0\r\nA\r\n\r\n"), .badRequest(.trailer)),
        ("a trailer without CR", chunks("0\r\nA: b\n\r\n"), .badRequest(.trailer)),
        ("trailers that are too long", chunks("0\r\nA: " + String(repeating: "a", count: 4_096)), .headTooLarge),
        ("one byte a chunk, for ever", chunks(String(repeating: "1\r\nX\r\n", count: 30_000)), .bodyTooLarge),
        ("a space before a colon", post("Content-Length : 5\r\n"), .badRequest(.field)),
        ("a folded field", get("X-A: a\r\n b\r\n"), .badRequest(.field)),
        ("a field without a name", get(": a\r\n"), .badRequest(.field)),
        ("a field without a colon", get("X-A\r\n"), .badRequest(.field)),
        ("a name with a control character", get("X\u{1}A: a\r\n"), .badRequest(.field)),
        ("a bare LF in the fields", "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", .badRequest(.field)),
        ("bare LF line ends", "GET / HTTP/1.1\nHost: a\n\n", .badRequest(.requestLine)),
        ("a bare CR in a value", get("X-A: a\rb\r\n"), .badRequest(.field)),
        ("a NUL in a value", get("X-A: a\0b\r\n"), .badRequest(.field)),
        ("a DEL in a value", get("X-A: a\u{7F}b\r\n"), .badRequest(.field)),
        ("no Host", "GET / HTTP/1.1\r\n\r\n", .badRequest(.host)),
        ("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .badRequest(.host)),
        ("two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", .badRequest(.host)),
        ("an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", .badRequest(.host)),
        ("a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .badRequest(.host)),
        ("a Host with user information", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", .badRequest(.host)),
        ("a Host with a word for a port", "GET / HTTP/1.1\r\nHost: a:http\r\n\r\n", .badRequest(.host)),
        ("a Host with an open bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", .badRequest(.host)),
        ("HTTP/2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", .versionNotSupported),
        ("HTTP/9.9", "GET / HTTP/9.9\r\nHost: a\r\n\r\n", .versionNotSupported),
        ("HTTP/0.9", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", .versionNotSupported),
        ("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .versionNotSupported),
        ("a version in lower case", "GET / http/1.1\r\nHost: a\r\n\r\n", .badRequest(.requestLine)),
        ("a version of two digits", "GET / HTTP/1.11\r\nHost: a\r\n\r\n", .badRequest(.requestLine)),
        ("no version", "GET /\r\nHost: a\r\n\r\n", .badRequest(.requestLine)),
        ("two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest(.requestLine)),
        ("a tab for a space", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest(.requestLine)),
        ("a space at the end", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .badRequest(.requestLine)),
        ("a method that is no token", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest(.requestLine)),
        (
            "a method that is too long", String(repeating: "A", count: 33) + " / HTTP/1.1\r\nHost: a\r\n\r\n",
            .badRequest(.requestLine)
        ),
        ("a handshake of TLS", "\u{16}\u{3}\u{1}", .badRequest(.requestLine)),
        ("two empty lines first", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest(.requestLine)),
        ("a target with a fragment", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest(.target)),
        ("a target with a quote", "GET /a\"b HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest(.target)),
        ("a target beyond ASCII", "GET /é HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest(.target)),
        ("a target without a slash", "GET a HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest(.target)),
        ("an asterisk without OPTIONS", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest(.target)),
        ("a scheme that is not HTTP's", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest(.target)),
        ("an authority with a user", "GET http://u:p@a/ HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest(.target)),
        ("an empty authority", "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest(.target)),
        ("an absolute target without Host", "GET http://a/ HTTP/1.1\r\n\r\n", .badRequest(.host)),
        ("CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", .notImplemented),
        ("another expectation", get("Expect: 200-ok\r\n"), .expectationFailed),
        (
            "a target that is too long",
            "GET /" + String(repeating: "a", count: 8_192) + " HTTP/1.1\r\nHost: a\r\n\r\n", .targetTooLong
        ),
        ("a request line without end", "GET /" + String(repeating: "a", count: 8_300), .targetTooLong),
        ("a field that is too long", get("X: " + String(repeating: "a", count: 61_440) + "\r\n"), .headTooLarge),
        ("a thousand small fields", get((0..<1_000).map { "X-\($0): y\r\n" }.joined()), .headTooLarge),
        ("101 fields", get((0..<100).map { "X-\($0): y\r\n" }.joined()), .headTooLarge),
    ]

    private static func get(_ fields: String) -> String { "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n" }
    private static func post(_ fields: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\nhello" }
    private static func chunks(_ body: String) -> String {
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
    }

    @Test("Each of these is refused", arguments: refused)
    func refuses(_ name: String, _ stream: String, _ fault: HTTPFault) {
        let trace = Trace(stream)
        #expect(trace.fault == fault, "\(name)")
        #expect(trace.bodies.isEmpty)
    }

    @Test(
        "The forms of a target",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a", "/", nil, "a"),
            ("GET /a%2Fb?c?d HTTP/1.1\r\nHost: a:1", "/a%2Fb", "c?d", "a:1"),
            ("GET /? HTTP/1.1\r\nHost: a", "/", "", "a"),
            ("GET http://b.example:81/p?q HTTP/1.1\r\nHost: a", "/p", "q", "b.example:81"),
            ("GET HTTPS://b HTTP/1.1\r\nHost: a", "/", nil, "b"),
            ("GET http://b?q HTTP/1.1\r\nHost: a", "/", "q", "b"),
            ("GET http://[2001:db8::1]:81/ HTTP/1.1\r\nHost: a", "/", nil, "[2001:db8::1]:81"),
            ("OPTIONS * HTTP/1.1\r\nHost: a", "*", nil, "a"),
            ("GET / HTTP/1.0\r\nX: y", "/", nil, ""),
            ("GET / HTTP/1.0\r\nHost: a", "/", nil, "a"),
        ] as [(String, String, String?, String)]
    )
    func targets(_ start: String, _ path: String, _ query: String?, _ authority: String) throws {
        let head = try #require(Trace(start + "\r\n\r\n").heads.first)
        #expect(head.path == path)
        #expect(head.query == query)
        #expect(head.authority == authority)
    }

    @Test(
        "Whether the connection stays open",
        arguments: [
            ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
            ("HTTP/1.1", "Connection: foo, Close , bar\r\n", false),
            ("HTTP/1.1", "Connection: foo\r\nConnection: close\r\n", false),
            ("HTTP/1.1", "Connection: closed\r\n", true), ("HTTP/1.1", "Connection: keep-alive, close\r\n", false),
            ("HTTP/1.1", "Connection: , ,\r\n", true), ("HTTP/1.2", "", true), ("HTTP/1.0", "", false),
            ("HTTP/1.0", "Connection: Keep-Alive\r\n", true), ("HTTP/1.0", "Connection: TE, keep-alive\r\n", true),
        ]
    )
    func persistence(_ version: String, _ fields: String, _ keepsAlive: Bool) throws {
        let head = try #require(Trace("GET / \(version)\r\nHost: a\r\n\(fields)\r\n").heads.first)
        #expect(head.keepsAlive == keepsAlive)
    }

    @Test("Expect: 100-continue is known in HTTP/1.1 and ignored in HTTP/1.0")
    func expectations() throws {
        let fields = "Host: a\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n"
        #expect(try #require(Trace("POST / HTTP/1.1\r\n" + fields).heads.first).expectsContinue)
        #expect(try !#require(Trace("POST / HTTP/1.0\r\n" + fields).heads.first).expectsContinue)
        #expect(Trace("GET / HTTP/1.0\r\nExpect: x\r\n\r\n").fault == nil)
    }

    @Test("Methods are told apart by case, and unknown ones are let through")
    func methods() {
        let names = [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "BREW", "VERSION-CONTROL",
        ]
        let stream = names.map { "\($0) / HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
        let methods = Trace(stream).heads.map(\.method)
        #expect(methods == names.map { HTTPMethod($0) })
        #expect(methods.map(\.description) == names)
        #expect(methods.suffix(3) == [.other("get"), .other("BREW"), .other("VERSION-CONTROL")])
    }

    @Test("Exactly as many bytes as a limit allows are taken")
    func limitsAreInclusive() {
        let line = "GET /" + String(repeating: "a", count: 8_191) + " HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(Trace(line).bodies.count == 1)
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
        let fill = String(repeating: "a", count: 16_384 - start.utf8.count - 4)
        #expect(Trace(start + fill + "\r\n\r\n").bodies.count == 1)
        #expect(Trace(start + fill + "a\r\n\r\n").fault == .headTooLarge)
        #expect(Trace(Self.get((0..<99).map { "X-\($0): y\r\n" }.joined())).bodies.count == 1)
        let body = String(repeating: "b", count: 65_536)
        #expect(Trace("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65536\r\n\r\n" + body).bodies == [body])
        #expect(Trace(Self.chunks("10000\r\n" + body + "\r\n0\r\n\r\n")).bodies == [body])
        #expect(Trace(Self.chunks("8000\r\n" + body + "8001\r\n")).fault == .badRequest(.chunk))
        #expect(Trace(Self.chunks("0;" + String(repeating: "a", count: 510) + "\r\n\r\n")).bodies == [""])
    }

    @Test("Another limit for one route: the body may be longer, or nothing at all")
    func bodyLimits() {
        let request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
        #expect(Trace(request, bodyLimit: 4).fault == .bodyTooLarge)
        #expect(Trace(request, bodyLimit: 5).bodies == ["hello"])
        #expect(Trace(Self.chunks("5\r\nhello\r\n0\r\n\r\n"), bodyLimit: 4).fault == .bodyTooLarge)
        #expect(Trace(Self.chunks("0\r\n\r\n"), bodyLimit: 0).bodies == [""])
        #expect(Trace(Self.get(""), bodyLimit: 0).bodies == [""])
    }
}
