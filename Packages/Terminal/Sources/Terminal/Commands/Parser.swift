/// What a command line asks for.
public enum Request: Sendable {
    case run(Invocation)
    /// The help of the program or of the command at `path`.
    case help(path: [String])
    case version
}

extension Program {
    /// Reads a command line, without the program's own name.
    ///
    /// Flags and words come in any order; `--` ends the flags.
    /// - Throws: the first thing that does not fit the table.
    public func parse(_ arguments: [String]) throws(UsageError) -> Request {
        var reading = ArgumentReading(shapes: allFlags)
        try reading.read(arguments)
        if reading.words.first == "help", find(["help"]) == nil {
            let path = Array(reading.words.dropFirst())
            _ = try resolve(path, exactly: true)
            return .help(path: path)
        }
        if reading.flags["help"] != nil {
            // As much of the path as is right: help is never refused.
            return .help(path: helpPath(reading.words))
        }
        if reading.flags["version"] != nil { return .version }
        if reading.words.isEmpty, let standardCommand { reading.words = [standardCommand] }
        let (path, chain) = try resolve(reading.words, exactly: false)
        guard let command = chain.last else { throw .noCommand(path: name) }
        guard command.action != nil else { throw .noCommand(path: ([name] + path).joined(separator: " ")) }
        let invocation = Invocation(
            program: name,
            path: path,
            command: command,
            flags: reading.flags,
            words: Array(reading.words.dropFirst(path.count))
        )
        try check(invocation, flags: flags + chain.flatMap(\.flags))
        return .run(invocation)
    }

    /// The command at `path`, or `nil`.
    public func find(_ path: [String]) -> Command? {
        var commands = commands
        var found: Command?
        for word in path {
            guard let next = commands.first(where: { $0.name == word }) else { return nil }
            found = next
            commands = next.commands
        }
        return found
    }

    private var allFlags: [Flag] {
        func all(_ command: Command) -> [Flag] { command.flags + command.commands.flatMap(all) }
        return [.help, .version] + flags + commands.flatMap(all)
    }

    /// The commands that the words begin with, from the outside in.
    private func resolve(
        _ words: [String],
        exactly: Bool
    ) throws(UsageError) -> (path: [String], chain: [Command]) {
        var commands = commands
        var path: [String] = []
        var chain: [Command] = []
        for word in words {
            guard let next = commands.first(where: { $0.name == word }) else {
                // Behind a command that does something, words are its own.
                if !exactly, chain.last?.action != nil { break }
                throw .unknownCommand(
                    word,
                    path: ([name] + path).joined(separator: " "),
                    nearest: nearestName(to: word, among: commands.map(\.name))
                )
            }
            path.append(word)
            chain.append(next)
            commands = next.commands
        }
        return (path, chain)
    }

    private func helpPath(_ words: [String]) -> [String] {
        var path: [String] = []
        for word in words {
            guard find(path + [word]) != nil else { break }
            path.append(word)
        }
        return path
    }

    private func check(_ invocation: Invocation, flags: [Flag]) throws(UsageError) {
        let path = ([name] + invocation.path).joined(separator: " ")
        for given in invocation.flags.keys.sorted() {
            guard let flag = flags.first(where: { $0.name == given }) else {
                throw .flagOfOtherCommand("--" + given, path: path)
            }
            let values = invocation.values(given)
            guard flag.isRepeated || flag.value == nil || values.count == 1 else {
                throw .givenTwice(flag: "--" + given)
            }
            guard let wrong = values.first(where: { !flag.choices.isEmpty && !flag.choices.contains($0) }) else {
                continue
            }
            throw .notAChoice(
                flag: "--" + given,
                got: wrong,
                choices: flag.choices,
                nearest: nearestName(to: wrong, among: flag.choices)
            )
        }
        let words = invocation.command.words
        if let missing = words.dropFirst(invocation.words.count).first(where: { !$0.isOptional }) {
            throw .missingWord(missing.name, summary: missing.summary)
        }
        if invocation.words.count > words.count, words.last?.isRepeated != true {
            throw .needlessWord(invocation.words[words.count])
        }
        if let missing = flags.first(where: { $0.isRequired && !invocation.isSet($0.name) }) {
            throw .missingFlag(flag: "--" + missing.name, summary: missing.summary)
        }
    }
}

/// Sorts arguments into flags and words, by the shapes of all flags of the program.
private struct ArgumentReading {
    let shapes: [Flag]
    var flags: [String: [String]] = [:]
    var words: [String] = []

    init(shapes: [Flag]) { self.shapes = shapes }

    mutating func read(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                return
            }
            if argument.hasPrefix("--") {
                try readLong(argument, &rest)
            } else if argument.hasPrefix("-"), argument != "-" {
                try readLetters(argument, &rest)
            } else {
                words.append(argument)
            }
        }
    }

    private mutating func readLong(_ argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        guard let flag = shapes.first(where: { $0.name == name }) else {
            let names = shapes.map(\.name)
            throw .unknownFlag("--" + printable(name), nearest: nearestName(to: name, among: names).map { "--" + $0 })
        }
        if let value = flag.value {
            let given = try parts.count == 2 ? String(parts[1]) : next(&rest, "--" + name, value)
            flags[name, default: []].append(given)
        } else {
            if parts.count == 2 { throw .needlessValue(flag: "--" + name, value: String(parts[1])) }
            flags[name, default: []].append("")
        }
    }

    private mutating func readLetters(_ argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
            guard let flag = shapes.first(where: { $0.letter == letter }) else {
                throw .unknownFlag("-" + printable(String(letter)), nearest: nil)
            }
            guard let value = flag.value else {
                flags[flag.name, default: []].append("")
                continue
            }
            if letters.first == "=" { letters.removeFirst() }
            let given = try letters.isEmpty ? next(&rest, "-\(letter)", value) : String(letters)
            flags[flag.name, default: []].append(given)
            return
        }
    }

    /// The next argument as a flag's value. One that looks like a flag is none: the value was forgotten.
    private func next(
        _ rest: inout ArraySlice<String>,
        _ flag: String,
        _ value: String
    ) throws(UsageError) -> String {
        guard let given = rest.first, !given.hasPrefix("--") else { throw .missingValue(flag: flag, value: value) }
        rest.removeFirst()
        return given
    }
}
