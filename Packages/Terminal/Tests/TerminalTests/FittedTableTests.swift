import Encodings
import Terminal
import Testing

@Suite("Tables on a terminal, and --fields")
struct FittedTableTests {
    private let long = Listing(
        [Column("name"), Column("scope"), Column("count", .number)],
        rows: [
            [
                "name": "Backend", "count": 7,
                "scope": .array((0..<20).map { .string("read:things-\($0)") }),
            ],
            ["name": "x", "count": 12_345, "scope": "口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口口"],
        ]
    )

    @Test("A table that is too wide goes on in further lines, and nothing of it is lost", arguments: [60, 80, 100])
    func fits(_ width: Int) {
        let text = long.rendered(as: .table, width: width)
        for line in text.split(separator: "\n") {
            // Wide characters take two columns.
            #expect(line.unicodeScalars.reduce(0) { $0 + ($1.value > 0x2000 ? 2 : 1) } <= width, "\(line)")
        }
        for index in 0..<20 { #expect(text.contains("read:things-\(index)")) }
        #expect(text.filter { $0 == "口" }.count == 49)
    }

    @Test("A table that fits, and one for a file, is as it was")
    func stays() {
        let small = Listing([Column("name")], rows: [["name": "x"]])
        #expect(small.rendered(as: .table, width: 60) == small.rendered(as: .table))
        #expect(long.rendered(as: .table).split(separator: "\n").count == 3)
    }

    @Test("--fields keeps members and columns in its order, and refuses others by name")
    func fields() throws {
        let chosen = try long.selecting(["count", "name"])
        #expect(chosen.rendered(as: .csv) == "count,name\r\n7,Backend\r\n12345,x\r\n")
        #expect(try long.selecting(nil).columns == long.columns)
        let failure = #expect(throws: CommandFailure.self) { try long.selecting(["nmae"]) }
        #expect(failure?.exit == .wrongUse && failure?.message.contains("Did you mean name?") == true)
        let details = Details(["a": 1, "b": ["c": 2]])
        #expect(try details.selecting(["b"]).object == ["b": ["c": 2]])
        #expect(throws: CommandFailure.self) { try details.selecting(["x"]) }
    }
}
