import Identity
import Testing

@Suite("Origins are configured in one spelling")
struct WebOriginTests {
    @Test(
        "What a person writes becomes what a browser signs",
        arguments: [
            ("https://Example.com:443/", "https://example.com"), ("HTTPS://a.example:8443", "https://a.example:8443"),
            ("http://localhost:80", "http://localhost"), ("http://app.localhost:3000/", "http://app.localhost:3000"),
            ("https://bücher.example", "https://xn--bcher-kva.example"), ("http://[::1]:8080", "http://[::1]:8080"),
            ("https://a.example:080", "https://a.example:80"), ("ionic://localhost", "ionic://localhost"),
        ]
    )
    func normalises(_ entered: String, _ origin: String) throws {
        #expect(try WebOrigin(entered).text == origin)
        #expect(try WebOrigin(origin).text == origin)
    }

    @Test(
        "What is no origin is refused with its reason",
        arguments: [
            ("example.com", .notAbsolute), ("https:/a.example", .notAbsolute), ("://a.example", .notAbsolute),
            ("", .notAbsolute), ("https://", .badHost), ("https://a.example/x", .moreThanAnOrigin),
            ("https://a.example//", .moreThanAnOrigin), ("https://a.example?x", .moreThanAnOrigin),
            ("https://u:p@a.example", .moreThanAnOrigin), ("https://a.example#", .moreThanAnOrigin),
            ("https://a.example:", .badHost), ("https://a.example:0", .badHost), ("https://a.example:65536", .badHost),
            ("https://a..example", .badHost), ("https://a.example.", .badHost), ("https://*.a.example", .badHost),
            ("https://a b.example", .badHost), ("http://a.example", .plainHTTP), ("http://192.168.0.2", .plainHTTP),
        ] as [(String, WebOriginError)]
    )
    func refuses(_ entered: String, _ error: WebOriginError) {
        #expect(throws: error) { try WebOrigin(entered) }
    }

    @Test("A pattern is a whole leftmost label before at least two others")
    func patterns() throws {
        #expect(try WebOrigin("https://*.Acme.example", allowingPattern: true).text == "https://*.acme.example")
        for entered in ["https://*", "https://*.com", "https://*a.acme.example", "https://a.*.example"] {
            #expect(throws: WebOriginError.badHost) { try WebOrigin(entered, allowingPattern: true) }
        }
    }
}
