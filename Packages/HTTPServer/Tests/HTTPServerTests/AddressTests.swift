import HTTPServer
import Testing

@Suite("Addresses and blocks of them")
struct AddressTests {
    @Test(
        "An address is written in its one form (RFC 5952)",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("::", "::"), ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("fe80::", "fe80::"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("0:0:0:1:0:0:0:0", "0:0:0:1::"), ("255.255.255.255", "255.255.255.255"),
        ]
    )
    func description(_ text: String, _ canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
    }

    @Test(
        "What is no address is refused",
        arguments: ["", "1", "1.2.3", "1.2.3.256", "01.2.3.4", "[::1]", "::1%lo", "g::", "1.2.3.4/8"]
    )
    func refusesAddress(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("Loopback is 127.0.0.0/8 and ::1, mapped or not")
    func loopback() throws {
        for text in ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"] {
            #expect(try #require(IPAddress(text)).isLoopback, "\(text)")
        }
        for text in ["128.0.0.1", "0.0.0.0", "::", "::2", "::7f00:1", "fe80::1"] {
            #expect(try !#require(IPAddress(text)).isLoopback, "\(text)")
        }
    }

    @Test(
        "A block holds what begins like it",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3/32", "10.1.2.3", true),
            ("10.1.2.3", "10.1.2.4", false), ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false),
            ("::/0", "2001:db8::1", true), ("::/0", "1.2.3.4", false), ("2001:db8::/32", "2001:db8:ffff::", true),
            ("2001:db8::/32", "2001:db9::", false), ("2001:db8:0:1::/64", "2001:db8:0:1:ffff::", true),
            ("2001:db8:0:1::/64", "2001:db8:0:2::", false), ("2001:db8::8000/113", "2001:db8::8001", true),
            ("2001:db8::8000/113", "2001:db8::1", false), ("::1/128", "::1", true),
            ("192.168.0.0/23", "192.168.1.9", true),
            ("192.168.0.0/23", "192.168.2.0", false), ("127.0.0.0/8", "::ffff:127.1.1.1", true),
        ]
    )
    func contains(_ block: String, _ address: String, _ isIn: Bool) throws {
        let range = try #require(AddressRange(block))
        #expect(range.contains(try #require(IPAddress(address))) == isIn)
        #expect(AddressRange(range.description) == range)
        #expect(range.isEverything == block.hasSuffix("/0"))
    }

    @Test(
        "What is no block is refused",
        arguments: [
            "10.0.0.1/8", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/8/8", "/8", "::ffff:0:0/96",
            "2001:db8::1/64",
        ]
    )
    func refusesBlock(_ text: String) {
        #expect(AddressRange(text) == nil)
    }
}
