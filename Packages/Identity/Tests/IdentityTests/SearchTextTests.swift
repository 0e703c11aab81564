import Identity
import Testing

@Suite("HTTP contract 11.9: the search for users")
struct SearchTextTests {
    @Test(
        "A search is taken apart: NOT binds closest, then AND, then OR",
        arguments: [
            ("a:b", "a=b"), ("a:\"b c\\\" d\"", "a=b c\" d"), ("a:b*", "a^b"), ("a:*", "a^"), ("a:b\\*", "a=b*"),
            ("a:[1 TO 2]", "a[1..2]"), ("a:[* TO \"x y\"]", "a[..x y]"), ("a:[1 TO *]", "a[1..]"),
            ("a:1 OR b:2 AND NOT c:3", "(a=1 | (b=2 & !c=3))"), ("(a:1 OR b:2) AND c:3", "((a=1 | b=2) & c=3)"),
            ("  NOT(a:1)  ", "!a=1"), ("NOT NOT a:1", "!!a=1"), ("user_metadata.x-y:1", "user_metadata.x-y=1"),
            ("a:2026-01-31T10:20:30Z", "a=2026-01-31T10:20:30Z"), ("a:\\(b\\)", "a=(b)"), ("a:ü", "a=ü"),
            ("a:\"\"", "a="),
        ]
    )
    func reads(_ text: String, _ expected: String) throws {
        #expect(Self.shown(try SearchText(text).root) == expected)
    }

    private static func shown(_ node: SearchText.Node) -> String {
        switch node {
        case .all(let nodes): "(" + nodes.map(shown).joined(separator: " & ") + ")"
        case .any(let nodes): "(" + nodes.map(shown).joined(separator: " | ") + ")"
        case .not(let node): "!" + shown(node)
        case .term(let field, .text(let text)): "\(field)=\(text)"
        case .term(let field, .beginning(let text)): "\(field)^\(text)"
        case .term(let field, .range(let from, let to)): "\(field)[\(from ?? "")..\(to ?? "")]"
        }
    }

    @Test(
        "What is no search is refused, with the place",
        arguments: [
            "", " ", "a", "a:", "a :b", ":b", "a:b c:d", "a:b AND", "OR a:b", "a:b OR", "(a:b", "a:b)", "NOT",
            "a:[1 TO",
            "a:[1 2]", "a:[1* TO 2]", "a:\"b", "a:\"b\\", "a:b\\", "a:b*c", "a:(b)", "a:b\"c", "a:{1 TO 2}", "a:b~",
            "a:b?",
            "a:/b/", "a;b", "a:b and c:d", "é:b",
        ]
    )
    func refuses(_ text: String) {
        #expect(throws: SearchError.self) { try SearchText(text) }
    }

    @Test("Length, depth and number of terms are bounded, and nothing traps at any cut")
    func bounds() throws {
        #expect(throws: SearchError.self) { try SearchText("a:" + String(repeating: "b", count: 4096)) }
        let deep = String(repeating: "(", count: 5000 / 2)
        #expect(throws: SearchError.self) { try SearchText(deep + "a:b") }
        #expect(throws: SearchError.self) { try SearchText(String(repeating: "NOT ", count: 21) + "a:b") }
        _ = try SearchText(String(repeating: "NOT ", count: 19) + "a:b")
        let terms = Array(repeating: "a:b", count: 64)
        _ = try SearchText(terms.joined(separator: " OR "))
        #expect(throws: SearchError.self) { try SearchText((terms + ["a:b"]).joined(separator: " OR ")) }
        let whole = "NOT (email:\"a\\\"b\" OR name:c*) AND created_at:[2026-01-01 TO *] OR user_metadata.x.y:\\*"
        for end in 0...whole.unicodeScalars.count {
            let cut = String(String.UnicodeScalarView(whole.unicodeScalars.prefix(end)))
            _ = try? UserFilter(searching: cut)
        }
        _ = try UserFilter(searching: whole)
    }

    @Test(
        "A field that there is not, and a value that a field cannot have, are refused",
        arguments: [
            "password:x", "user_metadata:x", "user_metadata.:x", "user_metadata.a.b.c.d.e.f:x", "blocked:1",
            "blocked:tru*",
            "email_verified:yes", "created_at:yesterday", "created_at:[2026-13-01 TO *]", "created_at:2026*",
            "logins_count:many", "logins_count:1*", "logins_count:[1 TO x]", "email.x:y",
        ]
    )
    func fields(_ text: String) {
        #expect(throws: SearchError.self) { try UserFilter(searching: text) }
    }

    @Test("A day means all of it, and an address its canonical form")
    func values() throws {
        let day = UnixTime(seconds: 1_769_817_600)
        let last = day.adding(milliseconds: 86_399_999)
        #expect(try UserFilter(searching: "created_at:2026-01-31") == .condition(.createdAt(from: day, to: last)))
        #expect(
            try UserFilter(searching: "last_login:[2026-01-31T00:00:00Z TO 2026-01-31]")
                == .condition(.lastLogin(from: day, to: last))
        )
        #expect(
            try UserFilter(searching: "email:\"ANA@Example.COM\"")
                == .condition(.identifier(.email, .equals("ana@example.com")))
        )
        #expect(try UserFilter(searching: "email:none") == .condition(.nobody))
    }

    @Test(
        "Dates and times are read, with their zones, and what is none is not",
        arguments: [
            ("1970-01-01", 0), ("2026-01-31", 1_769_817_600_000), ("2024-02-29", 1_709_164_800_000),
            ("2026-01-31T10:20:30Z", 1_769_854_830_000), ("2026-01-31T10:20:30.5Z", 1_769_854_830_500),
            ("2026-01-31T10:20:30.123456Z", 1_769_854_830_123), ("2026-01-31T12:20:30+02:00", 1_769_854_830_000),
            ("2026-01-31T08:20:30-02:00", 1_769_854_830_000), ("2023-02-29", nil), ("2026-1-31", nil),
            ("2026-01-31T10:20", nil), ("2026-01-31T10:20:30", nil), ("2026-01-31T25:00:00Z", nil), ("", nil),
            ("2026-01-31T10:20:30.Z", nil), ("2026-01-31T10:20:30Zx", nil), ("2026-00-10", nil), ("-026-01-10", nil),
        ] as [(String, Int64?)]
    )
    func times(_ text: String, _ milliseconds: Int64?) {
        let time = UnixTime(reading: text)
        #expect(time?.milliseconds == milliseconds)
        if text.utf8.count == 24, let time { #expect(time.rfc3339 == text) }
    }

    @Test("What is written as RFC 3339 is read back as the same moment")
    func roundTrip() {
        for milliseconds: Int64 in [0, 1, 951_782_400_000, 4_102_444_799_999, -62_135_596_800_000, 1_800_000_000_123] {
            let time = UnixTime(milliseconds: milliseconds)
            #expect(UnixTime(reading: time.rfc3339) == time)
        }
    }
}
