import HTTPServer
import Testing

@testable import HTTPAPI

@Suite("1.1: host, scheme and client of a request")
struct ForwardedRequestTests {
    static let proxy = "10.0.0.1"

    private func read(_ ask: Ask, trusting ranges: [String] = ["10.0.0.0/8"], unix: Bool = false) throws
        -> ForwardedRequest
    {
        let request = try ask.request()
        return try ForwardedRequest(
            request.head,
            peer: request.peer,
            isTLS: request.isTLS,
            proxies: TrustedProxies(ranges: ranges.compactMap { AddressRange($0) }, unixSockets: unix)
        )
    }

    private var proxied: Ask { Ask.get("/").set(\.peer, Ask.peer(Self.proxy)).set(\.isTLS, false) }

    @Test(
        "Hosts are compared in lower case, without the scheme's default port alone",
        arguments: [
            ("LOGIN.Example.COM", true, "login.example.com"), ("login.example.com:443", true, "login.example.com"),
            ("login.example.com:80", true, "login.example.com:80"),
            ("login.example.com:80", false, "login.example.com"),
            ("login.example.com:443", false, "login.example.com:443"),
            ("login.example.com:8443", true, "login.example.com:8443"),
            ("login.example.com.", true, "login.example.com."), ("[::1]:80", false, "[::1]"),
            ("[::1]:443", true, "[::1]"),
        ]
    )
    func hosts(_ sent: String, _ isTLS: Bool, _ host: String) throws {
        #expect(try read(Ask.get("/").set(\.host, sent).set(\.isTLS, isTLS)).host == host)
    }

    @Test("No letter beyond ASCII becomes one of ASCII: the Kelvin sign is no k")
    func kelvin() throws {
        let forwarded = try read(proxied.with("X-Forwarded-Host", "\u{212A}.example"))
        #expect(forwarded.host != "k.example")
    }

    @Test("The authority of an absolute target wins over Host, the proxy's word over both")
    func absoluteForm() throws {
        let absolute = Ask.get("http://login.example.com/x").set(\.host, "other.example")
        #expect(try read(absolute).host == "login.example.com")
        let forwarded = absolute.set(\.peer, Ask.peer(Self.proxy)).with("X-Forwarded-Host", "front.example")
        #expect(try read(forwarded).host == "front.example")
    }

    @Test(
        "What somebody else than a trusted proxy says is not heard",
        arguments: ["198.51.100.7", "127.0.0.1", "unix"]
    )
    func untrusted(_ peer: String) throws {
        let forwarded = try read(
            Ask.get("/").set(\.peer, Ask.peer(peer)).set(\.isTLS, false).with("X-Forwarded-Host", "other.example")
                .with("X-Forwarded-Proto", "https").with("X-Forwarded-For", "203.0.113.1")
        )
        #expect(forwarded.host == House.host)
        #expect(!forwarded.isHTTPS)
        #expect(forwarded.client?.description == (peer == "unix" ? nil : peer))
    }

    @Test("Two values of host or scheme are refused, in one field or in two; for another peer they are nothing")
    func ambiguous() throws {
        for name in ["X-Forwarded-Host", "X-Forwarded-Proto"] {
            for ask in [proxied.with(name, "https, http"), proxied.with(name, "https").with(name, "https")] {
                #expect(throws: APIError.ambiguousForwarding) { try read(ask) }
                _ = try read(ask.set(\.peer, Ask.somewhere))
            }
        }
    }

    @Test(
        "The client is the last entry that is no trusted proxy",
        arguments: [
            (["203.0.113.9"], "203.0.113.9"), (["127.0.0.1, 203.0.113.9"], "203.0.113.9"),
            (["203.0.113.9, 10.1.2.3"], "203.0.113.9"), (["203.0.113.9", "10.1.2.3"], "203.0.113.9"),
            (["203.0.113.9", "198.51.100.1"], "198.51.100.1"), (["[2001:db8::9]:443"], "2001:db8::9"),
            (["203.0.113.9:5000"], "203.0.113.9"), (["\t203.0.113.9 "], "203.0.113.9"),
            (["::ffff:203.0.113.9"], "203.0.113.9"), (["10.9.9.9"], "10.9.9.9"), ([], "10.0.0.1"),
        ]
    )
    func clients(_ fields: [String], _ client: String) throws {
        let ask = fields.reduce(proxied) { $0.with("X-Forwarded-For", $1) }
        #expect(try read(ask).client?.description == client)
    }

    @Test("An entry that is no address names nobody: the proxy is counted, and nobody is on this machine")
    func unreadableClient() throws {
        for entry in ["unknown", "_hidden", "127.0.0.1, unknown", "localhost", "127.0.0.1.evil.example", ","] {
            let ask = proxied.set(\.peer, Ask.here).with("X-Forwarded-For", entry)
            let forwarded = try read(ask, trusting: ["127.0.0.0/8"])
            #expect(!forwarded.isLoopbackClient, "\(entry)")
            #expect(forwarded.addressText() == "127.0.0.1", "\(entry)")
        }
    }

    @Test("An IPv6 client counts by its /64, and is written down whole")
    func network() throws {
        let forwarded = try read(proxied.with("X-Forwarded-For", "2001:db8:1:2:3:4:5:6"))
        #expect(forwarded.addressText() == "2001:db8:1:2:3:4:5:6")
        #expect(forwarded.addressText(counted: true) == "2001:db8:1:2::")
        #expect(try read(Ask.get("/")).addressText(counted: true) == "198.51.100.7")
    }

    @Test("Plain HTTP is for loopback peers, unix sockets, and trusted proxies that say https")
    func plainHTTP() throws {
        func mayUse(_ ask: Ask, unix: Bool = false) throws -> Bool { try read(ask, unix: unix).mayUsePlainHTTP }
        let plain = Ask.get("/").set(\.isTLS, false)
        #expect(try !mayUse(plain))
        #expect(try mayUse(plain.set(\.peer, Ask.here)))
        #expect(try mayUse(plain.set(\.peer, .unixSocket)))
        #expect(try mayUse(plain.set(\.isTLS, true)))
        #expect(try mayUse(proxied.with("X-Forwarded-Proto", "https")))
        #expect(try mayUse(proxied.with("X-Forwarded-Proto", "HTTPS")))
        #expect(try !mayUse(proxied.with("X-Forwarded-Proto", "http")))
        #expect(try !mayUse(proxied))
        // A proxy on this machine that says its client spoke http is believed.
        let unix = plain.set(\.peer, .unixSocket)
        #expect(try mayUse(unix, unix: true))
        #expect(try !mayUse(unix.with("X-Forwarded-Proto", "http"), unix: true))
        #expect(try mayUse(unix.with("X-Forwarded-Proto", "http"), unix: false), "nobody trusted said so")
        // Also when the proxy itself speaks TLS to us.
        #expect(try !mayUse(proxied.set(\.isTLS, true).with("X-Forwarded-Proto", "http")))
        #expect(try mayUse(proxied.set(\.isTLS, true)))
    }
}
