import HTTPServer
import Testing

@Suite("The router")
struct RouterTests {
    private func answers(_ requests: [String]) async throws -> [Client.Response] {
        let test = try TestServer()
        defer { test.server.stop() }
        return try await test.client { address in
            let client = try Client(address)
            return try requests.map { try client.ask($0) }
        }
    }

    @Test("Parameters are decoded, and a segment that is spelled out wins")
    func parameters() async throws {
        let texts = try await answers([
            get("/items/a%20b/parts/c%2Fd"), get("/items/last/parts/x"), get("/items/x/../last/parts/y"),
            get("/items//parts/x"), get("/items/a/parts"), get("/items/a/parts/b/"),
        ])
        #expect(texts.map(\.status) == [200, 200, 200, 404, 404, 404])
        #expect(texts.prefix(3).map(\.text) == ["a b c/d", "last", "last"])
    }

    @Test("A known path with another method is 405 with Allow, an unknown method 501, a broken escape 400")
    func methods() async throws {
        let answers = try await answers([
            "DELETE / HTTP/1.1\r\nHost: a\r\n\r\n", get("/items/x"), "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", get("/%zz"),
            "OPTIONS /echo HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS /nope HTTP/1.1\r\nHost: a\r\n\r\n",
            "DELETE /items/x HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD /items/x/parts/y HTTP/1.1\r\nHost: a\r\n\r\n",
        ])
        #expect(answers.map(\.status) == [405, 405, 501, 400, 204, 404, 204, 200])
        #expect(
            answers.map { $0["allow"] } == [
                "GET, HEAD, OPTIONS", "DELETE, OPTIONS", nil, nil, "POST, OPTIONS", nil, nil, nil,
            ]
        )
        #expect(answers.map { $0["content-length"] } == ["23", "23", "20", "16", nil, "14", nil, "3"])
    }

    @Test("OPTIONS goes to the preflight first, and the faults' bodies are the app's")
    func hooks() async throws {
        var router = Router(
            faultResponse: { fault, head in
                HTTPResponse(status: fault.status, body: Array("\(head?.path ?? "-") \(fault.status)".utf8))
            },
            preflight: { request, allowed in
                guard request.headers["Origin"] == "https://a.example" else { return nil }
                return HTTPResponse(status: 204, headers: ["Access-Control-Allow-Origin": "https://a.example"])
            }
        )
        router.on(.put, "/x") { _ in HTTPResponse(status: 200) }
        let head = { (method: String, path: String, fields: String) throws in
            var parser = RequestParser()
            var offset = 0
            let bytes = Array("\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
            guard case .head(let head) = parser.advance(bytes.span, from: &offset) else { throw ClientError.noOutcome }
            return HTTPRequest(head: head)
        }
        let preflight = await router.handle(try head("OPTIONS", "/x", "Origin: https://a.example\r\n"))
        #expect(preflight.headers["access-control-allow-origin"] == "https://a.example")
        let other = await router.handle(try head("OPTIONS", "/x", "Origin: https://b.example\r\n"))
        #expect(other.headers["access-control-allow-origin"] == nil)
        #expect(other.headers["allow"] == "PUT, OPTIONS")
        #expect(String(decoding: await router.handle(try head("GET", "/y", "")).body, as: UTF8.self) == "/y 404")
        let refused = await router.handle(try head("GET", "/x", ""))
        #expect(refused.status == 405)
        #expect(refused.headers["Allow"] == "PUT, OPTIONS")
    }

    @Test("The limits of a route are known before its body is read")
    func limits() throws {
        var router = Router(defaultLimits: RequestLimits(body: 7))
        router.on(.post, "/a/{b}", limits: RequestLimits(body: 1 << 20, deadline: .seconds(1))) { _ in
            HTTPResponse(status: 200)
        }
        let limits = { (line: String) throws in
            var parser = RequestParser()
            var offset = 0
            let bytes = Array("\(line) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            guard case .head(let head) = parser.advance(bytes.span, from: &offset) else { throw ClientError.noOutcome }
            return router.limits(for: head)
        }
        #expect(try limits("POST /a/x") == RequestLimits(body: 1 << 20, deadline: .seconds(1)))
        #expect(try limits("GET /a/x").body == 7)
        #expect(try limits("POST /a").body == 7)
    }

    @Test("Server faults carry the app's body, with what the fault itself demands")
    func faults() async throws {
        let test = try TestServer { configuration in
            configuration.faultResponse = { fault, head in
                HTTPResponse(
                    status: fault.status,
                    headers: ["Content-Type": "application/json", "X-Content-Type-Options": "nosniff"],
                    body: Array("{\"path\":\"\(head?.path ?? "")\"}".utf8)
                )
            }
        }
        defer { test.server.stop() }
        let (malformed, large) = try await test.client { address in
            (try Client(address).ask("GET / HTTP/1.1\r\n\r\n"), try Client(address).ask(post("/tiny", "fives")))
        }
        #expect(malformed.text == "{\"path\":\"\"}")
        #expect(malformed["content-type"] == "application/json")
        #expect(malformed["connection"] == "close")
        #expect(large.status == 413)
        #expect(large.text == "{\"path\":\"/tiny\"}")
        #expect(large["x-content-type-options"] == "nosniff")
    }
}
