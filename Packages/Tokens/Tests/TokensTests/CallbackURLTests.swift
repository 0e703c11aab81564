import Testing

@testable import Tokens

@Suite("8.1: where answers may go")
struct CallbackURLTests {
    @Test("An address is registered byte for byte; of the loopback interface its port is free")
    func registered() {
        let entries = ["https://app.example/cb", "http://127.0.0.1/cb", "http://[::1]:80/cb?x=1", "com.example:/cb"]
        for address in entries + ["http://127.0.0.1:4711/cb", "http://[::1]/cb?x=1", "http://127.0.0.1:/cb"] {
            #expect(CallbackURL.isRegistered(address, among: entries), "\(address)")
        }
        for address in [
            "", "https://app.example/cb/", "https://app.example/CB", "https://app.example:443/cb", "http://127.0.0.1",
            "http://127.0.0.1:4711/other", "http://127.0.0.2:4711/cb", "https://127.0.0.1:4711/cb",
            "http://127.0.0.1.evil.example/cb", "http://127.0.0.1:80@evil.example/cb", "http://localhost/cb",
            "http://[::1]:4711/cb", "com.example:/cb?x",
        ] {
            #expect(!CallbackURL.isRegistered(address, among: entries), "\(address)")
        }
    }

    @Test("A form's answer may lead to the origin of a callback, or to its private scheme, and nothing else is let in")
    func formTargets() {
        for (address, target) in [
            ("https://App.example:8443/cb?x", "https://app.example:8443"), ("http://[::1]:80/cb", "http://[::1]:80"),
            ("com.example.app:/cb", "com.example.app:"), ("https://a.example;script-src *//", nil), ("https:/cb", nil),
            ("no scheme", nil), ("", nil), ("https://a.example '*'/", nil),
        ] as [(String, String?)] {
            #expect(CallbackURL.formTarget(of: address) == target, "\(address)")
        }
    }

    @Test("Parameters are added to a query that is there, before a fragment, each encoded")
    func adding() {
        for (address, whole) in [
            ("https://a.example/cb", "https://a.example/cb?code=a%20b%26%C3%A9"),
            ("https://a.example/cb?x=1", "https://a.example/cb?x=1&code=a%20b%26%C3%A9"),
            ("https://a.example/cb?", "https://a.example/cb?code=a%20b%26%C3%A9"),
            ("app:/cb#f", "app:/cb?code=a%20b%26%C3%A9#f"),
        ] {
            #expect(CallbackURL.adding([("code", "a b&é")], to: address) == whole)
        }
    }
}
