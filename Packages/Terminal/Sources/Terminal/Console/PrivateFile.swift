internal import Glibc

/// Small files that only their owner may read.
public enum PrivateFile {
    public static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// Whether nobody but its owner may read or write the file; true when it is not there.
    public static func isPrivate(_ path: String) -> Bool {
        var entry = stat()
        return unsafe stat(path, &entry) != 0 || entry.st_mode & 0o077 == 0
    }

    /// Makes a folder of mode 0700 and those above it, unless they are there.
    ///
    /// - Throws: `failed`, with the reason.
    public static func makeFolders(_ path: String) throws(CommandFailure) {
        var folder = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            folder += "/" + name
            try makeFolder(folder)
        }
    }

    /// Makes a folder of mode 0700, unless it is there.
    ///
    /// - Throws: `failed`, with the reason.
    public static func makeFolder(_ path: String) throws(CommandFailure) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw failure("The folder \(printable(path)) cannot be made")
    }

    /// Writes a file of mode 0600, whole or not at all; one that is there is replaced.
    ///
    /// - Throws: `failed`, with the reason.
    public static func write(_ path: String, _ text: String) throws(CommandFailure) {
        let temporary = "\(path).\(getpid())"
        let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("\(printable(path)) cannot be written") }
        var rest = Array(text.utf8)[...]
        var isWritten = true
        while !rest.isEmpty, isWritten {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            isWritten = count > 0
            rest = rest.dropFirst(max(0, count))
        }
        isWritten = isWritten && fsync(file) == 0
        close(file)
        guard isWritten, unsafe rename(temporary, path) == 0 else {
            let reason = failure("\(printable(path)) cannot be written")
            unsafe unlink(temporary)
            throw reason
        }
    }

    private static func failure(_ what: String) -> CommandFailure {
        let reason =
            switch errno {
            case EACCES, EPERM: "permission denied"
            case ENOENT, ENOTDIR: "the folder above it does not exist"
            case ENOSPC, EDQUOT: "the disk is full"
            case EROFS: "the file system is read-only"
            default: "error \(errno)"
            }
        return CommandFailure(.failed, "\(what): \(reason).")
    }
}
