internal import Glibc

/// Reads files with plain system calls.
public struct PosixFileReader: SettingsFileReader {
    private static let limit = 1 << 20

    public init() {}

    public func read(_ path: String) throws(SettingsFileError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure() }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count <= Self.limit {
            var failed: SettingsFileError?
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
                var got = -1
                repeat {
                    got = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                } while got < 0 && errno == EINTR
                if got < 0 { failed = Self.failure() }
                count = max(0, got)
            }
            if let failed { throw failed }
            if chunk.isEmpty { return bytes }
            bytes += chunk
        }
        throw .unreadable("larger than 1 MiB")
    }

    private static func failure() -> SettingsFileError {
        switch errno {
        case ENOENT, ENOTDIR: .notFound
        case EACCES, EPERM: .unreadable("permission denied")
        case EISDIR: .unreadable("it is a folder")
        default: .unreadable(unsafe String(cString: strerror(errno)).lowercased())
        }
    }
}
