import Encodings
import Testing
import YAML

@testable import TenantCLI

@Suite("HTTP contract 16: keyword markers, and where everything stood")
struct FilledTextTests {
    private func fill(_ text: String, _ values: [String: String]) -> FilledText {
        FilledText(Array(text.utf8), values)
    }

    private func text(_ filled: FilledText) -> String { String(decoding: filled.bytes, as: UTF8.self) }

    @Test("##NAME## is text as it is, @@NAME@@ is JSON without the quotes around it")
    func values() {
        let values = ["A": "x: y", "LIST": "[1, \"two\"]", "WORD": "a\"b"]
        #expect(text(fill("k: ##A##\n", values)) == "k: x: y\n")
        #expect(text(fill("k: @@LIST@@ # @@LIST@@\n", values)) == "k: [1,\"two\"] # [1,\"two\"]\n")
        #expect(text(fill("k: \"@@LIST@@\"\n", values)) == "k: [1,\"two\"]\n")
        #expect(text(fill("k: '@@WORD@@'\n", values)) == "k: \"a\\\"b\"\n")
        #expect(text(fill("k: \"##A##, ##WORD##\"\n", values)) == "k: \"x: y, a\"b\"\n")
    }

    @Test("Lines that are comments stay, and so does what is no marker")
    func others() {
        let written = "# ##NOBODY## @@NOBODY@@\n  ## Clients ##\na: b#c## ## @@ ####\nemail: a@@b\n"
        let filled = fill(written, [:])
        #expect(text(filled) == written && filled.missing.isEmpty)
    }

    @Test("Every name without a value is told, with its first place")
    func missing() {
        let filled = fill("a: ##ONE##\nb: @@TWO@@ ##ONE##\n", ["THREE": ""])
        #expect(filled.missing.map(\.name) == ["ONE", "TWO"])
        #expect(filled.missing.map(\.position) == [YAMLPosition(line: 1, column: 4), YAMLPosition(line: 2, column: 4)])
    }

    @Test("Places are those of the file as it was written, also behind values of several lines")
    func places() {
        let filled = fill("a: ##LONG##\nb: ##X## c\nd: ü ##X## e\n", ["LONG": "1\n2\n3", "X": "xxxxxxxxxx"])
        #expect(text(filled) == "a: 1\n2\n3\nb: xxxxxxxxxx c\nd: ü xxxxxxxxxx e\n")
        func written(_ line: Int, _ column: Int) -> YAMLPosition {
            filled.written(YAMLPosition(line: line, column: column))
        }
        #expect(written(1, 1) == YAMLPosition(line: 1, column: 1))
        #expect(written(2, 1) == YAMLPosition(line: 1, column: 4), "inside the value")
        #expect(written(4, 1) == YAMLPosition(line: 2, column: 1))
        #expect(written(4, 15) == YAMLPosition(line: 2, column: 10), "behind the value")
        #expect(written(5, 17) == YAMLPosition(line: 3, column: 12))
    }

    @Test("Values in a file are YAML 1.2's, a path leads to its place, and aliases are capped")
    func files() throws {
        let text = "clients:\n- name: no\n  on: 0123\n  \"a.b\":\n    c: [1, {d: 1:30}]\n"
        let file = try DesiredFile(Array(text.utf8), name: "t.yaml", [:])
        #expect(file.document == ["clients": [["name": "no", "on": "0123", "a.b": ["c": [1, ["d": "1:30"]]]]]])
        #expect(file.line("clients[0].a.b.c[1].d", "is wrong.") == "t.yaml:5:13: is wrong.")
        #expect(file.position(of: "clients[0].nothing") == YAMLPosition(line: 2, column: 3))
        #expect(file.position(of: "nowhere") == YAMLPosition(line: 1, column: 1))
        let bomb = "a: &a [x]\nb: [" + Array(repeating: "*a", count: 101).joined(separator: ", ") + "]\n"
        #expect(throws: (any Error).self) { try DesiredFile(Array(bomb.utf8), name: "t.yaml", [:]) }
    }

    @Test("What is exported reads back as the same")
    func written() throws {
        let text = WrittenFile.yaml([
            "version": "x", "tenant": ["a": "no", "b": 1.5, "c": .null, "d": [], "e": "1:30\n"],
        ])
        let file = try DesiredFile(Array(text.utf8), name: "t.yaml", [:])
        #expect(file.document == ["tenant": ["a": "no", "b": 1.5, "c": .null, "d": [], "e": "1:30\n"]])
    }
}
