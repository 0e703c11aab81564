/// A block of addresses in CIDR form.
public struct NetworkRange: Hashable, Sendable {
    /// The first address: every bit behind the prefix is 0.
    public let base: IPAddress
    /// 1 to 32, or 1 to 128.
    public let prefix: Int

    /// Whether `address` (4 or 16 bytes) is in the block. An IPv4 address that is written as IPv6 counts as IPv4.
    public func contains(_ address: [UInt8]) -> Bool {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let bytes = address.count == 16 && address.starts(with: mapped) ? Array(address.dropFirst(12)) : address
        guard bytes.count == base.bytes.count else { return false }
        return zip(zip(bytes, base.bytes), Self.mask(prefix, count: bytes.count)).allSatisfy { pair, mask in
            pair.0 & mask == pair.1
        }
    }

    fileprivate static func mask(_ prefix: Int, count: Int) -> [UInt8] {
        (0..<count).map { index in
            let bits = min(8, max(0, prefix - index * 8))
            return bits == 0 ? 0 : UInt8.max << UInt8(8 - bits)
        }
    }
}

extension NetworkRange: CustomStringConvertible {
    public var description: String { "\(base)/\(prefix)" }
}

/// One entry of `trusted_proxies`.
public enum TrustedProxy: Hashable, Sendable {
    case network(NetworkRange)
    /// Whoever connects to a `unix:` listener.
    case unix
}

extension TrustedProxy: CustomStringConvertible {
    public var description: String {
        switch self {
        case .network(let range): range.description
        case .unix: "unix"
        }
    }
}

extension TrustedProxy {
    init(_ item: RawItem) throws(SettingFault) {
        guard item.kind == .text else { throw SettingFault() }
        if item.text == "unix" {
            self = .unix
            return
        }
        let parts = item.text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let address = parts.first.flatMap(IPAddress.init) else { throw SettingFault() }
        let width = address.isV6 ? 128 : 32
        var prefix = width
        if parts.count == 2 {
            guard let given = UInt8(parts[1]).map(Int.init), given <= width, !parts[1].hasPrefix("+") else {
                throw SettingFault()
            }
            prefix = given
        }
        guard prefix > 0 else {
            throw SettingFault(
                remedy:
                    "It would let everybody choose a client address. Name the networks of your proxies, as 10.0.0.0/24."
            )
        }
        let base = zip(address.bytes, NetworkRange.mask(prefix, count: width / 8)).map { $0 & $1 }
        guard base == address.bytes else {
            let network = IPAddress(bytes: base)
            throw SettingFault(
                remedy: "Write \(network)/\(prefix) for the network, or \(address)/\(width) for this address."
            )
        }
        self = .network(NetworkRange(base: address, prefix: prefix))
    }
}

/// A name server.
public struct DNSServer: Hashable, Sendable {
    public let address: IPAddress
    public let port: UInt16
}

extension DNSServer: CustomStringConvertible {
    public var description: String { address.isV6 ? "[\(address)]:\(port)" : "\(address):\(port)" }
}

extension DNSServer {
    init(_ item: RawItem) throws(SettingFault) {
        guard item.kind == .text, let (host, port) = splitHostAndPort(item.text), let address = IPAddress(host),
            address.isV6 == item.text.hasPrefix("[")
        else { throw SettingFault() }
        self.init(address: address, port: port ?? 53)
    }
}
