/// A command line that does not fit the table.
public enum UsageError: Error, Hashable, Sendable {
    case noCommand(path: String)
    case unknownCommand(String, path: String, nearest: String?)
    case unknownFlag(String, nearest: String?)
    /// The flag exists, but not for this command.
    case flagOfOtherCommand(String, path: String)
    case missingValue(flag: String, value: String)
    case needlessValue(flag: String, value: String)
    case givenTwice(flag: String)
    case notAChoice(flag: String, got: String, choices: [String], nearest: String?)
    case missingFlag(flag: String, summary: String)
    case missingWord(String, summary: String)
    case needlessWord(String)
}

extension UsageError: CustomStringConvertible {
    /// What is wrong and what to do, without the program's name in front.
    public var description: String {
        switch self {
        case .noCommand(let path): "name a command. `\(path) --help` lists them."
        case .unknownCommand(let name, let path, let nearest):
            "there is no command \(quoted(name)). "
                + (nearest.map { "Did you mean \(quoted($0))?" } ?? "`\(path) --help` lists them.")
        case .unknownFlag(let flag, let nearest):
            "there is no flag \(flag)." + (nearest.map { " Did you mean \($0)?" } ?? "")
        case .flagOfOtherCommand(let flag, let path): "\(flag) is not a flag of `\(path)`. `\(path) --help` lists them."
        case .missingValue(let flag, let value):
            "\(flag) needs a value: \(flag)=\(value)"
        case .needlessValue(let flag, let value): "\(flag) takes no value, and \(quoted(value)) is given."
        case .givenTwice(let flag): "\(flag) is given twice. Keep one."
        case .notAChoice(let flag, let got, let choices, let nearest):
            "\(flag) is \(quoted(got)), which it cannot be. "
                + (nearest.map { "Did you mean \($0)?" } ?? "Use \(choices.joined(separator: ", ")).")
        case .missingFlag(let flag, let summary): "\(flag) is missing: \(summary)."
        case .missingWord(let word, let summary): "\(word) is missing: \(summary)."
        case .needlessWord(let word): "\(quoted(word)) is one word too many."
        }
    }
}

/// What a command throws to end with a message and an exit code.
public struct CommandFailure: Error, Hashable, Sendable {
    public var exit: ExitCode
    /// The thing, the reason and the remedy, without the program's name in front. May have several lines.
    public var message: String

    public init(_ exit: ExitCode, _ message: String) {
        self.exit = exit
        self.message = message
    }

    /// `client "My ap" not found. Did you mean "My app"?`
    public static func notFound(_ kind: String, _ name: String, among names: some Sequence<String> = [])
        -> CommandFailure
    {
        let nearest = nearestName(to: name, among: names).map { " Did you mean \(quoted($0))?" } ?? ""
        return CommandFailure(.notFound, "\(kind) \(quoted(name)) not found.\(nearest)")
    }
}

/// `text` in quotes on one line; what would disturb a terminal is `?`.
public func quoted(_ text: String) -> String { "\"" + printable(text) + "\"" }

/// `text` on one line, without what would disturb a terminal or hide something: such characters are `?`.
public func printable(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: line.append("?")
        default: line.append(scalar)
        }
    }
    return String(line)
}
