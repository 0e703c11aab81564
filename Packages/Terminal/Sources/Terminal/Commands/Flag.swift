/// One flag of a command.
public struct Flag: Hashable, Sendable {
    /// Without its dashes: `master-key-file`.
    public var name: String
    /// Only `-o`, `-q`, `-h` and `-v` exist.
    public var letter: Character?
    /// What the value is, in capitals: `FILE`. `nil` for a flag without a value.
    public var value: String?
    /// The only values that are right; empty when any is.
    public var choices: [String]
    public var isRepeated: Bool
    public var isRequired: Bool
    /// One line, beginning small or with a name, without a stop.
    public var summary: String
    /// The heading under which the help shows it.
    public var group: String

    /// A flag with a value, `Flag("store", "URL", "the store")`.
    public init(
        _ name: String,
        _ value: String,
        letter: Character? = nil,
        choices: [String] = [],
        isRepeated: Bool = false,
        isRequired: Bool = false,
        group: String = "Flags",
        _ summary: String
    ) {
        self.name = name
        self.letter = letter
        self.value = value
        self.choices = choices
        self.isRepeated = isRepeated
        self.isRequired = isRequired
        self.summary = summary
        self.group = group
    }

    /// A flag without a value, or with one of a few.
    public init(
        _ name: String,
        letter: Character? = nil,
        choices: [String] = [],
        isRepeated: Bool = false,
        isRequired: Bool = false,
        group: String = "Flags",
        _ summary: String
    ) {
        self.name = name
        self.letter = letter
        self.value = choices.isEmpty ? nil : choices.joined(separator: "|")
        self.choices = choices
        self.isRepeated = isRepeated
        self.isRequired = isRequired
        self.summary = summary
        self.group = group
    }

    /// `-o`, `--output FORMAT`: how the answer looks. Lists can be `csv` too.
    public static func output(ofList isList: Bool = false) -> Flag {
        Flag(
            "output",
            "FORMAT",
            letter: "o",
            choices: OutputFormat.allCases.filter { isList || $0 != .csv }.map(\.rawValue),
            group: "Output",
            isList ? "table, json or csv; table unless said" : "table or json; table unless said"
        )
    }

    /// `--fields a,b`: which members or columns the answer has, in this order.
    public static let fields = Flag("fields", "NAMES", group: "Output", "only these members, as name,client_id")
    public static let quiet = Flag("quiet", letter: "q", group: "Output", "say nothing but the answer and errors")
    public static let verbose = Flag("verbose", letter: "v", group: "Output", "say more, such as request ids")
    public static let yes = Flag("yes", group: "Questions", "do it without asking")
    public static let noInput = Flag("no-input", group: "Questions", "never ask: fail where a question would be")
    public static let help = Flag("help", letter: "h", group: "Help", "show this")
    public static let version = Flag("version", group: "Help", "show the version")

    /// `--store URL`, `-o, --output table|json`.
    var spelling: String {
        (letter.map { "-\($0), " } ?? "") + "--\(name)" + (value.map { " \($0)" } ?? "")
    }
}

/// One word of a command that is no flag, such as a name or a file.
public struct Word: Hashable, Sendable {
    /// In capitals: `NAME`.
    public var name: String
    public var isOptional: Bool
    /// Takes all words that are left; only the last word may.
    public var isRepeated: Bool
    public var summary: String

    public init(_ name: String, isOptional: Bool = false, isRepeated: Bool = false, _ summary: String) {
        self.name = name
        self.isOptional = isOptional
        self.isRepeated = isRepeated
        self.summary = summary
    }

    /// `NAME`, `[NAME]`, `NAME …`.
    var spelling: String {
        let name = isRepeated ? self.name + " …" : self.name
        return isOptional ? "[\(name)]" : name
    }
}

/// An environment variable that a command reads.
public struct Variable: Hashable, Sendable {
    public var name: String
    public var summary: String

    public init(_ name: String, _ summary: String) {
        self.name = name
        self.summary = summary
    }
}
