import Glibc
import Terminal

/// Files that people write.
enum TextFile {
    /// Reads a file of at most `limit` bytes; `-` is standard input.
    ///
    /// - Throws: `wrongUse`, with the reason.
    static func read(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
        let descriptor = path == "-" ? dup(0) : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            var failed = false
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                var got = -1
                repeat {
                    got = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                } while got < 0 && errno == EINTR
                failed = got < 0
                count = max(0, got)
            }
            if failed { throw unreadable(path) }
            if chunk.isEmpty { return bytes }
            bytes += chunk
        }
        throw CommandFailure(.wrongUse, "\(printable(path)) is larger than \(limit) bytes.")
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        let reason =
            switch errno {
            case ENOENT, ENOTDIR: "there is no such file"
            case EACCES, EPERM: "permission denied"
            case EISDIR: "it is a folder"
            default: "error \(errno)"
            }
        return CommandFailure(.wrongUse, "\(printable(path)) cannot be read: \(reason).")
    }
}
