extension YAMLNode {
    /// The document in block style, two spaces a level, ending in a line break.
    ///
    /// Read again it is the same tree. Text that YAML 1.1 readers would take for something else is quoted.
    public func written() -> String {
        var output = ""
        write(to: &output, indent: 0, afterKey: false)
        return output
    }

    private func write(to output: inout String, indent: Int, afterKey: Bool) {
        let margin = String(repeating: " ", count: indent)
        switch content {
        case .sequence(let elements) where elements.isEmpty: output += afterKey ? " []\n" : "[]\n"
        case .mapping(let members) where members.isEmpty: output += afterKey ? " {}\n" : "{}\n"
        case .sequence(let elements):
            if afterKey { output += "\n" }
            for element in elements {
                output += margin + "-"
                element.writeItem(to: &output, indent: indent + 2)
            }
        case .mapping(let members):
            if afterKey { output += "\n" }
            for (index, member) in members.enumerated() {
                // The first key of a map in a list stands on the line of its dash.
                if index > 0 || afterKey || indent == 0 { output += margin }
                output += YAMLScalar(string: member.key).writtenKey + ":"
                // A list stands at its key's own margin, a map one level in.
                let inner = member.value.elements == nil ? indent + 2 : indent
                member.value.write(to: &output, indent: inner, afterKey: true)
            }
        case .scalar(let scalar):
            let text = scalar.written(indent: max(indent, 2))
            output += (afterKey && !text.isEmpty ? " " : "") + text + "\n"
        }
    }

    /// A list's element, after its dash.
    private func writeItem(to output: inout String, indent: Int) {
        switch content {
        case .mapping(let members) where !members.isEmpty:
            output += " "
            write(to: &output, indent: indent, afterKey: false)
        case .sequence, .mapping, .scalar: write(to: &output, indent: indent, afterKey: true)
        }
    }
}

extension YAMLScalar {
    fileprivate var writtenKey: String { Self.isPlain(text) ? text : Self.quoted(text) }

    fileprivate func written(indent: Int) -> String {
        guard value == .string else { return text.isEmpty ? "null" : text }
        if Self.isPlain(text) { return text }
        return Self.isBlock(text) ? Self.block(text, indent) : Self.quoted(text)
    }

    /// Letters, digits and a few signs that mean nothing, and no word that some reader types otherwise.
    private static func isPlain(_ text: String) -> Bool {
        guard YAMLScalar(plain: text).value == .string, let first = text.utf8.first, let last = text.utf8.last else {
            return false
        }
        let words = ["y", "n", "yes", "no", "on", "off"]
        guard !words.contains(text.lowercased()), text.utf8.count <= 100 else { return false }
        func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                UInt8(ascii: "/"):
                true
            default: false
            }
        }
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        // Digits in front could be a date, a time or an octal number to somebody.
        guard isWord(first), isWord(last) || isDigit(last) || last == UInt8(ascii: ".") else { return false }
        var previous = first
        for byte in text.utf8 {
            switch byte {
            case _ where isWord(byte) || isDigit(byte): break
            case UInt8(ascii: " ") where previous != UInt8(ascii: ":"): break
            case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "@"), UInt8(ascii: ":"),
                UInt8(ascii: "="), UInt8(ascii: "*"), UInt8(ascii: "("), UInt8(ascii: ")"):
                break
            default: return false
            }
            previous = byte
        }
        return true
    }

    /// Whether a literal block shows the text as it is: several printable lines, none with a blank in front or behind.
    private static func isBlock(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "\n")), text.utf8.first != UInt8(ascii: "\n"),
            text.unicodeScalars.allSatisfy({ $0 == "\n" || isPrintable($0) })
        else { return false }
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.first?.first != UInt8(ascii: " ")
            && lines.allSatisfy { $0.last != UInt8(ascii: " ") }
    }

    private static func isPrintable(_ scalar: UnicodeScalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    private static func block(_ text: String, _ indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // `|` keeps one break at the end, `|-` none, `|+` all.
        var mark = "|-"
        if lines.last == "" {
            lines.removeLast()
            mark = lines.last == "" ? "|+" : "|"
        }
        return mark + "\n" + lines.map { $0.isEmpty ? "" : margin + $0 }.joined(separator: "\n")
    }

    private static func quoted(_ text: String) -> String {
        var output = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\t": output += "\\t"
            case "\r": output += "\\r"
            case _ where isPrintable(scalar): output.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let (mark, width) = scalar.value < 0x100 ? ("x", 2) : ("u", 4)
                output += "\\" + mark + String(repeating: "0", count: max(0, width - digits.count)) + digits
            }
        }
        return output + "\""
    }
}
