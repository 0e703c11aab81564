import Cryptography
import Encodings
import Glibc
import Identity
import Synchronization
import Terminal
import Testing
import Transfer

@testable import AdminCLI

/// Runs commands of `latchkey-admin` in this process, on a store in a folder of its own.
final class AdminRun: Sendable {
    let folder: String
    private let clock: Live
    private let program: Program
    private let variables: [String: String]

    /// - Parameters:
    ///   - input: what comes on standard input, piece by piece.
    ///   - variables: what stands in the environment beside store and key file.
    ///   - documents: what is to be downloaded, by its address.
    ///   - ask: what public names answer; they do not unless given.
    ///   - greetMailServer: what a mail server says to a greeting; it is not there unless given.
    /// - Throws: when the folder cannot be made.
    init(
        input: [[UInt8]] = [],
        variables: [String: String] = [:],
        documents: [String: [UInt8]] = [:],
        ask: @escaping @Sendable (WebRequest, WebClient) throws(TransferError) -> WebResponse = {
            (_, _) throws(TransferError) in throw .unavailable(reason: "not there")
        },
        greetMailServer: @escaping @Sendable (MailRelay) throws(MailRelayError) -> Void = {
            (_) throws(MailRelayError) in throw .unavailable(reason: "not there")
        }
    ) throws {
        self.variables = variables
        folder = "/tmp/latchkey-admin-\(Hex.encode(Random.bytes(8)))"
        let made = unsafe mkdir(folder, 0o700)
        try #require(made == 0)
        let clock = Live()
        self.clock = clock
        let waiting = Mutex(input)
        var tools = AdminTools.live
        tools.now = { clock.now.withLock { $0 } }
        // RSA keys take half a second each.
        tools.firstKeys = [.es256]
        tools.becomeOwner = { _ in }
        tools.download = { (address) throws(CommandFailure) in
            guard let document = documents[address] else { throw CommandFailure(.unavailable, "not there.") }
            return document
        }
        tools.ask = ask
        tools.greetMailServer = greetMailServer
        tools.pause = { seconds in clock.now.withLock { $0 = $0.adding(seconds: Int64(seconds)) } }
        tools.readInput = { waiting.withLock { $0.isEmpty ? [] : $0.removeFirst() } }
        program = AdminProgram.make(tools)
    }

    deinit {
        for name in ["s.db", "s.db-wal", "s.db-shm", "s.db-lock", "mk", "config.yaml", "authenticator.json"]
            + Array(0..<10).map({ "file\($0)" })
        {
            unsafe unlink("\(folder)/\(name)")
            unsafe unlink("\(folder)/crls/\(name)")
        }
        unsafe rmdir("\(folder)/crls")
        unsafe rmdir(folder)
    }

    /// The time that commands are told.
    var now: UnixTime { clock.now.withLock { $0 } }

    func pass(seconds: Int64) { clock.now.withLock { $0 = $0.adding(seconds: seconds) } }

    private final class Live: Sendable {
        let now = Mutex(UnixTime(seconds: 1_800_000_000))
    }

    var store: String { "sqlite:\(folder)/s.db" }

    /// How a command ended, and what it wrote.
    struct Outcome {
        let exit: ExitCode
        let output: String
        let errors: String

        /// The answer as JSON.
        func json() throws -> JSONValue { try JSON.parse(output) }
    }

    /// Runs one command line. The store and the key file come from the environment.
    func callAsFunction(_ arguments: String..., input: String = "") async -> Outcome {
        await run(arguments, input: input)
    }

    func run(_ arguments: [String], input: String = "") async -> Outcome {
        let (output, errors) = (Recorder(), Recorder())
        let console = Console(
            output: output,
            errors: errors,
            input: FixedInput(text: input),
            environment: ["LATCHKEY_STORE": store, "LATCHKEY_MASTER_KEY_FILE": "\(folder)/mk"]
                .merging(variables) { $1 }
        )
        let exit = await program.run(arguments, on: console)
        return Outcome(exit: exit, output: output.text, errors: errors.text)
    }

    /// Makes the key file and the tenant `acme`.
    func makeTenant() async throws {
        try #require(await self("master-key", "create").exit == .done)
        let outcome = await self(
            "tenant",
            "create",
            "acme",
            "--domain",
            "login.acme.example",
            "--rp-id",
            "acme.example"
        )
        try #require(outcome.exit == .done, "\(outcome.errors)")
    }
}

/// An output that is no terminal and keeps what it gets.
final class Recorder: TextOutput {
    private let written = Mutex("")
    let isTerminal = false
    let width: Int? = nil

    var text: String { written.withLock { $0 } }

    func write(_ text: String) { written.withLock { $0 += text } }
}

/// An input that is no terminal.
struct FixedInput: TextInput {
    let text: String
    let isTerminal = false

    func readLine() throws(CommandFailure) -> String? { nil }
    func readHidden() throws(CommandFailure) -> String? { nil }
    func readAll() throws(CommandFailure) -> [UInt8] { Array(text.utf8) }
}
