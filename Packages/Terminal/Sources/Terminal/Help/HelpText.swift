extension Program {
    /// The help of the program (empty path) or of one of its commands, for a terminal of `width` columns.
    ///
    /// One sentence, usage, commands or flags in groups, examples, environment variables, exit codes.
    public func help(_ path: [String] = [], width: Int = 100) -> String {
        guard let command = find(path) else { return programHelp(width) }
        var text = HelpText(width: width)
        let title = ([name] + path).joined(separator: " ")
        text.sentence("\(title): \(command.summary)")
        text.usage(usage(path, command))
        if !command.commands.isEmpty { text.commands(command.commands) }
        if !command.words.isEmpty { text.section("Words", command.words.map { ($0.spelling, $0.summary) }) }
        text.flags(inheritedFlags(path) + command.flags + [.help])
        text.examples(command.examples)
        text.variables(command.variables + variables)
        if command.action != nil { text.exits(exitCodes(command)) }
        return text.output
    }

    private func programHelp(_ width: Int) -> String {
        var text = HelpText(width: width)
        text.sentence("\(name): \(summary)")
        text.usage(standardCommand == nil ? "\(name) COMMAND [flags]" : "\(name) [COMMAND] [flags]")
        text.commands(commands, standard: standardCommand)
        text.flags(flags + [.help, .version])
        text.examples(examples)
        text.variables(variables)
        text.exits(ExitCode.allCases)
        text.paragraph("`\(name) help COMMAND` says more about each.")
        return text.output
    }

    /// The command's line of usage, with the flags that it cannot do without.
    func usage(_ path: [String], _ command: Command) -> String {
        var parts = [name] + path
        if command.action == nil { return (parts + ["COMMAND", "[flags]"]).joined(separator: " ") }
        parts += command.words.map(\.spelling)
        let own = inheritedFlags(path) + command.flags
        parts += own.filter(\.isRequired).map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
        if own.contains(where: { !$0.isRequired }) { parts.append("[flags]") }
        return parts.joined(separator: " ")
    }

    /// The flags of the program and of the words in front of the command.
    func inheritedFlags(_ path: [String]) -> [Flag] {
        flags + path.indices.dropLast().flatMap { find(Array(path[...$0]))?.flags ?? [] }
    }

    /// The exit codes that every command has, and the command's own.
    func exitCodes(_ command: Command) -> [ExitCode] {
        let common: Set<ExitCode> = [.done, .failed, .wrongUse, .unavailable, .interrupted]
        return ExitCode.allCases.filter { common.contains($0) || command.exits.contains($0) }
    }
}

extension Command {
    /// `tenant create|list|show`: the command with what stands behind it.
    var overview: String {
        commands.isEmpty
            ? ([name] + words.map(\.spelling)).joined(separator: " ")
            : name + " " + commands.map(\.name).joined(separator: "|")
    }
}

/// Help in the making.
private struct HelpText {
    let width: Int
    private(set) var output = ""

    init(width: Int) { self.width = max(40, width) }

    mutating func sentence(_ text: String) {
        output += wrapped(text, first: "", rest: "  ", width: width) + "\n"
    }

    mutating func paragraph(_ text: String) {
        output += "\n" + wrapped(text, first: "", rest: "", width: width) + "\n"
    }

    mutating func usage(_ text: String) {
        output += "\n" + wrapped("Usage: " + text, first: "", rest: "       ", width: width) + "\n"
    }

    mutating func commands(_ commands: [Command], standard: String? = nil) {
        for (group, members) in grouped(commands, by: \.group) {
            section(
                group,
                members.map { ($0.overview, $0.summary + ($0.name == standard ? " (the default)" : "")) }
            )
        }
    }

    mutating func flags(_ flags: [Flag]) {
        for (group, members) in grouped(flags, by: \.group) {
            section(
                group,
                members.map { flag in
                    let notes = [flag.isRequired ? "required" : nil, flag.isRepeated ? "may be repeated" : nil]
                    let note = notes.compactMap { $0 }.joined(separator: ", ")
                    return (flag.spelling, flag.summary + (note.isEmpty ? "" : " (\(note))"))
                }
            )
        }
    }

    mutating func examples(_ examples: [String]) {
        guard !examples.isEmpty else { return }
        output += "\nExamples\n" + examples.map { "  \($0)\n" }.joined()
    }

    mutating func variables(_ variables: [Variable]) {
        if !variables.isEmpty { section("Environment", variables.map { ($0.name, $0.summary) }) }
    }

    mutating func exits(_ codes: [ExitCode]) {
        section("Exit codes", codes.map { ("\($0.rawValue)", $0.summary) })
    }

    /// A heading and rows of two columns. A first column that is too long has a line of its own.
    mutating func section(_ title: String, _ rows: [(String, String)]) {
        let column = min(28, rows.map(\.0.count).max() ?? 0)
        output += "\n\(title)\n"
        for (left, right) in rows {
            let margin = String(repeating: " ", count: column + 4)
            if left.count > column {
                output += "  \(left)\n" + wrapped(right, first: margin, rest: margin, width: width) + "\n"
            } else {
                let first = "  " + left + String(repeating: " ", count: column - left.count + 2)
                output += wrapped(right, first: first, rest: margin, width: width) + "\n"
            }
        }
    }
}

/// The values in groups, both in the order in which they come first.
func grouped<Value>(_ values: [Value], by group: (Value) -> String) -> [(String, [Value])] {
    var groups: [(String, [Value])] = []
    for value in values {
        let name = group(value)
        if let index = groups.firstIndex(where: { $0.0 == name }) {
            groups[index].1.append(value)
        } else {
            groups.append((name, [value]))
        }
    }
    return groups
}

/// `text` broken between words so that no line is wider than `width`, where that is possible.
func wrapped(_ text: String, first: String, rest: String, width: Int) -> String {
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in text.split(separator: " ") {
        if !isEmpty, line.count + 1 + word.count > width {
            lines.append(line)
            line = rest
            isEmpty = true
        }
        line += (isEmpty ? "" : " ") + word
        isEmpty = false
    }
    lines.append(line)
    return lines.joined(separator: "\n")
}
