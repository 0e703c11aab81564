import Synchronization
import Terminal

/// Keeps what is written to it.
final class TestOutput: TextOutput {
    let isTerminal: Bool
    let width: Int?
    private let written = Mutex("")

    init(isTerminal: Bool = false, width: Int? = nil) {
        self.isTerminal = isTerminal
        self.width = width
    }

    func write(_ text: String) { written.withLock { $0 += text } }

    var text: String { written.withLock { $0 } }
}

/// Gives the lines of a test, one after the other.
final class TestInput: TextInput {
    let isTerminal: Bool
    private let lines: Mutex<[String]>
    private let hidden = Mutex(0)

    init(_ lines: [String] = [], isTerminal: Bool = false) {
        self.isTerminal = isTerminal
        self.lines = Mutex(lines)
    }

    /// How many lines were read without echo.
    var hiddenReads: Int { hidden.withLock { $0 } }

    func readLine() throws(CommandFailure) -> String? { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } }

    func readHidden() throws(CommandFailure) -> String? {
        hidden.withLock { $0 += 1 }
        return try readLine()
    }

    func readAll() throws(CommandFailure) -> [UInt8] {
        lines.withLock { lines in Array(lines.map { $0 + "\n" }.joined().utf8) }
    }
}

/// A console with everything a test wants to look at.
struct TestConsole {
    let output: TestOutput
    let errors: TestOutput
    let input: TestInput
    let console: Console

    init(_ lines: [String] = [], isTerminal: Bool = false, environment: [String: String] = [:]) {
        output = TestOutput(isTerminal: isTerminal)
        errors = TestOutput(isTerminal: isTerminal)
        input = TestInput(lines, isTerminal: isTerminal)
        console = Console(output: output, errors: errors, input: input, environment: environment)
    }
}

/// A program with a bit of everything.
let keeper = Program(
    "keeper",
    "for the keeper of the keys",
    version: "1.2.3",
    flags: [Flag("store", "URL", "the store"), .quiet, .verbose, .noInput],
    variables: [Variable("KEEPER_STORE", "the store, as --store")],
    examples: ["keeper tenant list -o json"],
    commands: [
        Command(
            "tenant",
            "look after tenants",
            group: "Set up",
            commands: [
                Command(
                    "create",
                    "make a tenant",
                    words: [Word("NAME", "the tenant's name")],
                    flags: [
                        Flag("domain", "HOST[:PORT]", isRequired: true, "the domain it answers at"),
                        Flag("origin", "URL", isRepeated: true, "an origin that is related"),
                        Flag("passkey-only", "no passwords"),
                        .output(),
                    ],
                    examples: [
                        "keeper tenant create acme --domain login.acme.example",
                        "keeper tenant create dev --domain localhost:8080 -o json",
                    ],
                    exits: [.conflict]
                ) { invocation, console in
                    console.answer("made \(invocation.word("NAME") ?? "")")
                    console.note("noted")
                    console.detail("detailed")
                    return .done
                },
                Command("list", "list the tenants", flags: [.output(ofList: true)], examples: ["keeper tenant list"]) {
                    _,
                    _ in .done
                },
                Command(
                    "delete",
                    "remove tenants",
                    words: [Word("NAME", isRepeated: true, "their names")],
                    flags: [.yes],
                    examples: ["keeper tenant delete acme"]
                ) { _, _ in throw CommandFailure.notFound("tenant", "acm", among: ["acme", "other"]) },
            ]
        ),
        Command(
            "decode",
            "explain what is pasted",
            group: "Why",
            words: [Word("FILE", isOptional: true, "the file; standard input without it")],
            flags: [Flag("kind", choices: ["jwt", "cbor", "attestation"], "what it is")],
            examples: ["keeper decode token.txt"],
            exits: [.answerIsNo]
        ) { _, _ in .answerIsNo },
    ]
)

func parsed(_ arguments: String..., program: Program = keeper) throws(UsageError) -> Invocation? {
    if case .run(let invocation) = try program.parse(arguments) { invocation } else { nil }
}

func complaint(_ arguments: [String], program: Program = keeper) -> String? {
    do throws(UsageError) {
        _ = try program.parse(arguments)
        return nil
    } catch {
        return error.description
    }
}
