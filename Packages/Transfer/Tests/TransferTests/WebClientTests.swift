import Foundation
import Testing
import Transfer

@Suite("Calls of an API", .serialized)
struct WebClientTests {
    @Test("An answer comes whole, whatever its status, with its headers, over verified TLS alone")
    func answers() throws {
        let server = try FileServer()
        try server.write("thing", Array("hello".utf8))
        let client = WebClient(authorities: server.certificate)
        let answer = try client.send(WebRequest("GET", server.address + "/thing"))
        #expect(answer.status == 200 && answer.body == Array("hello".utf8))
        #expect(answer.header("content-type")?.hasPrefix("text/plain") == true, "\(answer.headers)")
        #expect(throws: TransferError.self) { try WebClient().send(WebRequest("GET", server.address + "/thing")) }
        #expect(throws: TransferError.tooLarge(limit: 4)) {
            try WebClient(maximumSize: 4, authorities: server.certificate)
                .send(WebRequest("GET", server.address + "/thing"))
        }
    }

    @Test(
        "Plain HTTP goes to this machine alone",
        arguments: [
            "http://login.acme.example/", "http://localhost@evil.example/", "http://localhost.evil.example/",
            "http://127.evil.example/", "http://10.0.0.1/", "ftp://localhost/", "file:///etc/passwd", "localhost", "",
            "https://host/\r\nX: y", "https://host/a b",
        ]
    )
    func addresses(_ address: String) {
        #expect(throws: TransferError.badAddress) { try WebClient().send(WebRequest("GET", address)) }
    }

    @Test("What would begin another line of the request is refused")
    func injection() {
        for request in [
            WebRequest("GET", "https://localhost:1/", headers: [WebHeader("X", "a\r\nY: b")]),
            WebRequest("GET", "https://localhost:1/", headers: [WebHeader("X: a\r\nY", "b")]),
            WebRequest("GET / HTTP/1.1\r\nX", "https://localhost:1/"),
        ] {
            #expect(throws: TransferError.badAddress) { try WebClient().send(request) }
        }
    }

    @Test("Where nobody listens, it says so")
    func nobody() {
        for address in ["http://localhost:1/", "http://127.0.0.1:1/", "http://[::1]:1/", "https://a.localhost:1/"] {
            let error = #expect(throws: TransferError.self) { try WebClient().send(WebRequest("GET", address)) }
            if case .unavailable? = error { continue }
            Issue.record("\(address): \(String(describing: error))")
        }
    }
}
