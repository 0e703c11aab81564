import Foundation
import Programs

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
