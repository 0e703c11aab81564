/// Where a server listens.
public enum ListenAddress: Hashable, Sendable {
    /// `localhost`: 127.0.0.1 and ::1, the same port on both.
    case loopback(port: UInt16)
    case address(IPAddress, port: UInt16)
    /// A socket in the file system.
    case unix(path: String)

    /// Whether only this machine can connect.
    public var isLocal: Bool {
        switch self {
        case .loopback, .unix: true
        case .address(let address, _): address.isLoopback
        }
    }
}

extension ListenAddress: CustomStringConvertible {
    /// As the setting is written.
    public var description: String {
        switch self {
        case .loopback(let port): "localhost:\(port)"
        case .address(let address, let port): address.isV6 ? "[\(address)]:\(port)" : "\(address):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

extension ListenAddress {
    init(_ item: RawItem) throws(SettingFault) {
        guard item.kind == .text else { throw SettingFault() }
        let text = item.text
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            // sun_path holds 108 bytes with its NUL.
            guard !path.isEmpty, path.utf8.count < 108 else { throw SettingFault() }
            self = .unix(path: path)
            return
        }
        guard let (host, port) = splitHostAndPort(text), let port else { throw SettingFault() }
        if host == "localhost" {
            self = .loopback(port: port)
        } else if let address = IPAddress(host), address.isV6 == text.hasPrefix("[") {
            self = .address(address, port: port)
        } else {
            throw SettingFault(
                remedy: host == "*" || host.isEmpty
                    ? "Write 0.0.0.0:\(port) for every IPv4 address, \"[::]:\(port)\" for every IPv6 one."
                    : nil
            )
        }
    }
}

/// `host:port`, `[v6]:port`, `host` or `[v6]` in two parts, without the brackets. `nil` when the port is none.
func splitHostAndPort(_ text: some StringProtocol) -> (host: String, port: UInt16?)? {
    var host = String(text)
    var port: String?
    if host.hasPrefix("[") {
        guard let end = host.firstIndex(of: "]") else { return nil }
        let rest = host[host.index(after: end)...]
        guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
        port = rest.isEmpty ? nil : String(rest.dropFirst())
        host = String(host[host.index(after: host.startIndex)..<end])
    } else if let colon = host.firstIndex(of: ":") {
        port = String(host[host.index(after: colon)...])
        host = String(host[..<colon])
    }
    guard let port else { return (host, nil) }
    guard !port.isEmpty, port.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let number = UInt16(port)
    else { return nil }
    return (host, number)
}
