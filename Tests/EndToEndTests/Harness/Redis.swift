import Foundation
import Glibc
import Programs
import Testing

/// A `redis-server` without persistence, on a unix socket of its own. It ends with whoever holds it.
final class Redis: Sendable {
    let folder: TemporaryFolder
    private let process: ChildProcess

    static let program = "/usr/bin/redis-server"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)
    static let missing = "needs redis-server: .ci/setup test"

    private init(_ folder: TemporaryFolder, _ settings: [String]) throws {
        self.folder = folder
        process = try ChildProcess(
            Self.program,
            ["--port", "0", "--unixsocket", folder.file("redis.sock"), "--dir", folder.path] + settings,
            environment: ["PATH": "/usr/bin:/bin"]
        )
    }

    /// The setting `challenges` that names it.
    var url: String { "redis+unix://" + folder.file("redis.sock") }

    /// Starts one with these settings, as `--save ""`, and waits until it listens.
    static func start(_ settings: [String] = ["--save", ""]) async throws -> Redis {
        try await start(in: TemporaryFolder(), settings)
    }

    /// A new one on the same socket, empty, after this one has ended.
    func restarted() async throws -> Redis { try await Redis.start(in: folder) }

    private static func start(in folder: TemporaryFolder, _ settings: [String] = ["--save", ""]) async throws -> Redis {
        try? FileManager.default.removeItem(atPath: folder.file("redis.sock"))
        let redis = try Redis(folder, settings)
        let isListening = try await eventually(seconds: 90) {
            // It says so in one way of a port, and in another of a socket.
            redis.process.output.lowercased().contains("ready to accept connections") || !redis.process.isRunning
        }
        try #require(isListening && redis.process.isRunning, "\(redis.process.output)")
        return redis
    }

    /// Asks it with a command, and gives the answer as `redis-cli` prints it.
    func command(_ words: String...) async throws -> CommandResult {
        try await run("/usr/bin/redis-cli", ["-s", folder.file("redis.sock")] + words)
    }

    /// Takes its time away, as a machine that hangs.
    func stop() { process.send(SIGSTOP) }
    func go() { process.send(SIGCONT) }

    func kill() async throws {
        process.send(SIGKILL)
        try await process.wait()
    }
}
