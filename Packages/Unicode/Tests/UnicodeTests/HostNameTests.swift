import Testing

import Unicode

@Suite("Host names to A-labels (UTS #46 non-transitional)")
struct HostNameTests {
    @Test(
        "A host name has one lower-case ASCII form",
        arguments: [
            ("Example.COM", "example.com"), ("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"),
            ("b\u{fc}cher.example", "xn--bcher-kva.example"), ("BU\u{308}CHER.example", "xn--bcher-kva.example"),
            ("fa\u{df}.de", "xn--fa-hia.de"), ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
            ("\u{4f8b}\u{3048}\u{3002}\u{30c6}\u{30b9}\u{30c8}", "xn--r8jz45g.xn--zckzah"),
            ("\u{ff25}xample.com", "example.com"), ("r3---sn-x.example.com", "r3---sn-x.example.com"),
            ("\u{212a}.example", "k.example"),
        ]
    )
    func oneForm(entered: String, expected: String) throws {
        let name = try UnicodeText.asciiHost(entered)
        #expect(Array(name.utf8) == Array(expected.utf8))
        #expect(try UnicodeText.asciiHost(name) == name)
    }

    @Test(
        "What is not a host name is refused",
        arguments: [
            "", ".", "a..b", ".a", "a.", "a b", "a_b.example", "-a.example", "a-.example", "a:8080", "[::1]", "a/b",
            "a\u{0}b", "exa\u{ad}mple.com", "exa\u{200b}mple.com", "\u{202e}moc", "xn--\u{fc}.example", "xn--a.example",
            "xn--zzzzzzzz99999.example", "a@b", "*.example.com", "\u{2024}a", "a\u{2f}b", "a\u{ff0f}b.example",
            "\u{301}a.example",
            String(repeating: "a", count: 64) + ".example",
            Array(repeating: String(repeating: "a", count: 60), count: 5).joined(separator: "."),
            String(repeating: "\u{fc}", count: 2000),
        ]
    )
    func refused(host: String) {
        #expect(throws: UnicodeError.self) { try UnicodeText.asciiHost(host) }
    }
}
