import Unicode

/// A web origin in its one spelling (RFC 6454 §6.2), as browsers sign and send it: `https://app.example.com`,
/// `http://localhost:5173`.
///
/// Configuration goes through this once, so that a ceremony compares plain bytes: the scheme and host in lower case, the
/// host as A-labels, no default port, no trailing slash.
public struct WebOrigin: Hashable, Sendable {
    /// `https`, `http` (on loopback names alone) or the scheme of an application's own web view.
    public let scheme: String
    /// Without the port; an IPv6 address has its brackets.
    public let host: String
    /// `nil`: the scheme's default.
    public let port: Int?

    /// The ASCII serialization.
    public var text: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }

    /// Reads what a person wrote.
    ///
    /// - Throws: ``WebOriginError`` for a path, query, fragment, user information, a port or host that cannot be one,
    ///   `http` on another than a loopback name, and a wildcard, unless `allowingPattern` and it is the whole leftmost
    ///   label before at least two others.
    public init(_ text: String, allowingPattern: Bool = false) throws(WebOriginError) {
        guard let separator = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            text.utf8[separator...].starts(with: "://".utf8)
        else { throw .notAbsolute }
        let scheme = String(text.utf8[..<separator]) ?? ""
        guard text.utf8.count <= 2048, Self.isScheme(scheme) else { throw .notAbsolute }
        var authority = String(text.utf8[text.utf8.index(separator, offsetBy: 3)...]) ?? ""
        if authority.hasSuffix("/") { authority.removeLast() }
        guard !authority.utf8.contains(where: { "/?#@\\".utf8.contains($0) }) else { throw .moreThanAnOrigin }
        var wildcard = ""
        if allowingPattern, authority.hasPrefix("*.") {
            wildcard = "*."
            authority.removeFirst(2)
            guard authority.utf8.contains(UInt8(ascii: ".")) || HostName.isLoopback(HostName.withoutPort(authority))
            else { throw .badHost }
        }
        guard let (host, port) = Self.hostAndPort(authority) else { throw .badHost }
        self.scheme = scheme.lowercased()
        guard self.scheme != "http" || HostName.isLoopback(host) else { throw .plainHTTP }
        self.host = wildcard + host
        self.port = port == Self.defaultPorts[self.scheme] ? nil : port
    }

    private static let defaultPorts = ["https": 443, "http": 80]

    private static func isScheme(_ scheme: String) -> Bool {
        guard let first = scheme.utf8.first, 0x41...0x5A ~= first || 0x61...0x7A ~= first else { return false }
        return scheme.utf8.allSatisfy {
            0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || "+-.".utf8.contains($0)
        }
    }

    /// Cuts `HOST[:PORT]`; the host in lower-case A-labels, an IPv6 address in its brackets.
    ///
    /// - Returns: `nil` when the host is none or the port is not 1 to 65535.
    public static func hostAndPort(_ authority: String) -> (host: String, port: Int?)? {
        let name = HostName.withoutPort(authority)
        var port: Int?
        if name.utf8.count != authority.utf8.count {
            let digits = authority.utf8.dropFirst(name.utf8.count + 1)
            guard (1...5).contains(digits.count), digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            guard (1...65535).contains(number) else { return nil }
            port = number
        }
        if name.hasPrefix("[") {
            let inner = name.utf8.dropFirst().dropLast()
            guard name.hasSuffix("]"), (2...45).contains(inner.count), inner.contains(0x3A),
                inner.allSatisfy({ 0x30...0x3A ~= $0 || 0x41...0x46 ~= $0 || 0x61...0x66 ~= $0 || $0 == 0x2E })
            else { return nil }
            return (name.lowercased(), port)
        }
        guard let host = try? UnicodeText.asciiHost(name) else { return nil }
        return (host, port)
    }
}

/// Why a text is no origin.
public enum WebOriginError: Error, Hashable, Sendable {
    /// No `scheme://` in front.
    case notAbsolute
    /// A path, query, fragment or user information.
    case moreThanAnOrigin
    case badHost
    /// `http` for another than a loopback name.
    case plainHTTP
}
