/// A command line that fits the table: which command, with which words and flags.
public struct Invocation: Sendable {
    public let program: String
    /// `["tenant", "create"]`.
    public let path: [String]
    public let command: Command
    /// By the flag's name, in the order given. A flag without a value has one empty text for each time it was given.
    public let flags: [String: [String]]
    public let words: [String]

    /// Whether the flag was given.
    public func isSet(_ flag: String) -> Bool { flags[flag] != nil }

    /// The value of a flag that may be given once.
    public func value(_ flag: String) -> String? { flags[flag]?.last }

    /// The values of a flag that may be given several times.
    public func values(_ flag: String) -> [String] { flags[flag] ?? [] }

    /// The words that the table calls `name`: one, none when it is optional, all that are left when it repeats.
    public func words(_ name: String) -> [String] {
        guard let index = command.words.firstIndex(where: { $0.name == name }), index < words.count else { return [] }
        return command.words[index].isRepeated ? Array(words[index...]) : [words[index]]
    }

    /// The word that the table calls `name`. The parser has made sure of those that are not optional.
    public func word(_ name: String) -> String? { words(name).first }

    /// What `-o` says, `table` unless given.
    public var format: OutputFormat { value("output").flatMap(OutputFormat.init) ?? .table }

    /// What `--fields` names, in its order; `nil` unless given.
    public var fields: [String]? {
        value("fields").map { $0.split(separator: ",").map(String.init) }
    }

    /// Whether `--no-input` or `--yes` was given.
    public var answers: Answers { Answers(yes: isSet("yes"), noInput: isSet("no-input")) }
}

/// What is to be done about questions.
public struct Answers: Hashable, Sendable {
    /// Every question is answered with yes.
    public var yes: Bool
    /// No question may be asked.
    public var noInput: Bool

    public init(yes: Bool = false, noInput: Bool = false) {
        self.yes = yes
        self.noInput = noInput
    }
}
