import Glibc
import Terminal

/// Root beside SQLite does its work as the owner of the data: a `-wal` file owned by root would stop the server.
enum DataOwner {
    /// The owner of the file at `path`, or of the nearest folder above it that is there.
    static func find(_ path: String) -> (user: uid_t, group: gid_t)? {
        var path = path
        while true {
            var status = stat()
            if unsafe stat(path, &status) == 0 { return (status.st_uid, status.st_gid) }
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), path != "/" else {
                if path == "." || path == "/" { return nil }
                path = "."
                continue
            }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
    }

    /// Gives up root for the owner of `path`; does nothing when the process is not root, or root owns the data.
    ///
    /// - Throws: `failed`, when the system does not let it.
    static func become(ownerOf path: String) throws(CommandFailure) {
        guard geteuid() == 0, let owner = find(path), owner.user != 0 else { return }
        var group = owner.group
        guard unsafe setgroups(1, &group) == 0, setgid(owner.group) == 0, setuid(owner.user) == 0, geteuid() != 0 else {
            throw CommandFailure(
                .failed,
                "this process cannot become user \(owner.user), who owns \(printable(path)). Run it as that user."
            )
        }
    }

    /// Gives a file that root made to the owner of the data, so that the server can read it.
    static func give(_ file: String, toOwnerOf path: String) throws(CommandFailure) {
        guard geteuid() == 0, let owner = find(path), owner.user != 0 else { return }
        guard unsafe chown(file, owner.user, owner.group) == 0 else {
            throw CommandFailure(
                .failed,
                "\(printable(file)) is made, and could not be given to user \(owner.user), who owns the data."
            )
        }
    }
}
