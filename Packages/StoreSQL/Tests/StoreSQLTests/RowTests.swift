import Encodings
import Identity
import Testing

@testable import StoreSQL

@Suite("Rows that are not as they were written are found out, and never trap")
struct RowTests {
    @Test("Columns are read from the left, and each has its kind")
    func reads() throws {
        let result = SQLResult(
            changes: 0,
            width: 3,
            values: [.integer(1), .text("a"), .bytes([2]), .integer(3), .text("b"), .null]
        )
        let rows = try result.map { (row) throws(StoreError) in
            (try row.integer(), try row.text(), try row.bytesIfAny())
        }
        #expect(rows.map(\.0) == [1, 3])
        #expect(rows.map(\.1) == ["a", "b"])
        #expect(rows.map(\.2) == [[2], nil])
    }

    @Test("A column of another kind, a missing value and one column too many are errors with their place")
    func mismatches() {
        let result = SQLResult(changes: 0, width: 2, values: [.text("a"), .null])
        #expect(throws: StoreError.corrupt(reason: "column 2 of 2 is not a number")) {
            try result.first { (row) throws(StoreError) in try row.integer() }
        }
        #expect(throws: StoreError.self) {
            try result.first { (row) throws(StoreError) in (try row.text(), try row.bytes()) }
        }
        #expect(throws: StoreError.self) {
            try result.first { (row) throws(StoreError) in
                (try row.text(), try row.textIfAny(), try row.textIfAny())
            }
        }
    }

    @Test(
        "Damaged ids, words, lists and documents are errors",
        arguments: [
            SQLValue.text("{"), .text("[1]"), .text("no word"), .bytes([1, 2]), .integer(-1), .null,
        ]
    )
    func damage(value: SQLValue) {
        let result = SQLResult(changes: 0, width: 1, values: [value])
        #expect(throws: StoreError.self) { try result.first { (row) throws(StoreError) in try row.user() } }
        #expect(throws: StoreError.self) { try result.first { (row) throws(StoreError) in try row.id() } }
        #expect(throws: StoreError.self) { try result.first { (row) throws(StoreError) in try row.document() } }
        #expect(throws: StoreError.self) {
            try result.first { (row) throws(StoreError) in try row.word(SigningKeyState.self) }
        }
        if value != .null {
            #expect(throws: StoreError.self) { try result.first { (row) throws(StoreError) in try row.list() } }
        }
    }

    @Test(
        "Lists and words come back as they went in",
        arguments: [
            [], ["a"], ["a", "é\u{301}", ""], ["with \"quotes\"", "\u{0}", "\u{1F}"],
        ]
    )
    func lists(texts: [String]) throws {
        let list = SQLResult(changes: 0, width: 1, values: [.list(texts)])
        #expect(try list.first { (row) throws(StoreError) in try row.list() } == texts)
        let words = ["openid", "read:\u{301}things"]
        let stored = SQLResult(changes: 0, width: 1, values: [.words(words)])
        let read = try stored.first { (row) throws(StoreError) in try row.words() }
        #expect(read?.map { Array($0.utf8) } == words.map { Array($0.utf8) })
    }

    @Test("A result without rows, and a statement that was not run, give nothing")
    func nothing() throws {
        #expect(SQLResult.nothing.isEmpty)
        #expect(try SQLResult.nothing.first { (row) throws(StoreError) in try row.integer() } == nil)
        #expect(SQLResults([])[3].isEmpty)
        #expect(SQLResults([]).first.changes == 0)
    }
}
