/// Where a command writes and asks. Standard output carries the answer, standard error everything else.
public struct Console: Sendable {
    public var output: any TextOutput
    public var errors: any TextOutput
    public var input: any TextInput
    public var environment: [String: String]
    /// Set by `-q`: notes are left out.
    public var isQuiet = false
    /// Set by `-v`: details are told.
    public var isVerbose = false

    public init(
        output: any TextOutput,
        errors: any TextOutput,
        input: any TextInput,
        environment: [String: String]
    ) {
        self.output = output
        self.errors = errors
        self.input = input
        self.environment = environment
    }

    /// The process's own streams.
    public static func standard(environment: [String: String]) -> Console {
        Console(
            output: StandardOutput(descriptor: 1),
            errors: StandardOutput(descriptor: 2),
            input: StandardInput(),
            environment: environment
        )
    }

    /// Part of the answer. A line break is added.
    public func answer(_ text: String) { output.write(text + "\n") }

    /// A list as the answer, in the format that `-o` names.
    public func answer(_ listing: Listing, as format: OutputFormat) {
        output.write(listing.rendered(as: format, localTime: output.isTerminal, width: columns))
    }

    /// How wide a table may be: a terminal's width, at least 60; anything elsewhere.
    private var columns: Int? { output.isTerminal ? output.width.map { max(60, $0) } : nil }

    /// One thing as the answer, in the format that `-o` names.
    public func answer(_ details: Details, as format: OutputFormat) {
        output.write(details.rendered(as: format, localTime: output.isTerminal, width: columns))
    }

    /// A line beside the answer, which `-q` leaves out.
    public func note(_ text: String) {
        if !isQuiet { errors.write(text + "\n") }
    }

    /// A line that only `-v` shows.
    public func detail(_ text: String) {
        if isVerbose { errors.write(text + "\n") }
    }

    /// A warning, which `-q` does not leave out.
    public func warn(_ program: String, _ text: String) {
        errors.write("\(program): \(styled("warning", .yellow, on: errors)): \(text)\n")
    }

    /// An error, with the program's name in front of each line.
    public func fail(_ program: String, _ text: String) {
        for line in text.split(separator: "\n") { errors.write("\(styled(program, .bold, on: errors)): \(line)\n") }
    }

    /// A line that the next one replaces, on a terminal only. An empty text removes it.
    public func progress(_ text: String) {
        if errors.isTerminal, !isQuiet { errors.write("\r\u{1b}[K" + text) }
    }
}

/// How text may look on a terminal.
public enum TextStyle: String, Sendable {
    case bold = "1"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case dim = "2"
}

extension Console {
    /// `text` in `style`, where `stream` is a terminal that shows colour and nobody said `NO_COLOR`.
    public func styled(_ text: String, _ style: TextStyle, on stream: any TextOutput) -> String {
        guard stream.isTerminal, environment["NO_COLOR", default: ""].isEmpty, environment["TERM"] != "dumb" else {
            return text
        }
        return "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m"
    }
}

/// Something that text is written to.
public protocol TextOutput: Sendable {
    var isTerminal: Bool { get }
    /// Columns of the terminal; `nil` when it is none or does not say.
    var width: Int? { get }
    func write(_ text: String)
}

/// Something that answers are read from.
public protocol TextInput: Sendable {
    var isTerminal: Bool { get }
    /// One line without its break; `nil` at the end.
    ///
    /// - Throws: `interrupted`.
    func readLine() throws(CommandFailure) -> String?
    /// One line from a terminal that does not show it.
    ///
    /// - Throws: `interrupted`.
    func readHidden() throws(CommandFailure) -> String?
    /// Everything, at most 1 MiB.
    ///
    /// - Throws: `wrongUse` when there is more.
    func readAll() throws(CommandFailure) -> [UInt8]
}
