import Glibc
import Terminal

/// A file of any length, line by line.
enum LineFile {
    /// A line at most; no line of an export comes near.
    private static let lineLimit = 1 << 20

    /// Gives each line of the file, without its line feed.
    ///
    /// - Throws: a failure that names the file, or what `take` throws.
    static func read(_ path: String, _ take: (String) throws -> Void) throws {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ReadableFile.failure(path) }
        defer { close(file) }
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw ReadableFile.failure(path)
            }
            var rest = buffer.prefix(count)
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                try take(String(decoding: line + rest[..<end], as: UTF8.self))
                line.removeAll(keepingCapacity: true)
                rest = rest[(end + 1)...]
            }
            line += rest
            guard line.count <= lineLimit else {
                throw CommandFailure(.wrongUse, "\(quoted(path)) has a line that is longer than \(lineLimit) bytes.")
            }
            if count == 0 {
                if !line.isEmpty { try take(String(decoding: line, as: UTF8.self)) }
                return
            }
        }
    }
}
