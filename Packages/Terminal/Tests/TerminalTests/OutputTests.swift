import Encodings
import Glibc
import Terminal
import Testing

@Suite("Tables, JSON and CSV")
struct OutputTests {
    private let listing = Listing(
        [Column("name"), Column("client_id"), Column("passkeys", .number), Column("created_at", .time)],
        rows: [
            [
                "name": "\u{6f22}\u{5b57}", "client_id": "Qm3v", "passkeys": 12,
                "created_at": "2026-01-31T10:20:30.123Z",
            ],
            ["name": "My \u{1b}[31mapp", "passkeys": 3, "created_at": .null],
        ]
    )

    @Test("Wide characters line up, numbers are on the right, control characters are shown as codes")
    func table() {
        #expect(
            listing.rendered(as: .table) == """
                NAME            CLIENT ID  PASSKEYS  CREATED AT
                \u{6f22}\u{5b57}            Qm3v             12  2026-01-31T10:20:30.123Z
                My \\x1b[31mapp                    3  

                """
        )
    }

    @Test("JSON has the whole values, in order")
    func json() throws {
        let text = listing.rendered(as: .json)
        #expect(text.hasSuffix("]\n"))
        let value = try JSON.parse(Array(text.utf8))
        #expect(value == .array(listing.rows.map(JSONValue.object)))
        #expect(Listing([Column("a")]).rendered(as: .json) == "[]\n")
    }

    @Test("CSV quotes what needs it and defuses formulas")
    func csv() {
        let listing = Listing(
            [Column("a"), Column("b")],
            rows: [
                ["a": "x,y", "b": "say \"hi\""], ["a": "line\nbreak", "b": true], ["a": "=1+1", "b": -5],
                ["a": ["p", "q"], "b": ["k": 1]], ["b": "@x"],
            ]
        )
        #expect(
            listing.rendered(as: .csv)
                == "a,b\r\n\"x,y\",\"say \"\"hi\"\"\"\r\n\"line\nbreak\",yes\r\n'=1+1,-5\r\n\"p, q\",\"{\"\"k\"\":1}\"\r\n,'@x\r\n"
        )
    }

    @Test("One thing is shown member by member")
    func details() throws {
        let details = Details(
            [
                "tenant": "acme", "management_client": ["client_id": "x", "client_secret": "y"], "none": .null,
                "list": [1, "a"],
            ],
            titles: ["tenant": "Tenant"]
        )
        #expect(
            details.rendered(as: .table) == """
                Tenant                           acme
                management_client.client_id      x
                management_client.client_secret  y
                none                             
                list                             1, a

                """
        )
        #expect(try JSON.parse(Array(details.rendered(as: .json).utf8)) == .object(details.object))
    }

    @Test("An empty list has its headings")
    func empty() {
        #expect(Listing([Column("a"), Column("long_name")]).rendered(as: .table) == "A  LONG NAME\n")
    }

    @Test("A cell with NUL or line breaks stays on its line")
    func oddCells() {
        let text = TextTable(titles: ["A", "B"], rows: [["a\u{0}b", "c\nd"], ["e"]]).rendered()
        #expect(text.split(separator: "\n").count == 3)
        #expect(text.contains("a?b"))
        #expect(text.contains("c\\x0ad"))
    }

    @Test("On a terminal times are local, elsewhere UTC")
    func times() {
        let answer = { (isTerminal: Bool) in
            let test = TestConsole(isTerminal: isTerminal)
            test.console.answer(Listing([Column("at", .time)], rows: [["at": "2026-01-31T10:20:30.123Z"]]), as: .table)
            return test.output.text
        }
        #expect(answer(false).contains("2026-01-31T10:20:30.123Z"))
        #expect(answer(true).contains(TimeText.local(1_769_854_830_123)))
    }
}

@Suite("RFC 3339 times")
struct TimeTextTests {
    @Test(
        "Milliseconds and text say the same",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_769_854_830_123, "2026-01-31T10:20:30.123Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)]
    )
    func bothWays(milliseconds: Int64, text: String) {
        #expect(TimeText.rfc3339(milliseconds) == text)
        #expect(TimeText.milliseconds(of: text) == milliseconds)
    }

    /// Every day from 1890 to 2100, and days of some eight thousand years around them.
    private static let days: [Int64] =
        stride(from: -700_000, to: -29_220, by: 97) + Array(-29_220...47_500)
        + stride(from: 47_501, to: 2_900_000, by: 97)

    @Test("Days come back, each later than the one before it")
    func days() {
        var previous = ""
        for day in Self.days {
            let text = TimeText.rfc3339(day * 86_400_000)
            if TimeText.milliseconds(of: text) != day * 86_400_000 || text <= previous { Issue.record("\(text)") }
            previous = text
        }
    }

    @Test("Other forms of RFC 3339 are read")
    func otherForms() {
        #expect(TimeText.milliseconds(of: "2026-01-31t10:20:30z") == 1_769_854_830_000)
        #expect(TimeText.milliseconds(of: "2026-01-31T12:20:30.1+02:00") == 1_769_854_830_100)
        #expect(TimeText.milliseconds(of: "2026-01-31T04:50:30.123456789-05:30") == 1_769_854_830_123)
    }

    @Test(
        "What is no time is refused",
        arguments: [
            "", "2026-01-31", "2026-01-31T10:20:30", "2026-02-29T10:20:30Z", "2026-13-01T10:20:30Z",
            "2026-00-01T10:20:30Z",
            "2026-01-32T10:20:30Z", "2026-01-00T10:20:30Z", "2026-01-31T24:20:30Z", "2026-01-31T10:60:30Z",
            "2026-01-31T10:20:61Z", "2026-01-31T10:20:30.Z", "2026-01-31T10:20:30.1234567890Z", "2026-01-31T10:20:30Zx",
            "2026-01-31T10:20:30+2:00", "2026-01-31T10:20:30+24:00", "2026/01/31T10:20:30Z", "+026-01-31T10:20:30Z",
            "2026-01-31T10:20:3\u{e9}Z",
        ]
    )
    func refused(text: String) {
        #expect(TimeText.milliseconds(of: text) == nil)
    }

    @Test("Local time follows from the zone")
    func local() {
        #expect(TimeText.local(1_769_854_830_123).count == 19)
        #expect(TimeText.local(1_769_854_830_123).hasSuffix(":30"))
    }
}
