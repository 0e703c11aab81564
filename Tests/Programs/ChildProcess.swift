import CSpawn
import Foundation
import Glibc
import Synchronization

/// A program that runs beside the tests, with its output in files. Nothing here blocks a thread of Swift's pool.
///
/// It is started by `posix_spawn`, inherits its three files and no other, and its end is asked from the kernel.
/// Foundation's `Process` learns of an end from a socket that programs started at the same moment inherit, and so only
/// when the last of them has ended, too.
public final class ChildProcess: Sendable {
    /// Its number; that of nobody once `isRunning` has said `false`.
    public let processID: Int32

    /// What `waitpid` said of its end.
    private let status = Mutex<CInt?>(nil)
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - program: its path.
    ///   - words: its arguments.
    ///   - environment: all of it.
    ///   - workingFolder: its working directory; one of its own when absent.
    ///   - input: what it reads from standard input.
    /// - Throws: ``NotStarted``; what Foundation says when its files cannot be written.
    public init(
        _ program: String,
        _ words: [String],
        environment: [String: String],
        folder workingFolder: String? = nil,
        input: String = ""
    ) throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("work"), withIntermediateDirectories: false)
        try folder.write(input, to: "in")
        processID = try Self.start(
            [program] + words,
            environment.map { "\($0)=\($1)" },
            in: workingFolder ?? folder.file("work"),
            with: folder
        )
    }

    deinit { send(SIGKILL) }

    /// Why a program was not started: the system's `errno`.
    public struct NotStarted: Error {
        public let program: String
        public let errno: CInt
    }

    public var isRunning: Bool { ended() == nil }
    public var output: String { contents(folder.file("out")) }
    public var errors: String { contents(folder.file("err")) }
    /// What it left in its working folder, when that was its own.
    public var filesLeft: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.file("work"))) ?? [] }

    /// Sends a signal; nothing happens when it has ended.
    public func send(_ signal: CInt) {
        status.withLock { if $0 == nil { _ = kill(processID, signal) } }
    }

    /// - Returns: how it ended; `nil` when it did not in that time and was killed. A signal gives 128 and its number.
    @discardableResult
    public func wait(seconds: Double = 60) async throws -> Int32? {
        guard try await eventually(seconds: seconds, { !self.isRunning }), let status = ended() else {
            send(SIGKILL)
            return nil
        }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }

    private static func start(
        _ words: [String],
        _ environment: [String],
        in workingFolder: String,
        with files: TemporaryFolder
    ) throws(NotStarted) -> pid_t {
        let texts = [workingFolder, files.file("in"), files.file("out"), files.file("err")]
        let places = unsafe texts.map { unsafe strdup($0) }
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (places + arguments + variables).forEach { unsafe free($0) } }
        var process = pid_t()
        let code = unsafe spawn_program(
            &arguments,
            &variables,
            spawn_places(folder: places[0], input: places[1], output: places[2], errors: places[3]),
            &process
        )
        guard code == 0 else { throw NotStarted(program: words[0], errno: code) }
        return process
    }

    private func ended() -> CInt? {
        status.withLock { known in
            var said: CInt = 0
            if known == nil, unsafe waitpid(processID, &said, WNOHANG) == processID { known = said }
            return known
        }
    }
}
