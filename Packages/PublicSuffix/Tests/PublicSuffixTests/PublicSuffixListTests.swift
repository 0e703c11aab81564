import PublicSuffix
import Testing

@Suite("The public suffix list: what no site can speak for")
struct PublicSuffixListTests {
    private static let path = "/usr/share/publicsuffix/public_suffix_list"

    /// In each form that Debian has it in, and as libpsl brings it.
    private static func lists() throws -> [PublicSuffixList] {
        [
            try PublicSuffixList(path: path + ".dafsa"), try PublicSuffixList(path: path + ".dat"),
            try PublicSuffixList(),
        ]
    }

    @Test(
        "Names of the list, of its wildcards and of its private section are public suffixes, and so is a bare last label",
        arguments: ["com", "co.uk", "uk", "anything.ck", "github.io", "test", "localhost", "xn--p1ai"]
    )
    func suffixes(_ name: String) throws {
        for list in try Self.lists() {
            #expect(list.isPublicSuffix(name))
            #expect(list.registrableDomain(of: name) == nil)
            #expect(list.registrableLabel(of: name) == nil)
        }
    }

    @Test(
        "A registrable domain is one label more, and its first label is what clients count",
        arguments: [
            ("shop.example.co.uk", "example.co.uk", "example"), ("acme.com", "acme.com", "acme"),
            ("a.b.acme.test", "acme.test", "acme"), ("www.ck", "www.ck", "www"), ("me.github.io", "me.github.io", "me"),
            ("a.b.xn--80ak6aa92e.xn--p1ai", "xn--80ak6aa92e.xn--p1ai", "xn--80ak6aa92e"),
        ]
    )
    func registrable(_ name: String, _ domain: String, _ label: String) throws {
        for list in try Self.lists() {
            #expect(!list.isPublicSuffix(name))
            #expect(list.registrableDomain(of: name) == domain)
            #expect(list.registrableLabel(of: name) == label)
        }
    }

    @Test("What is no name has no registrable domain and cannot be spoken for", arguments: ["", "a\u{0}.com"])
    func noName(_ name: String) throws {
        for list in try Self.lists() {
            #expect(list.registrableDomain(of: name) == nil)
            if !name.isEmpty { #expect(list.isPublicSuffix(name)) }
        }
    }

    @Test(
        "A list that is not there is an error that says what to do",
        arguments: ["/nonexistent/list", "/dev/null\u{0}"]
    )
    func missing(_ path: String) {
        let error = #expect(throws: PublicSuffixError.self) { try PublicSuffixList(path: path) }
        #expect(error?.description.contains("publicsuffix") == true)
    }
}
