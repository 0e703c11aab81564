import Encodings
import Testing

@Suite("JSON reading: values, faults and their places")
struct JSONReadingTests {
    @Test("Values come out as they are")
    func values() throws {
        let text = #" {"a": [1, -2.5, true, false, null], "b": {"c": "d\u00e9\ud83d\ude00\n\/"}} "#
        let value = try JSON.parse(text)
        #expect(value == ["a": [1, -2.5, true, false, nil], "b": ["c": "dé😀\n/"]])
        #expect(value.object?["a"]?.array?.count == 5)
        #expect(value.object?["b"]?.object?["c"]?.string == "dé😀\n/")
        #expect(value.object?["missing"] == nil)
        #expect(value.object?["a"]?.array?.first?.integer == 1)
        #expect(value.object?["a"]?.array?[1].integer == nil)
        #expect(value.object?["a"]?.array?[1].number == -2.5)
        #expect(value.object?["a"]?.array?[2].bool == true)
        #expect(value.object?["a"]?.array?[4].isNull == true)
        #expect(value.object?.members.map(\.name) == ["a", "b"])
    }

    @Test("Integers of 64 bits stay exact, and others become the nearest Double")
    func numbers() throws {
        #expect(try JSON.parse("9223372036854775807") == .integer(.max))
        #expect(try JSON.parse("-9223372036854775808") == .integer(.min))
        #expect(try JSON.parse("9223372036854775808") == .number(9223372036854775808))
        #expect(try JSON.parse("-9223372036854775809") == .number(-9223372036854775808))
        #expect(try JSON.parse("9007199254740993") == .integer(9_007_199_254_740_993))
        #expect(try JSON.parse("-0") == .integer(0))
        #expect(try JSON.parse("1.0") == .number(1))
        #expect(try JSON.parse("1e2") == .number(100))
        #expect(try JSON.parse("1.0").integer == nil)
        #expect(try JSON.parse("7").number == 7)
        #expect(try JSON.parse("4.9e-324") == .number(.leastNonzeroMagnitude))
        #expect(try JSON.parse("1.7976931348623157e308") == .number(.greatestFiniteMagnitude))
        #expect(try JSON.parse("0.1") == .number(0.1))
    }

    @Test(
        "A fault is named, with its place",
        arguments: [
            ("", .unexpectedEnd(offset: 0)),
            ("[1,", .unexpectedEnd(offset: 3)),
            ("\"ab", .unexpectedEnd(offset: 3)),
            ("[1,]", .unexpectedByte(0x5d, offset: 3)),
            ("{} x", .unexpectedByte(0x78, offset: 3)),
            ("nulx", .unexpectedByte(0x78, offset: 3)),
            ("\u{feff}1", .byteOrderMark),
            (#"{"a":1,"a":2}"#, .duplicateName("a", offset: 7)),
            ("\"a\nb\"", .controlCharacter(0x0a, offset: 2)),
            (#""a\x""#, .invalidEscape(offset: 2)),
            (#""a\u12g4""#, .invalidEscape(offset: 2)),
            (#"["a\ud800b"]"#, .loneSurrogate(offset: 3)),
            (#"["\u0000"]"#, .nul(offset: 2)),
            ("[1, 1e999]", .numberOutOfRange(offset: 4)),
        ] as [(String, JSONError)]
    )
    func faults(text: String, fault: JSONError) {
        #expect(throws: fault) { try JSON.parse(text) }
    }

    @Test("Bytes that are no UTF-8 are found where they are")
    func invalidUTF8() {
        #expect(throws: JSONError.invalidUTF8(offset: 3)) {
            try JSON.parse(Array(#"["a"#.utf8) + [0xff] + Array(#"b"]"#.utf8))
        }
        #expect(throws: JSONError.unexpectedByte(0xff, offset: 1)) { try JSON.parse([0x5b, 0xff, 0x5d]) }
    }

    @Test("A byte order mark is taken on request, once, at the start")
    func byteOrderMark() throws {
        #expect(try JSON.parse("\u{feff}1", allowingBOM: true) == 1)
        #expect(try JSON.parse("1", allowingBOM: true) == 1)
        for text in ["\u{feff}\u{feff}1", "[\u{feff}1]", "1\u{feff}", "\u{feff}"] {
            #expect(throws: JSONError.self) { try JSON.parse(text, allowingBOM: true) }
        }
        #expect(throws: JSONError.unexpectedByte(0xff, offset: 0)) {
            try JSON.parse([0xff, 0xfe, 0x31, 0], allowingBOM: true)
        }
    }

    @Test("U+0000 is taken on request when it is escaped")
    func nul() throws {
        #expect(try JSON.parse(#""a\u0000b""#, allowingNUL: true) == .string("a\0b"))
        #expect(throws: JSONError.controlCharacter(0, offset: 1)) {
            try JSON.parse([0x22, 0, 0x22], allowingNUL: true)
        }
    }

    @Test("Nesting is counted in arrays and objects, and refused beyond the limit", arguments: [0, 1, 5, 64, 200])
    func depth(limit: Int) {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            for depth in [limit, limit + 1] {
                let inner = open == "[" ? "" : "1"
                let text = String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)
                let parsed = Result { () throws(JSONError) in
                    try JSON.parse(depth == 0 ? "1" : text, maximumDepth: limit)
                }
                if depth <= limit {
                    #expect(throws: Never.self) { try parsed.get() }
                } else {
                    #expect(parsed == .failure(.tooDeep(offset: open.utf8.count * limit)))
                }
            }
        }
    }
}

@Suite("JSON reading: hostile documents cost no more than their size")
struct JSONHostileTests {
    @Test("A hundred thousand open brackets are refused at the limit")
    func openBrackets() {
        for open in ["[", #"{"a":"#, #"[{"a":"#] {
            let text = String(repeating: open, count: 100_000)
            #expect(throws: JSONError.self) { try JSON.parse(text) }
        }
    }

    @Test("Many members, many elements, long strings and long numbers")
    func size() throws {
        let names = (0..<20_000).map { #""name-\#($0)":\#($0)"# }.joined(separator: ",")
        let object = try #require(try JSON.parse("{\(names)}").object)
        #expect(object.count == 20_000)
        #expect(throws: JSONError.self) { try JSON.parse("{\(names),\"name-7\":0}") }
        #expect(try JSON.parse("[" + String(repeating: "[],", count: 50_000) + "[]]").array?.count == 50_001)
        let long = String(repeating: "a", count: 1_000_000)
        #expect(try JSON.parse("\"\(long)\"").string == long)
        let escapes = String(repeating: #"\u0061"#, count: 100_000)
        #expect(try JSON.parse("\"\(escapes)\"").string == String(repeating: "a", count: 100_000))
        #expect(throws: JSONError.numberOutOfRange(offset: 0)) {
            try JSON.parse(String(repeating: "9", count: 1_000_000))
        }
    }

    @Test("Thousands of names that are canonically equivalent and differ in their bytes")
    func equivalentNames() throws {
        // Five marks of different classes make one and the same letter in whatever order they come.
        let marks = ["\u{0301}", "\u{0323}", "\u{0327}", "\u{0334}", "\u{0345}", "\u{0315}", "\u{031b}"]
        var orders: [[String]] = [[]]
        for mark in marks {
            orders = orders.flatMap { order in
                (0...order.count).map { Array(order[..<$0]) + [mark] + Array(order[$0...]) }
            }
        }
        let members = orders.map { "\"a\($0.joined())\":1" }
        let start = ContinuousClock.now
        #expect(try JSON.parse("{\(members.joined(separator: ","))}").object?.count == 5040)
        let time = ContinuousClock.now - start
        // Linear: some milliseconds, also without optimisation. Quadratic: minutes.
        #expect(time < .seconds(10))
    }
}
