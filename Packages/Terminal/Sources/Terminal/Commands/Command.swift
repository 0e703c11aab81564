/// One command, or a word that commands have in front, such as `tenant` in `tenant create`.
public struct Command: Sendable {
    /// What a command does. Its answer goes to the console's output, and what it throws is told on its error output.
    public typealias Action = @Sendable (Invocation, Console) async throws -> ExitCode

    public var name: String
    /// One sentence, beginning small: `make a tenant with its connection and its Management client`.
    public var summary: String
    /// The heading under which the program's help shows it.
    public var group: String
    /// Flags of this command and of all below it.
    public var flags: [Flag]
    public var words: [Word]
    /// Whole command lines, two where there is anything to show.
    public var examples: [String]
    public var variables: [Variable]
    /// The exit codes that it has beside those every command has.
    public var exits: [ExitCode]
    public var commands: [Command]
    public var action: Action?

    /// A command that does something.
    public init(
        _ name: String,
        _ summary: String,
        group: String = "Commands",
        words: [Word] = [],
        flags: [Flag] = [],
        examples: [String] = [],
        variables: [Variable] = [],
        exits: [ExitCode] = [],
        action: @escaping Action
    ) {
        self.name = name
        self.summary = summary
        self.group = group
        self.flags = flags
        self.words = words
        self.examples = examples
        self.variables = variables
        self.exits = exits
        self.commands = []
        self.action = action
    }

    /// A word with commands behind it.
    public init(
        _ name: String,
        _ summary: String,
        group: String = "Commands",
        flags: [Flag] = [],
        examples: [String] = [],
        variables: [Variable] = [],
        commands: [Command]
    ) {
        self.name = name
        self.summary = summary
        self.group = group
        self.flags = flags
        self.words = []
        self.examples = examples
        self.variables = variables
        self.exits = []
        self.commands = commands
        self.action = nil
    }
}

/// One of the programs: its commands, and what all of them have in common.
public struct Program: Sendable {
    public var name: String
    /// One sentence, beginning small: `the passkey and token server`.
    public var summary: String
    public var version: String
    /// Flags of every command.
    public var flags: [Flag]
    public var variables: [Variable]
    public var examples: [String]
    public var commands: [Command]
    /// The command that is meant when none is named.
    public var standardCommand: String?

    public init(
        _ name: String,
        _ summary: String,
        version: String,
        flags: [Flag] = [],
        variables: [Variable] = [],
        examples: [String] = [],
        standardCommand: String? = nil,
        commands: [Command]
    ) {
        self.name = name
        self.summary = summary
        self.version = version
        self.flags = flags
        self.variables = variables
        self.examples = examples
        self.standardCommand = standardCommand
        self.commands = commands
    }

    /// What is wrong with the table itself, for a test of the app: nothing when it is right.
    ///
    /// A flag's name has one shape in the whole program, since flags may stand before the command that they belong to.
    public func faults() -> [String] {
        var faults: [String] = []
        var shapes: [String: Flag] = [:]
        func look(_ flags: [Flag], _ path: String) {
            for flag in flags {
                let known = shapes.updateValue(flag, forKey: flag.name)
                if let known, (known.value == nil) != (flag.value == nil) || known.letter != flag.letter {
                    faults.append("\(path): --\(flag.name) has another shape elsewhere")
                }
                if let letter = flag.letter, !"oqhv".contains(letter) { faults.append("\(path): -\(letter)") }
            }
        }
        func look(_ command: Command, _ path: String) {
            let path = path + " " + command.name
            look(command.flags, path)
            if command.summary.isEmpty || command.summary.hasSuffix(".") { faults.append("\(path): summary") }
            if command.action != nil, command.examples.isEmpty { faults.append("\(path): no example") }
            if command.words.dropLast().contains(where: \.isRepeated) { faults.append("\(path): repeated word") }
            if command.action == nil, command.commands.isEmpty { faults.append("\(path): does nothing") }
            for example in command.examples where !example.contains(name) { faults.append("\(path): \(example)") }
            for inner in command.commands { look(inner, path) }
        }
        look(flags, name)
        for command in commands { look(command, name) }
        if let standardCommand, !commands.contains(where: { $0.name == standardCommand }) {
            faults.append("\(name): standard command")
        }
        return faults
    }
}
