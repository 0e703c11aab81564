import Glibc

/// What processes have used, from `/proc`.
struct ProcessUse {
    /// Microseconds of CPU, in the kernel too.
    var cpu = 0.0
    /// Resident memory in MiB, now.
    var resident = 0.0

    init(_ pids: [Int32]) {
        let tick = 1e6 / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        for pid in pids {
            // After the name, which may hold anything: state is the third field, utime and stime the 14th and 15th.
            let fields = Self.text("/proc/\(pid)/stat").split(separator: ")").last?.split(separator: " ") ?? []
            if fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) {
                cpu += (user + system) * tick
            }
            for line in Self.text("/proc/\(pid)/status").split(separator: "\n") where line.hasPrefix("VmRSS:") {
                resident += line.split(separator: " ").dropFirst().first.flatMap { Double($0) }.map { $0 / 1024 } ?? 0
            }
        }
    }

    static func text(_ path: String) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe read(descriptor, &part, part.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += part[..<count]
        }
    }
}
