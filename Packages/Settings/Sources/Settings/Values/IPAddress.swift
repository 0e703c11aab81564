internal import Glibc

/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable {
    /// 4 or 16 bytes, in network order.
    public let bytes: [UInt8]

    /// Reads `192.0.2.1` or `2001:db8::1`, without brackets, zone or port. `nil` for anything else.
    public init?(_ text: String) {
        guard !text.utf8.contains(0), text.utf8.count <= 45 else { return nil }
        let isV6 = text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isV6 ? 16 : 4)
        let family = isV6 ? AF_INET6 : AF_INET
        let result = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe inet_pton(family, text, buffer.baseAddress)
        }
        guard result == 1 else { return nil }
        self.bytes = bytes
    }

    /// `bytes` are 4 or 16.
    init(bytes: [UInt8]) { self.bytes = bytes }

    public var isV6: Bool { bytes.count == 16 }

    /// `127.0.0.0/8` and `::1`.
    public var isLoopback: Bool {
        isV6 ? bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 : bytes.first == 127
    }
}

extension IPAddress: CustomStringConvertible {
    public var description: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            let family = isV6 ? AF_INET6 : AF_INET
            let text = unsafe bytes.withUnsafeBytes { source in
                unsafe inet_ntop(family, source.baseAddress, buffer.baseAddress, socklen_t(buffer.count))
            }
            guard let text = unsafe text else { return "" }
            return unsafe String(cString: text)
        }
    }
}
