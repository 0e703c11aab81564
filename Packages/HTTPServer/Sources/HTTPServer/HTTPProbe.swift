import CLinux

/// Asks a server on this machine for one path, over plain HTTP: what a health check needs, and no more.
public enum HTTPProbe {
    public struct Answer: Hashable, Sendable {
        public let status: Int
        public let body: [UInt8]
    }

    public struct Failure: Error, Hashable {
        /// In words, for the operator.
        public let reason: String
    }

    /// Sends `GET path` and reads the whole answer, at most 64 KiB. It blocks the calling thread.
    ///
    /// - Parameters:
    ///   - path: the request target.
    ///   - address: where. `0.0.0.0` and `::` mean this machine's loopback address.
    ///   - timeout: for each step.
    /// - Returns: status and body.
    /// - Throws: when nobody answers in time, or not with HTTP.
    public static func get(
        _ path: String,
        at address: ListenAddress,
        timeout: Duration
    ) throws(Failure) -> Answer {
        let descriptor = try connected(address, timeout)
        defer { latchkey_close(descriptor) }
        try send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", descriptor)
        let bytes = try readAll(descriptor, timeout)
        guard bytes.starts(with: "HTTP/1.1 ".utf8), bytes.count > 12,
            let status = Int(String(decoding: bytes[9..<12], as: UTF8.self))
        else { throw Failure(reason: "what answers does not speak HTTP") }
        let end = Array("\r\n\r\n".utf8)
        var start = bytes.count
        for index in bytes.indices where bytes[index...].starts(with: end) {
            start = index + end.count
            break
        }
        return Answer(status: status, body: Array(bytes[start...]))
    }

    private static func connected(_ address: ListenAddress, _ timeout: Duration) throws(Failure) -> Int32 {
        let milliseconds = Int32(clamping: timeout.wholeNanoseconds / 1_000_000)
        let result: Int32
        switch address {
        case .unix(let path):
            result = unsafe latchkey_connect_unix(path, milliseconds)
        case .ip(let ip, let port):
            // Whoever listens on every address listens on this machine's own.
            let isAny = ip == IPAddress("0.0.0.0") || ip == IPAddress("::")
            let target = isAny ? IPAddress(ip.isIPv4 ? "127.0.0.1" : "::1") ?? ip : ip
            let v4 = UInt32(truncatingIfNeeded: target.low)
            result = latchkey_connect_ip(target.isIPv4 ? 4 : 6, v4, target.high, target.low, port, milliseconds)
        }
        guard result >= 0 else { throw failure(-result) }
        return result
    }

    private static func send(_ text: String, _ descriptor: Int32) throws(Failure) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe latchkey_send(descriptor, bytes.baseAddress, bytes.count)
            }
            guard count > 0 else { throw failure(Int32(truncatingIfNeeded: -count)) }
            rest = rest.dropFirst(count)
        }
    }

    private static func readAll(_ descriptor: Int32, _ timeout: Duration) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < 64 << 10 {
            latchkey_await(descriptor, Int32(clamping: timeout.wholeNanoseconds / 1_000_000))
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe latchkey_receive(descriptor, buffer.baseAddress, buffer.count)
            }
            guard count >= 0 else { throw failure(Int32(truncatingIfNeeded: -count)) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    private static func failure(_ code: Int32) -> Failure {
        switch code {
        case ECONNREFUSED, ENOENT: Failure(reason: "nothing listens there")
        case EAGAIN, ETIMEDOUT, EINPROGRESS: Failure(reason: "it took too long")
        default: Failure(reason: systemReason(code))
        }
    }
}
