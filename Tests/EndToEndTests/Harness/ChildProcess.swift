import Foundation
import Glibc

/// A program that runs beside the tests, with its output in files. Nothing here blocks a thread of Swift's pool.
final class ChildProcess: Sendable {
    private let process: Process
    private let outputFile: String
    private let errorFile: String
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - program: its path.
    ///   - words: its arguments.
    ///   - environment: all of it.
    ///   - folder: its working directory; one of its own when absent.
    ///   - input: what it reads from standard input.
    /// - Throws: what Foundation says when the program does not start.
    init(
        _ program: String,
        _ words: [String],
        environment: [String: String],
        folder: String? = nil,
        input: String = ""
    ) throws {
        let ours = try TemporaryFolder()
        self.folder = ours
        outputFile = ours.file("out")
        errorFile = ours.file("err")
        let inputFile = try ours.write(input, to: "in")
        try ours.write("", to: "out")
        try ours.write("", to: "err")
        let workingFolder = ours.file("work")
        try FileManager.default.createDirectory(atPath: workingFolder, withIntermediateDirectories: false)
        process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = words
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: folder ?? workingFolder)
        process.standardInput = FileHandle(forReadingAtPath: inputFile)
        process.standardOutput = FileHandle(forWritingAtPath: outputFile)
        process.standardError = FileHandle(forWritingAtPath: errorFile)
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var processID: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    var output: String { contents(outputFile) }
    var errors: String { contents(errorFile) }
    /// What it left in its working folder, when that was its own.
    var filesLeft: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.file("work"))) ?? [] }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// - Returns: how it ended; `nil` when it did not in that time and was killed. A signal gives 128 and its number.
    @discardableResult
    func wait(seconds: Double = 20) async throws -> Int32? {
        guard try await eventually(seconds: seconds, { !self.process.isRunning }) else {
            send(SIGKILL)
            return nil
        }
        let isSignal = process.terminationReason == .uncaughtSignal
        return isSignal ? 128 + process.terminationStatus : process.terminationStatus
    }
}

/// Asks again and again, a few milliseconds apart, whether something has come true.
func eventually(seconds: Double, _ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return try await condition()
}

/// What a command said, and how it ended.
struct CommandResult: CustomStringConvertible {
    let exit: Int32?
    let output: String
    let errors: String
    let filesLeft: [String]

    var description: String { "exit \(exit.map(String.init) ?? "none, killed")\n\(output)\(errors)" }
    var errorLines: [Substring] { errors.split(separator: "\n") }
    /// What it printed, without the line's end.
    var line: String { output.trimmingCharacters(in: .whitespacesAndNewlines) }
}

/// Runs a program to its end.
func run(
    _ program: String,
    _ words: [String],
    environment: [String: String] = [:],
    folder: String? = nil,
    input: String = "",
    seconds: Double = 300
) async throws -> CommandResult {
    var all = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"]
    all.merge(environment) { $1 }
    let child = try ChildProcess(program, words, environment: all, folder: folder, input: input)
    let exit = try await child.wait(seconds: seconds)
    return CommandResult(exit: exit, output: child.output, errors: child.errors, filesLeft: child.filesLeft)
}
