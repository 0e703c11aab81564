internal import Cryptography
internal import Glibc
internal import Identity

/// Passwords that are known to have been breached, by eight bytes of a hash each.
public struct BreachedPasswords: Sendable {
    /// Rising.
    private let prints: [UInt64]

    /// None.
    public init() { prints = [] }

    /// - Parameter file: one password a line, in UTF-8; empty lines count for nothing.
    public init(file: [UInt8]) {
        var prints: [UInt64] = []
        for line in file.split(separator: UInt8(ascii: "\n")) { Self.add(line, to: &prints) }
        prints.sort()
        self.prints = prints
    }

    /// Why a list cannot be used.
    public enum FileError: Error, Hashable, Sendable {
        /// The system's `errno`.
        case unreadable(code: Int32)
        /// More than ``limit`` passwords.
        case tooMany
    }

    /// How many passwords a list may have; each takes eight bytes of memory.
    public static let limit = 20_000_000

    /// Reads a file, one password a line, however large. It waits for the disk.
    ///
    /// - Throws: when it cannot be read, or is too long.
    public init(contentsOf path: String) throws(FileError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(code: errno) }
        defer { close(descriptor) }
        var prints: [UInt64] = []
        var rest: [UInt8] = []
        while true {
            var code: Int32 = 0
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
                var got = -1
                repeat {
                    got = unsafe read(descriptor, buffer.baseAddress, buffer.count)
                } while got < 0 && errno == EINTR
                if got < 0 { code = errno }
                count = max(0, got)
            }
            guard code == 0 else { throw .unreadable(code: code) }
            if chunk.isEmpty { break }
            let bytes = rest + chunk
            let last = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1
            for line in bytes[..<max(0, last)].split(separator: UInt8(ascii: "\n")) { Self.add(line, to: &prints) }
            // What is longer than any password is none.
            rest = Array(bytes[(last + 1)...].prefix(PasswordOptions.maximumLength * 4 + 2))
            guard prints.count <= Self.limit else { throw .tooMany }
        }
        Self.add(rest[...], to: &prints)
        prints.sort()
        self.prints = prints
    }

    private static func add(_ line: ArraySlice<UInt8>, to prints: inout [UInt64]) {
        let ends = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if !ends.isEmpty { prints.append(Self.print(Array(ends))) }
    }

    /// How many there are.
    public var count: Int { prints.count }

    func contains(_ password: PasswordText) -> Bool {
        let wanted = Self.print(password.bytes)
        var (low, high) = (0, prints.count)
        while low < high {
            let middle = low + (high - low) / 2
            if prints[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return low < prints.count && prints[low] == wanted
    }

    private static func print(_ bytes: [UInt8]) -> UInt64 {
        SHA256.hash(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
