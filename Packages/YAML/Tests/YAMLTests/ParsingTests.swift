import Testing

import YAML

private func parse(_ text: String, limits: YAMLLimits = YAMLLimits()) throws(YAMLError) -> YAMLNode {
    try YAML.parse(Array(text.utf8), file: "f.yaml", limits: limits)
}

@Suite("The tree of a document")
struct TreeTests {
    @Test("Every key and value knows its line and column")
    func positions() throws {
        let node = try parse("# first\na: 1\n\u{fc}: [x,  \"y\"]\nmap:\n  deep: |\n    text\n")
        #expect(node.position == YAMLPosition(line: 2, column: 1))
        let members = try #require(node.members)
        #expect(members.map(\.key) == ["a", "\u{fc}", "map"])
        #expect(members[0].value.position == YAMLPosition(line: 2, column: 4))
        #expect(members[1].keyPosition == YAMLPosition(line: 3, column: 1))
        #expect(members[1].value.elements?.map(\.position.column) == [5, 9])
        #expect(members[2].value.position == YAMLPosition(line: 5, column: 3))
        #expect(members[2].value["deep"]?.scalar?.text == "text\n")
    }

    @Test("A file without a value is nothing", arguments: ["", "# only a comment\n", "\n\n", "---\n", "~", "\u{feff}"])
    func empty(text: String) throws {
        #expect(try parse(text).isNull)
    }

    @Test("An alias stands for the value it names, with that value's place")
    func aliases() throws {
        let node = try parse("a: &x [1, 2]\nb: *x\nc: &x three\nd: *x\n")
        #expect(node["b"] == node["a"])
        #expect(node["d"]?.scalar?.text == "three")
    }

    @Test("Kinds are named in plain words")
    func kinds() throws {
        let kinds = try parse("[[], {}, ~, true, 1, 1.5, x, \"1\"]").elements?.map(\.kind)
        #expect(
            kinds == ["a list", "a map", "nothing", "true or false", "a number", "a number", "text", "text"]
        )
    }
}

@Suite("YAML 1.2.2 §10.3.2: the types of plain scalars")
struct ScalarTests {
    @Test(
        "A plain scalar has the type of the core schema",
        arguments: [
            ("null", YAMLScalar.Value.null), ("Null", .null), ("NULL", .null), ("~", .null), ("nULL", .string),
            ("true", .bool(true)), ("False", .bool(false)), ("TRUE", .bool(true)), ("tRUE", .string),
            ("yes", .string), ("no", .string), ("on", .string), ("off", .string), ("y", .string), ("NO", .string),
            ("0", .integer(0)), ("-1", .integer(-1)), ("+12", .integer(12)), ("0o17", .integer(15)),
            ("0x1F", .integer(31)), ("0xg", .string), ("0o8", .string), ("0x-1", .string), ("-0x1", .string),
            ("0x", .string), ("0o+7", .string),
            ("0123", .string), ("-0123", .string), ("00", .string), ("007.5", .string), ("1:30", .string),
            ("1:30:00", .string), ("1_000", .string), ("2026-01-31", .string), ("0b1", .string),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9223372036854775808)),
            ("1.5", .number(1.5)), ("-.5", .number(-0.5)), ("1.", .number(1)), ("1e3", .number(1000)),
            ("1.e3", .number(1000)), (".5E-1", .number(0.05)), ("0.5", .number(0.5)), ("-0.0", .number(0)),
            (".", .string), ("-", .string), ("+", .string), ("1e", .string), ("1e+", .string), ("e3", .string),
            ("1.5.2", .string), ("127.0.0.1", .string), ("-.e1", .string), ("1x", .string),
            (".inf", .number(.infinity)), ("-.INF", .number(-.infinity)), ("inf", .string), ("nan", .string),
            ("120/minute", .string), ("=", .string), ("60s", .string), ("1e400", .number(.infinity)),
        ]
    )
    func plain(text: String, value: YAMLScalar.Value) throws {
        #expect(YAMLScalar(plain: text).value == value)
        #expect(YAMLScalar(plain: text).text == text)
        // The same through the parser, where a lone `-` would begin a list.
        if text != "-" { #expect(try parse("k: \(text)\n")["k"]?.scalar?.value == value) }
    }

    @Test("Quoted and block text is text", arguments: ["\"1\"", "'true'", "|\n  12", ">\n  null", "! 12", "!!str 12"])
    func text(source: String) throws {
        #expect(try parse("k: \(source)\n")["k"]?.scalar?.value == .string)
    }

    @Test("A tag may say what the value is anyway")
    func tags() throws {
        #expect(try parse("!!int 12").scalar?.value == .integer(12))
        #expect(try parse("!!int \"12\"").scalar?.value == .integer(12))
        #expect(try parse("!!float 12").scalar?.value == .integer(12))
        #expect(try parse("!!seq [!!bool true]").elements?.first?.scalar?.value == .bool(true))
        #expect(try parse("!!map {a: !!null ~}")["a"]?.isNull == true)
    }
}

@Suite("What is refused, and where")
struct RefusalTests {
    @Test(
        "Each fault has its line, its column and a sentence",
        arguments: [
            ("a: 1\na: 2\n", "f.yaml:2:1: the key \"a\" stands twice, first on line 1. Keep one."),
            ("x: {\"a\": 1, a: 2}", "f.yaml:1:13: the key \"a\" stands twice, first on line 1. Keep one."),
            (
                "a: 1\n---\nb: 1\n",
                "f.yaml:2:1: a second document begins here. Keep one, without \"---\" lines between."
            ),
            (
                "a: *x\n",
                "f.yaml:1:4: *x names no anchor before it. Write &x at the value that it means."
            ),
            (
                "a: &x [*x]\n",
                "f.yaml:1:8: *x names no anchor before it. Write &x at the value that it means."
            ),
            ("a: !ruby/object x\n", "f.yaml:1:4: the tag !ruby/object means nothing here. Remove it."),
            ("a: !!binary aGk=\n", "f.yaml:1:4: the tag tag:yaml.org,2002:binary means nothing here. Remove it."),
            ("a: !!seq {}\n", "f.yaml:1:4: the tag tag:yaml.org,2002:seq means nothing here. Remove it."),
            ("a: !!set {}\n", "f.yaml:1:4: the tag tag:yaml.org,2002:set means nothing here. Remove it."),
            ("a: !!int blue\n", "f.yaml:1:4: \"blue\" is no integer."),
            ("a: !!bool yes\n", "f.yaml:1:4: \"yes\" is no true or false."),
            ("[a]: 1\n", "f.yaml:1:1: a key must be text. Write it in quotes."),
            ("~: 1\n", "f.yaml:1:1: a key must be text. Write it in quotes."),
            ("a: &b {c: 1}\nd:\n  <<: *b\n", "f.yaml:3:3: \"<<\" is not in YAML 1.2. Write the members out."),
            (
                "a:\n\t b: 1\n",
                """
                f.yaml:2:1: not YAML: while scanning for the next token, found character that cannot start any token. \
                Indent with spaces, not tabs, and put quotes around text that begins with a sign.
                """
            ),
            (
                "a: b: c\n",
                "f.yaml:1:5: not YAML: mapping values are not allowed in this context. Put quotes around text that has \": \" in it or ends in \":\"."
            ),
            ("a: [1\n", "f.yaml:2:1: not YAML: while parsing a flow sequence, did not find expected ',' or ']'."),
            ("a: \"x\n", "f.yaml:2:1: not YAML: while scanning a quoted scalar, found unexpected end of stream."),
        ]
    )
    func refused(text: String, message: String) {
        do throws(YAMLError) {
            let node = try parse(text)
            Issue.record("accepted as \(node)")
        } catch {
            #expect(error.description == message)
        }
    }

    @Test("Keys that only look alike are two keys")
    func keysByBytes() throws {
        #expect(try parse("\"\u{e9}\": 1\n\"e\u{301}\": 2\n").members?.count == 2)
        #expect(try parse("\"\u{e9}\": 1\n\"e\u{301}\": 2\n")["e\u{301}"]?.scalar?.text == "2")
    }

    @Test("Bytes that are not UTF-8 are refused where they stand")
    func notUTF8() {
        let bytes: [UInt8] = Array("a: 1\nb: \u{fc}".utf8) + [0xC0, 0x80]
        #expect(
            throws: YAMLError(file: "f.yaml", position: YAMLPosition(line: 2, column: 5), problem: .notUTF8)
        ) { try YAML.parse(bytes, file: "f.yaml") }
    }

    @Test("A control character is refused on its line")
    func controlCharacter() throws {
        let error = #expect(throws: YAMLError.self) { try parse("a: 1\nb: \u{0}\n") }
        #expect(error?.problem == .syntax("control characters are not allowed"))
    }

    @Test("Depth, size, values and aliases are bounded")
    func bounds() throws {
        #expect(throws: YAMLError.self) { try parse(String(repeating: "[", count: 5000)) }
        var limits = YAMLLimits()
        limits.depth = 3
        #expect(try parse("[[[1]]]", limits: limits).kind == "a list")
        #expect(problem("[[[[1]]]]", limits) == .tooDeep(limit: 3))
        #expect(problem("a: {b: {c: {}}}", limits) == .tooDeep(limit: 3))
        #expect(problem("- &x [[1]]\n- [*x]\n", limits) == .tooDeep(limit: 3))
        limits = YAMLLimits()
        limits.bytes = 3
        #expect(problem("abcd", limits) == .tooLarge(limit: 3))
        limits = YAMLLimits()
        limits.values = 4
        #expect(problem("[1, 2, 3]", limits) == nil)
        #expect(problem("[1, 2, 3, 4]", limits) == .tooManyValues(limit: 4))
        #expect(problem("a: {b: c}", limits) == .tooManyValues(limit: 4))
        limits = YAMLLimits()
        limits.aliases = 2
        #expect(problem("[&a 1, *a, *a, *a]", limits) == .tooManyAliases(limit: 2))
    }

    @Test("Aliases of aliases do not grow beyond the number of values")
    func billionLaughs() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let before = String(repeating: "*a\(level - 1), ", count: 9)
            text += "a\(level): &a\(level) [\(before)*a\(level - 1)]\n"
        }
        #expect(problem(text, YAMLLimits()) == .tooManyValues(limit: 50_000))
    }

    private func problem(_ text: String, _ limits: YAMLLimits) -> YAMLProblem? {
        do throws(YAMLError) {
            _ = try parse(text, limits: limits)
            return nil
        } catch {
            return error.problem
        }
    }
}
