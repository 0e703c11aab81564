import Glibc

/// This very test program again, running one test in a process of its own that can be killed.
///
///     let child = try ChildProcess("writer", test: "writesUntilKilled", path: path)
///
///     @Test("Writes", .enabled(if: ChildProcess.path(for: "writer") != nil, "a child's part"))
///     func writesUntilKilled() async throws { … }
public struct ChildProcess: Sendable {
    private let id: pid_t

    /// What the child reads its orders from; in the first process it is not set.
    private static let orders = "LATCHKEY_STORE_TEST_CHILD"

    /// The path that the parent gave, in a child that was started for `role`.
    public static func path(for role: String) -> String? {
        guard let text = unsafe getenv(orders) else { return nil }
        let words = unsafe String(cString: text).split(separator: ":", maxSplits: 1)
        return words.count == 2 && words[0] == role ? String(words[1]) : nil
    }

    /// Starts the test whose function is named `test`, as `role`, with the store in `path`.
    public init(_ role: String, test: String, path: String) throws {
        let arguments = ["/proc/self/exe", "--testing-library", "swift-testing", "--filter", test]
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var environment = unsafe Self.environment(adding: "\(Self.orders)=\(role):\(path)")
        defer { unsafe (words + environment).forEach { unsafe free($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var id = pid_t()
        let code = unsafe posix_spawn(&id, "/proc/self/exe", &actions, nil, &words, &environment)
        guard code == 0 else { throw NotStarted(errno: code) }
        self.id = id
    }

    /// Why a process was not started: the system's `errno`.
    public struct NotStarted: Error {
        public let errno: Int32
    }

    public func kill() { _ = Glibc.kill(id, SIGKILL) }

    /// Waits until the child has ended, without holding a thread.
    ///
    /// - Returns: its exit status; `nil` when a signal ended it.
    public func wait() async throws -> Int32? {
        var status: Int32 = 0
        while unsafe waitpid(id, &status, WNOHANG) == 0 { try await Task.sleep(for: .milliseconds(20)) }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }

    private static func environment(adding line: String) -> [UnsafeMutablePointer<CChar>?] {
        var lines = unsafe [strdup(line)]
        var next = unsafe environ
        while let text = unsafe next.pointee {
            unsafe lines.append(strdup(text))
            unsafe next += 1
        }
        return unsafe lines + [nil]
    }
}

/// A file of lines that outlive the process that wrote them.
public struct Lines: Sendable {
    public let path: String

    public init(path: String) {
        self.path = path
    }

    public func append(_ line: String) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let bytes = Array((line + "\n").utf8)
        _ = unsafe write(file, bytes, bytes.count)
        close(file)
    }

    /// The lines that are whole.
    public var all: [String] {
        guard let file = unsafe fopen(path, "r") else { return [] }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = unsafe fgetc(file), byte >= 0 { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }
}
