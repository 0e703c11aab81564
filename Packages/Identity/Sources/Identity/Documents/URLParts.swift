import Unicode

/// An absolute URL, cut by RFC 3986 §3 as far as configuration needs it. The text itself is never rewritten.
struct URLParts {
    /// Lower case.
    let scheme: String
    /// `nil` when there is no `//`.
    let authority: String?
    let hasFragment: Bool
    /// Whether `*` appears behind the authority.
    private let hasWildcardInPath: Bool

    /// - Returns: `nil` when it is not absolute, longer than 2048 bytes, or has a byte that no URL may have.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 2048, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !#""<>\^`{|}"#.utf8.contains($0) }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon < bytes.count - 1
        else { return nil }
        let scheme = bytes[..<colon]
        guard let first = scheme.first, Self.isLetter(first),
            scheme.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || "+-.".utf8.contains($0) })
        else { return nil }
        self.scheme = String(decoding: scheme, as: UTF8.self).lowercased()
        hasFragment = bytes.contains(UInt8(ascii: "#"))
        var rest = bytes[(colon + 1)...]
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? rest.endIndex
            authority = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[end...]
        } else {
            authority = nil
        }
        hasWildcardInPath = rest.contains(UInt8(ascii: "*"))
    }

    var isWeb: Bool { scheme == "https" || scheme == "http" }

    /// Whether sending a browser there runs no code: web URLs with a host, and the schemes of applications.
    var isSafeTarget: Bool {
        switch scheme {
        case "javascript", "data", "vbscript", "blob", "about", "view-source", "filesystem": false
        case "http", "https": hasHost && !hasUserInformation
        default: !hasUserInformation
        }
    }

    /// A host name or address without user information and wildcards, and a port that can be one.
    var hasCleanHost: Bool {
        guard let authority else { return false }
        return WebOrigin.hostAndPort(authority) != nil
    }

    private var hasHost: Bool { authority.map { !$0.isEmpty && !$0.hasPrefix(":") } ?? false }

    private var hasUserInformation: Bool { authority?.utf8.contains(UInt8(ascii: "@")) ?? false }

    var hasWildcardOnlyAsLeftmostLabel: Bool {
        guard !hasWildcardInPath else { return false }
        guard let authority, authority.utf8.contains(UInt8(ascii: "*")) else { return true }
        return authority.hasPrefix("*.") && !authority.dropFirst(2).utf8.contains(UInt8(ascii: "*"))
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x41...0x5A ~= byte || 0x61...0x7A ~= byte }
    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
