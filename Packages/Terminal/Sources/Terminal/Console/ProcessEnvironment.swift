internal import Glibc

/// What the process was started with, and its end.
public enum ProcessEnvironment {
    /// The environment's variables; of two with one name the first counts.
    public static var variables: [String: String] {
        var variables: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let pair = unsafe String(cString: text).split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            if pair.count == 2, variables[String(pair[0])] == nil { variables[String(pair[0])] = String(pair[1]) }
            unsafe entry += 1
        }
        return variables
    }

    /// The folder that this program's own file is in; `nil` when the system does not say.
    public static var executableFolder: String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return unsafe readlink("/proc/self/exe", start.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard count > 0, count < buffer.count, let slash = buffer[..<count].lastIndex(of: UInt8(ascii: "/")) else {
            return nil
        }
        return String(decoding: buffer[..<slash], as: UTF8.self)
    }

    /// The folder that relative paths begin in; `.` when the system does not say.
    public static var workingFolder: String {
        guard let path = unsafe getcwd(nil, 0) else { return "." }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    /// Ends the process at once, without the exit handlers of C libraries that other threads may still be in.
    public static func exit(_ code: Int32) -> Never {
        _exit(code)
    }
}
