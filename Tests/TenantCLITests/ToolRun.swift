import Encodings
import Synchronization
import Terminal
import Transfer

@testable import TenantCLI

/// One run of the tool in this process, with what it wrote.
struct ToolRun {
    let exit: ExitCode
    let output: String
    let errors: String

    /// - Parameters:
    ///   - words: the command line.
    ///   - environment: all of it; a home that is not there unless given.
    ///   - input: what standard input has.
    ///   - isTerminal: whether the streams are one.
    ///   - send: the network; one that is down unless given.
    init(
        _ words: [String],
        environment: [String: String] = ["HOME": "/nowhere"],
        input: String = "",
        isTerminal: Bool = false,
        send: @escaping @Sendable (WebRequest, String?) throws(TransferError) -> WebResponse = {
            (_, _) throws(TransferError) in throw .unavailable(reason: "there is no network")
        }
    ) async {
        let (output, errors) = (Recorder(isTerminal: isTerminal), Recorder(isTerminal: isTerminal))
        let tools = TenantTools(send: send, now: { 1_800_000_000_000 }, pause: { _ in })
        let console = Console(
            output: output,
            errors: errors,
            input: Typed(input, isTerminal: isTerminal),
            environment: environment
        )
        exit = await TenantProgram.make(tools).run(words, on: console)
        self.output = output.text
        self.errors = errors.text
    }

    /// The path of every command that does something.
    static func allCommands(_ program: Program) -> [[String]] {
        func all(_ path: [String], _ command: Command) -> [[String]] {
            let path = path + [command.name]
            return (command.action == nil ? [] : [path]) + command.commands.flatMap { all(path, $0) }
        }
        return program.commands.flatMap { all([], $0) }
    }
}

final class Recorder: TextOutput {
    let isTerminal: Bool
    private let written = Mutex("")

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    var width: Int? { isTerminal ? 100 : nil }
    var text: String { written.withLock { $0 } }
    func write(_ text: String) { written.withLock { $0 += text } }
}

/// What somebody types, line by line, or what a pipe holds.
final class Typed: TextInput {
    let isTerminal: Bool
    private let lines: Mutex<[String]>

    init(_ text: String, isTerminal: Bool) {
        self.isTerminal = isTerminal
        lines = Mutex(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }

    func readLine() throws(CommandFailure) -> String? {
        lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func readHidden() throws(CommandFailure) -> String? { try readLine() }

    func readAll() throws(CommandFailure) -> [UInt8] {
        lines.withLock { Array($0.joined(separator: "\n").utf8) }
    }
}
