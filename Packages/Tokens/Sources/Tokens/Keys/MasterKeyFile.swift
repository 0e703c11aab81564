internal import Cryptography
internal import Glibc
public import Identity

/// The file that the master keys lie in: mode 0600, never overwritten.
public enum MasterKeyFile {
    /// More than a file of keys ever needs.
    private static let limit = 64 << 10

    /// Reads the keys.
    ///
    /// - Throws: `.missing`, `.readableByOthers`, `.unreadable`, and what ``MasterKeys/init(parsing:)`` throws.
    public static func read(_ path: String) throws(MasterKeyError) -> MasterKeys {
        try MasterKeys(parsing: try text(path))
    }

    /// Puts a new key above those of the file, durable when this returns. Another process sees the old file or the new
    /// one; owner and mode stay.
    ///
    /// - Returns: the new key's id.
    /// - Throws: what ``read(_:)`` throws, `.unreadable`.
    public static func addKey(_ path: String, now: UnixTime, random: RandomSource) throws(MasterKeyError) -> String {
        let old = try text(path)
        _ = try MasterKeys(parsing: old)
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .unreadable(path: path, reason: reason()) }
        let new = MasterKeys.adding(to: old, now: now, random: random)
        let keys = try MasterKeys(parsing: new)
        let draft = path + ".new"
        unsafe unlink(draft)
        try write(new, to: draft)
        // Only root may give a file away, and only root needs to.
        let isOwned = unsafe (status.st_uid == geteuid() || chown(draft, status.st_uid, status.st_gid) == 0)
        guard isOwned, unsafe rename(draft, path) == 0, syncFolder(of: path) else { try giveUp(draft) }
        return keys.keys.first?.id ?? ""
    }

    private static func text(_ path: String) throws(MasterKeyError) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw errno == ENOENT ? .missing(path: path) : .unreadable(path: path, reason: reason())
        }
        defer { close(file) }
        // The open file is asked, not the path: nobody can swap it in between.
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw .unreadable(path: path, reason: reason()) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .unreadable(path: path, reason: "it is no regular file") }
        let mode = status.st_mode & 0o7777
        guard mode & 0o077 == 0 else { throw .readableByOthers(path: path, mode: mode) }
        var bytes: [UInt8] = []
        defer { erase(&bytes) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        defer { erase(&buffer) }
        while true {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw .unreadable(path: path, reason: reason())
            }
            bytes.append(contentsOf: buffer.prefix(count))
            guard bytes.count <= limit else { throw .unreadable(path: path, reason: "it is longer than 64 KiB") }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .unreadable(path: path, reason: "it is no UTF-8 text")
        }
        return text
    }

    /// Makes a file with one new key, durable when this returns. A file that is there already stays as it is.
    ///
    /// - Throws: `.exists`, `.unreadable`.
    public static func create(_ path: String, now: UnixTime, random: RandomSource) throws(MasterKeyError) {
        try write(MasterKeys.newFileText(now: now, random: random), to: path)
        guard syncFolder(of: path) else { try giveUp(path) }
    }

    /// Makes the file, which must not be there.
    private static func write(_ text: String, to path: String) throws(MasterKeyError) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw errno == EEXIST ? .exists(path: path) : .unreadable(path: path, reason: reason()) }
        defer { close(file) }
        var bytes = Array(text.utf8)
        defer { erase(&bytes) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                try giveUp(path)
            }
            written += count
        }
        // The umask can only have taken rights away; fchmod makes sure that the owner has its two.
        guard fchmod(file, 0o600) == 0, fsync(file) == 0 else { try giveUp(path) }
    }

    /// Makes the file's name durable too.
    private static func syncFolder(of path: String) -> Bool {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) }
        let folder = unsafe open(name.map { $0.isEmpty ? "/" : $0 } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        return fsync(folder) == 0
    }

    /// Half a key file is worse than none.
    private static func giveUp(_ path: String) throws(MasterKeyError) -> Never {
        let why = reason()
        unsafe unlink(path)
        throw .unreadable(path: path, reason: why)
    }

    private static func reason() -> String {
        unsafe String(cString: strerror(errno))
    }
}
