extension Program {
    /// The program's manual page in scdoc's language, with all commands in it.
    public func manual() -> String {
        var page = ManualPage()
        page.output = "\(name)(1) \"\(name) \(version)\"\n"
        page.section("NAME", "\(name) - \(escaped(summary))")
        let command = standardCommand == nil ? "_COMMAND_" : "[_COMMAND_]"
        page.section("SYNOPSIS", "*\(name)* \(command) [flags]")
        page.heading("COMMANDS")
        for (path, command) in allCommands() { page.command(self, path, command) }
        page.heading("FLAGS OF EVERY COMMAND")
        page.flags(flags + [.help, .version])
        if !variables.isEmpty {
            page.heading("ENVIRONMENT")
            for variable in variables { page.definition("*\(escaped(variable.name))*", variable.summary) }
        }
        page.heading("EXIT STATUS")
        for code in ExitCode.allCases { page.definition("*\(code.rawValue)*", code.summary) }
        page.examples(examples)
        return page.output
    }

    /// Every command that does something, with its path, in the order of the table.
    private func allCommands() -> [(path: [String], command: Command)] {
        func all(_ path: [String], _ command: Command) -> [([String], Command)] {
            let path = path + [command.name]
            return (command.action == nil ? [] : [(path, command)]) + command.commands.flatMap { all(path, $0) }
        }
        return commands.flatMap { all([], $0) }
    }
}

private struct ManualPage {
    var output = ""

    mutating func heading(_ title: String) { output += "\n# \(title)\n" }

    mutating func section(_ title: String, _ text: String) { output += "\n# \(title)\n\n\(text)\n" }

    /// A term and what it means, one level in.
    mutating func definition(_ term: String, _ text: String) {
        output += "\n\(term)\n\t\(escaped(text.capitalisedFirst)).\n"
    }

    mutating func flags(_ flags: [Flag]) {
        for flag in flags {
            let letter = flag.letter.map { "*-\($0)*, " } ?? ""
            let value = flag.value.map { " _\(escaped($0))_" } ?? ""
            definition("\(letter)*--\(escaped(flag.name))*\(value)", flag.summary)
        }
    }

    mutating func command(_ program: Program, _ path: [String], _ command: Command) {
        output += "\n## \(escaped(program.usage(path, command)))\n\n\(escaped(command.summary.capitalisedFirst)).\n"
        for word in command.words { definition("_\(escaped(word.name))_", word.summary) }
        // The flags of every command have a section of their own.
        flags(program.inheritedFlags(path).filter { !program.flags.contains($0) } + command.flags)
        examples(command.examples, heading: nil)
    }

    mutating func examples(_ examples: [String], heading title: String? = "EXAMPLES") {
        guard !examples.isEmpty else { return }
        if let title { heading(title) }
        output += "\n```\n" + examples.map { $0 + "\n" }.joined() + "```\n"
    }
}

/// `text` with everything that scdoc would take for markup escaped.
private func escaped(_ text: String) -> String {
    var output = ""
    for character in text {
        if "\\*_`#[]|<>".contains(character) { output.append("\\") }
        output.append(character)
    }
    return output
}

extension String {
    fileprivate var capitalisedFirst: String {
        // A name in capitals or with a sign in it stays as it is.
        guard let first, first.isLowercase, !prefix(while: { $0 != " " }).contains(where: { "_-./".contains($0) })
        else {
            return self
        }
        return first.uppercased() + dropFirst()
    }
}
