import Glibc
import Terminal

/// A change of a file that is read, and then replaced by another.
enum FileChange {
    /// How long another command may take for its own change.
    private static let patience = Duration.seconds(10)

    /// Runs `body` while no other command changes a file of the same folder, so that of several changes at once each
    /// sees what the one before it has made. The folder itself is locked: a lock on the file would stay with the one
    /// that is replaced.
    ///
    /// - Throws: what `body` throws; `unavailable` when another holds the folder for too long.
    static func alone<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) }
        let folder = name.map { $0.isEmpty ? "/" : $0 } ?? "."
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Without the folder there is no file either, and `body` says so in its own words.
        guard descriptor >= 0 else { return try body() }
        defer { close(descriptor) }
        let end = ContinuousClock.now + patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw CommandFailure(.failed, "the folder \(printable(folder)) cannot be locked: error \(errno).")
            }
            guard ContinuousClock.now < end else {
                throw CommandFailure(
                    .unavailable,
                    "another command is changing a file in \(printable(folder)). Nothing was changed; try again."
                )
            }
            usleep(10_000)
        }
        return try body()
    }
}
