import CLinux

/// An IPv4 or IPv6 address. One that maps IPv4 into IPv6 (`::ffff:…`) is the IPv4 address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    // IPv4 is kept mapped, so that there is one form to compare.
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init(v4: UInt32) {
        self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(v4))
    }

    /// Reads `192.0.2.1` or `2001:db8::1`, without brackets, port or zone.
    public init?(_ text: String) {
        var v4 = in_addr()
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            self.init(v4: UInt32(bigEndian: v4.s_addr))
            return
        }
        var v6 = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        unsafe withUnsafeBytes(of: &v6) { bytes in
            for index in 0..<8 {
                unsafe halves.0 = halves.0 << 8 | UInt64(bytes[index])
                unsafe halves.1 = halves.1 << 8 | UInt64(bytes[index + 8])
            }
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// Whether it is IPv4.
    public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// Whether it is in 127.0.0.0/8, or `::1`.
    public var isLoopback: Bool { isIPv4 ? (low >> 24) & 0xFF == 127 : high == 0 && low == 1 }

    /// The key under which addresses are counted together: IPv4 by itself, IPv6 by its /64.
    public var network: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }

    /// The address as it is usually written (RFC 5952 for IPv6).
    public var description: String {
        if isIPv4 {
            return "\((low >> 24) & 0xFF).\((low >> 16) & 0xFF).\((low >> 8) & 0xFF).\(low & 0xFF)"
        }
        let groups = (0..<8).map { index in
            UInt16(truncatingIfNeeded: (index < 4 ? high : low) >> UInt64(48 - 16 * (index % 4)))
        }
        // The longest run of two or more zero groups is left out.
        var best = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, groups[end] == 0 { end += 1 }
            if end - start >= 2, end - start > best.count { best = start..<end }
            start = max(end, start + 1)
        }
        let text = { (part: ArraySlice<UInt16>) in part.map { String($0, radix: 16) }.joined(separator: ":") }
        if best.isEmpty { return text(groups[...]) }
        return text(groups[..<best.lowerBound]) + "::" + text(groups[best.upperBound...])
    }
}

/// A block of addresses, written `10.0.0.0/8` or `2001:db8::/32`; an address alone is a block of one.
public struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    /// The first address of the block.
    public let address: IPAddress
    /// How many leading bits are fixed: 0 to 32 for IPv4, 0 to 128 for IPv6.
    public let prefixLength: Int

    /// Reads a block.
    ///
    /// - Returns: `nil` when the text is no address and length, or when bits after the prefix are set.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)), parts.count <= 2 else { return nil }
        // `::ffff:…` with a prefix could mean either family.
        guard !address.isIPv4 || !first.contains(":") else { return nil }
        let longest = address.isIPv4 ? 32 : 128
        var length = longest
        if parts.count == 2 {
            guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(parts[1]),
                number <= longest
            else { return nil }
            length = number
        }
        self.address = address
        prefixLength = length
        guard masked(address) == address else { return nil }
    }

    /// Whether the block holds an address. An IPv4 address is in no IPv6 block.
    public func contains(_ other: IPAddress) -> Bool {
        other.isIPv4 == address.isIPv4 && masked(other) == address
    }

    /// Whether every address of its family is in it.
    public var isEverything: Bool { prefixLength == 0 }

    public var description: String { "\(address)/\(prefixLength)" }

    private func masked(_ other: IPAddress) -> IPAddress {
        let bits = address.isIPv4 ? prefixLength + 96 : prefixLength
        // A shift by 64 gives 0.
        let high = other.high & ~(UInt64.max >> UInt64(min(bits, 64)))
        let low = other.low & ~(UInt64.max >> UInt64(max(bits - 64, 0)))
        return IPAddress(high: bits >= 64 ? other.high : high, low: low)
    }
}

/// Where a request came from.
public enum PeerAddress: Hashable, Sendable, CustomStringConvertible {
    case ip(IPAddress, port: UInt16)
    /// Over a `unix:` listener: from this machine.
    case unixSocket

    /// The address, when there is one.
    public var ip: IPAddress? {
        if case .ip(let address, _) = self { return address }
        return nil
    }

    /// Whether the peer is on this machine.
    public var isLocal: Bool {
        switch self {
        case .ip(let address, _): address.isLoopback
        case .unixSocket: true
        }
    }

    public var description: String {
        switch self {
        case .ip(let address, let port): address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
        case .unixSocket: "unix"
        }
    }
}
