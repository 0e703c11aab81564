internal import Identity

/// Whether an address that a request names is one that was registered (HTTP contract 8.1, 8.3).
public enum CallbackURL {
    /// Whether `address` is exactly among `registered`. An address of the loopback interface may have any port, for a
    /// native app takes the one that is free (RFC 8252 §7.3).
    public static func isRegistered(_ address: String, among registered: [String]) -> Bool {
        registered.contains { entry in
            if entry.utf8.elementsEqual(address.utf8) { return true }
            guard let one = LoopbackURL(entry), let other = LoopbackURL(address) else { return false }
            return one == other
        }
    }

    /// What a page may send a form to so that its answer may lead to `address`: an origin, or `scheme:` of a private-use
    /// scheme; `nil` when it has neither.
    public static func formTarget(of address: String) -> String? {
        let bytes = Array(address.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, bytes[..<colon].allSatisfy(isOfScheme)
        else { return nil }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        guard scheme == "https" || scheme == "http" else { return scheme + ":" }
        let rest = bytes[(colon + 1)...]
        guard rest.starts(with: "//".utf8) else { return nil }
        let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        guard !authority.isEmpty, authority.allSatisfy(isOfAuthority) else { return nil }
        return scheme + "://" + String(decoding: authority, as: UTF8.self).lowercased()
    }

    /// `address` with parameters more in its query.
    ///
    /// - Parameters:
    ///   - parameters: names and values, neither encoded.
    ///   - address: an absolute URL, registered.
    /// - Returns: the URL to redirect to.
    public static func adding(_ parameters: [(name: String, value: String)], to address: String) -> String {
        let halves = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = String(halves.first ?? "")
        let query = parameters.map { "\($0.name)=\(encoded($0.value))" }.joined(separator: "&")
        guard !query.isEmpty else { return address }
        let separator =
            !whole.utf8.contains(UInt8(ascii: "?")) ? "?" : whole.hasSuffix("?") || whole.hasSuffix("&") ? "" : "&"
        return whole + separator + query + (halves.count > 1 ? "#" + halves[1] : "")
    }

    /// `value` as a query has it: everything but the unreserved characters of RFC 3986 §2.3 as `%XX`.
    public static func encoded(_ value: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var output: [UInt8] = []
        for byte in value.utf8 {
            if isUnreserved(byte) {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        isUnreserved(byte) && byte != UInt8(ascii: "~") || byte == 43
    }

    private static func isOfAuthority(_ byte: UInt8) -> Bool { isUnreserved(byte) || ":[]".utf8.contains(byte) }

    /// `http://127.0.0.1:PORT/…` or `http://[::1]:PORT/…`, taken apart; equal when they differ in the port alone.
    private struct LoopbackURL: Equatable {
        let host: String
        let rest: String

        init?(_ text: String) {
            guard let host = ["http://127.0.0.1", "http://[::1]"].first(where: { text.utf8.starts(with: $0.utf8) })
            else {
                return nil
            }
            var rest = text.utf8.dropFirst(host.utf8.count)
            if rest.first == UInt8(ascii: ":") {
                rest = rest.dropFirst().drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
            guard rest.first.map({ "/?#".utf8.contains($0) }) ?? true else { return nil }
            self.host = host
            self.rest = String(decoding: Array(rest), as: UTF8.self)
        }

        static func == (one: LoopbackURL, other: LoopbackURL) -> Bool {
            one.host == other.host && one.rest.utf8.elementsEqual(other.rest.utf8)
        }
    }
}
