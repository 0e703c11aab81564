extension ServerURL {
    /// Reads `scheme://[user[:password]@]host[:port][/path]`. `nil` when it is anything else.
    init?(_ text: String, schemes: Set<String>) {
        guard isPrintable(text), isPercentEncoded(text), let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon].lowercased()
        var rest = text[text.index(after: colon)...]
        guard schemes.contains(scheme), rest.hasPrefix("//") else { return nil }
        rest = rest.dropFirst(2)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        var authority = rest[..<end]
        let path = rest[end...]
        guard path.isEmpty || path.hasPrefix("/"),
            scheme == "https" || !path.contains(where: { $0 == "?" || $0 == "#" })
        else { return nil }
        var user: String?
        var password: String?
        if let at = authority.lastIndex(of: "@") {
            let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = parts.first.flatMap { $0.isEmpty ? nil : percentDecoded($0) }
            password = parts.count == 2 ? percentDecoded(parts[1]) : nil
            authority = authority[authority.index(after: at)...]
        }
        guard let (host, port) = splitHostAndPort(authority), !host.isEmpty else { return nil }
        let isAddress = authority.hasPrefix("[")
        guard isAddress ? IPAddress(host)?.isV6 == true : isHostName(host) else { return nil }
        self.init(
            scheme: scheme,
            user: user,
            password: password,
            host: host,
            port: port,
            path: String(path),
            text: text
        )
    }
}

private func isHostName(_ text: String) -> Bool {
    text.utf8.count <= 253
        && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
}

/// ASCII without blanks or control characters.
func isPrintable(_ text: some StringProtocol) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

/// Whether every `%` begins a `%XX`.
func isPercentEncoded(_ text: some StringProtocol) -> Bool { percentDecoded(text) != nil }

/// `nil` when a `%` has not two hexadecimal digits behind it, or when the result is not UTF-8.
func percentDecoded(_ text: some StringProtocol) -> String? {
    var output: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            output.append(byte)
            continue
        }
        guard rest.count >= 2 else { return nil }
        let digits = rest.prefix(2)
        rest = rest.dropFirst(2)
        guard !digits.contains(UInt8(ascii: "+")), !digits.contains(UInt8(ascii: "-")),
            let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value != 0
        else { return nil }
        output.append(value)
    }
    return String(validating: output, as: UTF8.self)
}

/// `url` with `***` for its password, also for one in the query and also when the URL is badly formed.
func masked(_ url: String) -> String {
    var text = url
    if let at = text.lastIndex(of: "@") {
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        if start <= at {
            let user = text[start..<at]
            if let colon = user.firstIndex(of: ":") {
                text = text[...colon] + "***" + text[at...]
            }
        }
    }
    var searched = text.startIndex
    while let found = text[searched...].firstRange(of: "password=") {
        let end = text[found.upperBound...].firstIndex { $0 == "&" || $0 == " " } ?? text.endIndex
        let before = text.distance(from: text.startIndex, to: found.upperBound)
        text = text[..<found.upperBound] + "***" + text[end...]
        searched = text.index(text.startIndex, offsetBy: before + 3)
    }
    return text
}

extension StringProtocol {
    fileprivate func firstRange(of needle: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(needle) { return start..<index(start, offsetBy: needle.count) }
            start = index(after: start)
        }
        return nil
    }
}
