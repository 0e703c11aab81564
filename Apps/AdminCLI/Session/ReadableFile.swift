import Glibc
import Terminal

/// Files that a command is given, read whole.
enum ReadableFile {
    /// The bytes of a file of at most `limit` bytes.
    ///
    /// - Throws: a failure that names the file and says what is wrong with it.
    static func read(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(path)
            }
            bytes.append(contentsOf: buffer.prefix(count))
            guard bytes.count <= limit else {
                throw CommandFailure(.wrongUse, "\(quoted(path)) is larger than \(limit) bytes.")
            }
        }
    }

    /// The paths of what lies in a folder, but for names that begin with a dot, in order.
    ///
    /// - Throws: a failure that names the folder and says what is wrong with it.
    static func list(_ folder: String) throws(CommandFailure) -> [String] {
        guard let directory = unsafe opendir(folder) else { throw failure(folder) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append("\(folder)/\(name)") }
        }
        return names.sorted()
    }

    /// Of what just failed.
    static func failure(_ path: String) -> CommandFailure {
        let reason = unsafe String(cString: strerror(errno)).lowercased()
        return CommandFailure(.wrongUse, "\(quoted(path)) cannot be read: \(reason).")
    }
}
