import Glibc
import Terminal

/// Files that a command writes for others to serve.
enum Folder {
    /// Writes a file that everybody may read, and makes the folders above it that are not there.
    ///
    /// - Throws: `failed`, with the reason.
    static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        var parent = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/").dropLast() {
            parent += part + "/"
            let code = unsafe mkdir(parent, 0o755)
            if code != 0, errno != EEXIST { throw failure(parent) }
        }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    /// The path from the root of the file system.
    ///
    /// - Throws: `failed` when the folder that the command runs in is gone.
    static func absolute(_ path: String) throws(CommandFailure) -> String {
        if path.hasPrefix("/") { return path }
        guard let here = unsafe getcwd(nil, 0) else { throw failure(".") }
        defer { unsafe free(here) }
        let folder = unsafe String(cString: here)
        let name = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return name.isEmpty || name == "." ? folder : folder + "/" + name
    }

    private static func failure(_ path: String) -> CommandFailure {
        let reason =
            switch errno {
            case EACCES, EPERM, EROFS: "permission denied"
            case ENOSPC: "the disk is full"
            case ENOTDIR, EISDIR: "something else of that name is there"
            default: "error \(errno)"
            }
        return CommandFailure(.failed, "\(printable(path)) cannot be written: \(reason).")
    }
}
