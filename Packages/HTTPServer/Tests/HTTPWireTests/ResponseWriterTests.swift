import HTTPWire
import Testing

@Suite("RFC 9112 §4: writing responses")
struct ResponseWriterTests {
    private func written(
        _ response: HTTPResponse,
        _ persistence: ResponseWriter.Persistence = .keepAlive
    ) -> String {
        var bytes: [UInt8] = []
        ResponseWriter.appendHead(of: response, persistence, date: Array("Date: now\r\n".utf8), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("Status line, date, length, fields, empty line")
    func writes() {
        let response = HTTPResponse(
            status: 201,
            headers: ["Content-Type": "text/plain", "Vary": "Origin"],
            body: [1, 2, 3]
        )
        let fields = "Date: now\r\nContent-Length: 3\r\n"
        let own = "Content-Type: text/plain\r\nVary: Origin\r\n\r\n"
        #expect(written(response) == "HTTP/1.1 201 Created\r\n" + fields + own)
        #expect(written(response, .close) == "HTTP/1.1 201 Created\r\n" + fields + "Connection: close\r\n" + own)
        let said = written(response, .keepAliveSaid)
        #expect(said == "HTTP/1.1 201 Created\r\n" + fields + "Connection: keep-alive\r\n" + own)
    }

    @Test("A status without a body has no length, and HEAD gets the length without the body")
    func bodiless() {
        #expect(written(HTTPResponse(status: 204, body: [1])) == "HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n")
        #expect(!ResponseWriter.sendsBody(of: HTTPResponse(status: 204), to: .get))
        #expect(!ResponseWriter.sendsBody(of: HTTPResponse(status: 304), to: .get))
        #expect(!ResponseWriter.sendsBody(of: HTTPResponse(status: 200), to: .head))
        #expect(ResponseWriter.sendsBody(of: HTTPResponse(status: 200), to: .post))
        #expect(written(HTTPResponse(status: 299)) == "HTTP/1.1 299 \r\nDate: now\r\nContent-Length: 0\r\n\r\n")
        #expect(written(HTTPResponse(status: 42)).hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
    }

    @Test("No value can begin another field or end the head")
    func noSplitting() {
        let response = HTTPResponse(
            status: 302,
            headers: ["Location": "/a\r\nSet-Cookie: b\r\n\r\n<p>", "Bad Name": "x", "": "y", "A:b": "z"]
        )
        #expect(
            written(response)
                == "HTTP/1.1 302 Found\r\nDate: now\r\nContent-Length: 0\r\nLocation: /a  Set-Cookie: b    <p>\r\n\r\n"
        )
    }

    @Test("What the writer decides cannot be said by a handler")
    func reserved() {
        var response = HTTPResponse(status: 200, body: [1])
        for name in ["content-length", "Transfer-Encoding", "CONNECTION", "Date", "Keep-Alive", "Upgrade", "X-Own"] {
            response.headers.add(name, "9")
        }
        #expect(written(response) == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 1\r\nX-Own: 9\r\n\r\n")
    }

    @Test("Fields are replaced and removed whatever their case")
    func headers() {
        var headers: HTTPHeaders = ["A": "1", "b": "2", "a": "3"]
        #expect(headers["a"] == "1, 3")
        headers.set("a", "4")
        #expect(headers.all.map(\.name) == ["b", "a"])
        #expect(headers.all.map(\.value) == ["2", "4"])
        headers.remove("B")
        #expect(headers == ["a": "4"])
        #expect(headers.contains("A"))
        #expect(!headers.contains("b"))
        #expect(headers.bytes(of: "A").map { Array($0) } == Array("4".utf8))
    }
}
