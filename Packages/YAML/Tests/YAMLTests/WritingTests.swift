import Testing

import YAML

/// The same tree but for places and for how a null is spelled.
private func same(_ left: YAMLNode, _ right: YAMLNode) -> Bool {
    switch (left.content, right.content) {
    case (.scalar(let a), .scalar(let b)):
        return a.value == b.value && (a.value == .null || a.text.utf8.elementsEqual(b.text.utf8))
    case (.sequence(let a), .sequence(let b)):
        return a.count == b.count && zip(a, b).allSatisfy { same($0, $1) }
    case (.mapping(let a), .mapping(let b)):
        return a.count == b.count
            && zip(a, b).allSatisfy { $0.key.utf8.elementsEqual($1.key.utf8) && same($0.value, $1.value) }
    default: return false
    }
}

@Suite("Writing YAML")
struct WritingTests {
    @Test("A tree is written in block style")
    func blockStyle() {
        let node = YAMLNode.mapping([
            YAMLMember("name", .string("My app")),
            YAMLMember("grant_types", .sequence([.string("refresh_token"), .string("urn:x:y")])),
            YAMLMember("empty", .sequence([])),
            YAMLMember("none", .mapping([])),
            YAMLMember("nothing", .null),
            YAMLMember("body", .string("line 1\nline 2\n")),
            YAMLMember(
                "clients",
                .sequence([
                    .mapping([YAMLMember("a", .integer(1)), YAMLMember("b", .bool(true))]),
                    .sequence([.string("no")]),
                ])
            ),
            YAMLMember("options", .mapping([YAMLMember("0123", .string("0123"))])),
        ])
        #expect(
            node.written() == """
                name: My app
                grant_types:
                - refresh_token
                - urn:x:y
                empty: []
                none: {}
                nothing: null
                body: |
                  line 1
                  line 2
                clients:
                - a: 1
                  b: true
                -
                  - "no"
                options:
                  "0123": "0123"

                """
        )
    }

    @Test(
        "Text comes back as it was, whatever it looks like",
        arguments: [
            "", " ", "a ", " a", "no", "Yes", "null", "~", "1", "0123", "1:30", "1.5", "true", "a: b", "a:", ":a",
            "a #b", "#a",
            "- a", "-", "?", "? a", "[a", "{a}", "a, b", "&a", "*a", "!a", "|", ">", "'a'", "\"a\"", "%a", "@a", "`a`",
            "<<", "---",
            "...", "a\nb", "a\n", "\na", "\n", "\n\n", "a\n\n\n", " a\nb", "a\n b\n  c\n", "a \nb", "a\tb", "\t",
            "a\r\nb", "\r",
            "\u{0}", "\u{7f}", "\u{85}", "\u{2028}", "\u{feff}a", "\u{fffe}", "\u{e9}", "e\u{301}", "\u{1f511}", "\\n",
            "a\\",
            "https://example.com/a?b=c#d", "##NAME##", "@@X@@", "2026-01-31", "=", "a=b", "x.", "\u{301}", "a\n#b\n",
            "a\n\u{301}",
            String(repeating: "long ", count: 300),
        ]
    )
    func texts(text: String) throws {
        for node in [
            YAMLNode.string(text), .sequence([.string(text), .string(text)]),
            .mapping([YAMLMember("k", .string(text)), YAMLMember("l", .mapping([YAMLMember("m", .string(text))]))]),
            .sequence([.mapping([YAMLMember("k", .sequence([.sequence([.string(text)])]))])]),
        ] {
            let read = try YAML.parse(Array(node.written().utf8), file: "f")
            #expect(same(read, node), "\(node.written())")
        }
        guard text.utf8.count < 1000, text != "" else { return }
        let keyed = YAMLNode.mapping([YAMLMember(text, .integer(1))])
        #expect(same(try YAML.parse(Array(keyed.written().utf8), file: "f"), keyed))
    }

    @Test("Trees made at random come back as they were")
    func random() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let node = Self.node(depth: 4, &generator)
            let text = node.written()
            let read = try YAML.parse(Array(text.utf8), file: "f")
            #expect(same(read, node), "\(text)")
        }
    }

    private static func node(depth: Int, _ generator: inout SystemRandomNumberGenerator) -> YAMLNode {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .integer(.random(in: .min ... .max, using: &generator))
        case 3, 4: return .string(text(&generator))
        case 5:
            return .sequence(
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in node(depth: depth - 1, &generator) }
            )
        default:
            var keys: Set<[UInt8]> = []
            return .mapping(
                (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
                    let key = text(&generator) + "k"
                    guard keys.insert(Array(key.utf8)).inserted else { return nil }
                    return YAMLMember(key, node(depth: depth - 1, &generator))
                }
            )
        }
    }

    private static func text(_ generator: inout SystemRandomNumberGenerator) -> String {
        let pieces = [
            "a", "b", " ", "\n", ":", "#", "-", "\"", "'", "\\", "\t", "0", "no", "\u{fc}", "]", "{", ",", "|", "&",
        ]
        return (0..<Int.random(in: 0...6, using: &generator)).compactMap { _ in pieces.randomElement(using: &generator)
        }
        .joined()
    }
}
