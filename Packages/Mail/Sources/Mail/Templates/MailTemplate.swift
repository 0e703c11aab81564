import Identity

/// One text with places for values: `{{link}}`.
struct MailTemplate: Hashable, Sendable {
    private enum Part: Hashable, Sendable {
        case text(String)
        case value(String)
    }

    private let parts: [Part]

    /// What a value must become so that it stays a value.
    enum Escape {
        /// In text: no line feeds and no other control characters.
        case controls
        /// In HTML, between tags and in quoted attributes.
        case html
    }

    /// Reads a template.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - names: the placeholders that it may have.
    ///   - file: what an error calls it.
    ///   - firstLine: the number of its first line.
    /// - Throws: ``TemplateError`` for a placeholder of another name, and for one without its end.
    init(_ text: Substring, names: [String], file: String, firstLine: Int = 1) throws(TemplateError) {
        var parts: [Part] = []
        var rest = text.utf8
        var line = firstLine
        while let start = Self.first("{{", in: rest) {
            let before = rest[..<start]
            line += before.count { $0 == 10 }
            let inner = rest[rest.index(start, offsetBy: 2)...]
            let lineEnd = inner.firstIndex(of: 10) ?? inner.endIndex
            guard let end = Self.first("}}", in: inner[..<lineEnd]) else {
                throw TemplateError(file: file, line: line, fault: .unfinished)
            }
            let name = String(Substring(inner[..<end])).trimmedOfSpaces
            guard names.contains(name) else {
                throw TemplateError(file: file, line: line, fault: .unknownPlaceholder(name, known: names))
            }
            parts.append(.text(String(Substring(before))))
            parts.append(.value(name))
            rest = inner[inner.index(end, offsetBy: 2)...]
        }
        parts.append(.text(String(Substring(rest))))
        self.parts = parts
    }

    func text(_ values: [String: String], escape: Escape) -> String {
        parts.map { part in
            switch part {
            case .text(let text): return text
            case .value(let name):
                let value = HeaderText.withoutControls(values[name] ?? "")
                return escape == .html ? Self.escaped(value) : value
            }
        }
        .joined()
    }

    private static func escaped(_ value: String) -> String {
        var output = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            case "'": output += "&#39;"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }

    private static func first(_ pair: String, in bytes: Substring.UTF8View) -> Substring.UTF8View.Index? {
        var previous: Substring.UTF8View.Index?
        for index in bytes.indices {
            if let start = previous, bytes[start..<bytes.index(after: index)].elementsEqual(pair.utf8) { return start }
            previous = index
        }
        return nil
    }
}

extension String {
    /// Without blanks at both ends.
    fileprivate var trimmedOfSpaces: String {
        var rest = self[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}

/// What is wrong with a template, and where.
public struct TemplateError: Error, Hashable, Sendable {
    public enum Fault: Hashable, Sendable {
        case unknownPlaceholder(String, known: [String])
        /// `{{` without `}}` on its line.
        case unfinished
        /// A text does not begin with `Subject: …` and an empty line.
        case noSubject
        /// The name is not `KIND.LANGUAGE.txt` or `.html`.
        case unknownName
        /// HTML without a text of the same name, which carries the subject.
        case noText
        /// Not UTF-8.
        case notText
        case tooLarge(limit: Int)
    }

    /// As it was named to the reader.
    public let file: String
    /// From 1.
    public let line: Int
    public let fault: Fault

    public init(file: String, line: Int, fault: Fault) {
        self.file = file
        self.line = line
        self.fault = fault
    }
}

extension TemplateError: CustomStringConvertible {
    /// One line: the file, the line, what is wrong and what would be right.
    public var description: String {
        let what =
            switch fault {
            case .unknownPlaceholder(let name, let known):
                "{{\(HeaderText.withoutControls(name))}} is no placeholder of this mail. Use "
                    + known.map { "{{\($0)}}" }.joined(separator: ", ") + "."
            case .unfinished: "{{ has no }} on its line."
            case .noSubject: "a text begins with a line \"Subject: …\" and an empty line."
            case .unknownName:
                "the name is none of a mail. Use KIND.LANGUAGE.txt and KIND.LANGUAGE.html, where KIND is "
                    + MailKind.allCases.map(\.rawValue).joined(separator: " or ") + ", as reset-password.sv.txt."
            case .noText: "there is no text beside it, which carries the subject. Write the same name with .txt."
            case .notText: "it is not UTF-8."
            case .tooLarge(let limit): "it has more than \(limit) bytes."
            }
        return "\(file):\(line): \(what)"
    }
}
