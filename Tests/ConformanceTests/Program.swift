import Foundation
import Glibc

/// A program beside the tests, with its output in a folder of its own. Nothing here blocks a thread of Swift's pool.
final class Program: Sendable {
    private let process: Process
    let folder: String

    /// - Parameters:
    ///   - path: the program.
    ///   - words: its arguments.
    ///   - environment: added to a plain one.
    ///   - workingFolder: where it runs; a folder of its own when absent.
    /// - Throws: what Foundation says when the program does not start.
    init(_ path: String, _ words: [String], environment: [String: String] = [:], in workingFolder: String? = nil) throws
    {
        folder = NSTemporaryDirectory() + "/latchkey-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder + "/work",
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = words
        process.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
            "HOME": folder, "LATCHKEY_SERVER": Repository.server, "LATCHKEY_ADMIN": Repository.admin,
        ].merging(environment) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: workingFolder ?? folder + "/work")
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try Self.file(folder + "/out")
        process.standardError = try Self.file(folder + "/err")
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func file(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(fileURLWithPath: path))
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    var isRunning: Bool { process.isRunning }
    var output: String { contents("out") }
    var errors: String { contents("err") }

    private func contents(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: folder + "/" + name) ?? Data(), as: UTF8.self)
    }

    /// Ends it as an operator does.
    func end() { kill(process.processIdentifier, SIGTERM) }

    /// - Returns: how it ended; `nil` when it did not in that time and was killed.
    func wait(seconds: Double) async throws -> Int32? {
        guard try await eventually(seconds: seconds, { !self.process.isRunning }) else {
            kill(process.processIdentifier, SIGKILL)
            return nil
        }
        return process.terminationReason == .uncaughtSignal ? -1 : process.terminationStatus
    }
}

/// Asks again and again, some milliseconds apart, whether something has come true.
func eventually(seconds: Double, _ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return try await condition()
}
