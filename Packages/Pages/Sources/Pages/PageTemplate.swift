/// HTML with places: `{{name}}` for a value, `{{#name}}…{{/name}}` for a part that is there when the value is (once for
/// each of a list), `{{^name}}…{{/name}}` for one that is there when it is not, `{{t:key}}` for a text of the language.
struct PageTemplate: Sendable {
    indirect enum Part: Hashable, Sendable {
        case literal(String)
        case value(String)
        case text(String)
        case section(String, isInverted: Bool, [Part])
    }

    /// What is wrong with a template. Those that come with this version have nothing: the tests read each.
    enum Fault: Error, Hashable {
        /// `{{` without `}}`.
        case unfinished
        /// A part that ends where it did not begin, or does not end.
        case unbalanced(String)
    }

    let parts: [Part]

    init(_ source: String) throws(Fault) {
        var reader = Reader(rest: Array(source.utf8)[...])
        parts = try reader.parts(in: nil)
    }

    /// Every value and text that the template names.
    var names: (values: Set<String>, texts: Set<String>) {
        var values: Set<String> = []
        var texts: Set<String> = []
        Self.collect(parts, &values, &texts)
        return (values, texts)
    }

    private static func collect(_ parts: [Part], _ values: inout Set<String>, _ texts: inout Set<String>) {
        for part in parts {
            switch part {
            case .literal: break
            case .value(let name): values.insert(name)
            case .text(let key): texts.insert(key)
            case .section(let name, _, let inner):
                values.insert(name)
                collect(inner, &values, &texts)
            }
        }
    }

    func html(_ values: [String: PageValue], _ texts: PageTexts) -> HTML {
        HTML(Self.render(parts, values, texts))
    }

    private static func render(_ parts: [Part], _ values: [String: PageValue], _ texts: PageTexts) -> String {
        var output = ""
        for part in parts {
            switch part {
            case .literal(let text): output += text
            case .value(let name): output += shown(values[name])
            case .text(let key): output += HTML.escaped(texts[key, values])
            case .section(let name, let isInverted, let inner):
                let value = values[name]
                let isPresent = value?.isPresent ?? false
                guard isPresent != isInverted else { continue }
                guard case .list(let items)? = value, !isInverted else {
                    output += render(inner, values, texts)
                    continue
                }
                for item in items {
                    output += render(inner, values.merging(item) { _, own in own }, texts)
                }
            }
        }
        return output
    }

    private static func shown(_ value: PageValue?) -> String {
        switch value {
        case .text(let text): HTML.escaped(text)
        case .html(let html): html.text
        case .flag, .list, nil: ""
        }
    }

    /// Reads a template from its beginning to its end.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func parts(in section: String?) throws(Fault) -> [Part] {
            var parts: [Part] = []
            while let brace = next(UInt8(ascii: "{")) {
                if brace > rest.startIndex { parts.append(.literal(Self.text(rest[..<brace]))) }
                rest = rest[(brace + 2)...]
                guard let end = next(UInt8(ascii: "}")) else { throw .unfinished }
                let tag = Self.text(rest[..<end])
                rest = rest[(end + 2)...]
                if tag.hasPrefix("/") {
                    let name = String(tag.dropFirst())
                    guard name == section else { throw .unbalanced(name) }
                    return parts
                }
                parts.append(try part(tag))
            }
            guard section == nil else { throw .unbalanced(section ?? "") }
            if !rest.isEmpty { parts.append(.literal(Self.text(rest))) }
            return parts
        }

        private mutating func part(_ tag: String) throws(Fault) -> Part {
            if tag.hasPrefix("t:") { return .text(String(tag.dropFirst(2))) }
            guard tag.hasPrefix("#") || tag.hasPrefix("^") else { return .value(tag) }
            let name = String(tag.dropFirst())
            return .section(name, isInverted: tag.hasPrefix("^"), try parts(in: name))
        }

        /// Where two of `byte` stand next.
        private func next(_ byte: UInt8) -> Int? {
            var index = rest.startIndex
            while index + 1 < rest.endIndex {
                if rest[index] == byte, rest[index + 1] == byte { return index }
                index += 1
            }
            return nil
        }

        private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    }
}
