import HTTPServer
import Identity

/// Which origins may read an endpoint's answers (contract 1.5).
enum CORSMode: Hashable {
    /// None: links and browsers go there, scripts of other origins do not.
    case none
    /// The client's origins, without cookies.
    case clients
    /// The client's origins, and with cookies those written out in full (section 12).
    case credentials
    /// Everybody: well-known files.
    case everyone
}

/// The origins of a client, or of all clients of a tenant, as far as CORS asks.
struct AllowedOrigins {
    private let patterns: [String]
    /// Written out in full in `web_origins`: these may send cookies.
    private let exact: [String]

    init(_ clients: some Sequence<Client>) {
        var patterns: [String] = []
        var exact: [String] = []
        for client in clients {
            patterns += client.webOrigins + client.allowedOrigins + client.callbacks.compactMap(Self.origin)
            exact += client.webOrigins.filter { !$0.utf8.contains(UInt8(ascii: "*")) }
        }
        self.patterns = patterns
        self.exact = exact
    }

    func allows(_ origin: String) -> Bool { patterns.contains { Self.matches(origin, $0) } }

    func allowsCookies(_ origin: String) -> Bool { exact.contains { $0.utf8.elementsEqual(origin.utf8) } }

    /// Whether `origin` is `pattern`, or fills its leftmost `*` with exactly one label.
    static func matches(_ origin: String, _ pattern: String) -> Bool {
        let text = Array(origin.utf8)
        let rule = Array(pattern.utf8)
        guard let star = rule.firstIndex(of: UInt8(ascii: "*")) else { return text == rule }
        let before = rule[..<star]
        let after = rule[(star + 1)...]
        guard text.count > before.count + after.count, text.starts(with: before),
            text.suffix(after.count).elementsEqual(after)
        else { return false }
        return text[before.count..<(text.count - after.count)].allSatisfy(isOfLabel)
    }

    /// Whether a byte may be in a label of an origin's host, which is in lower case and ASCII.
    private static func isOfLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }

    /// The origin of a web callback, as browsers write it; `nil` for a private-use scheme.
    private static func origin(_ callback: String) -> String? {
        let bytes = callback.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        let isSecure = bytes.starts(with: "https://".utf8)
        guard isSecure || bytes.starts(with: "http://".utf8) else { return nil }
        let start = isSecure ? 8 : 7
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
        guard !bytes[start..<end].contains(UInt8(ascii: "@")) else { return nil }
        let origin = String(decoding: bytes[..<end], as: UTF8.self)
        let port = isSecure ? ":443" : ":80"
        return origin.hasSuffix(port) ? String(origin.dropLast(port.count)) : origin
    }
}

extension HTTPResponse {
    /// Adds what lets a script of `origin` read this answer, when it may.
    mutating func allow(origin: String?, _ mode: CORSMode, _ allowed: @autoclosure () -> AllowedOrigins) {
        switch mode {
        case .none:
            return
        case .everyone:
            headers.add("Access-Control-Allow-Origin", "*")
        case .clients, .credentials:
            guard let origin else { return }
            let allowed = allowed()
            guard allowed.allows(origin) else { return }
            headers.add("Access-Control-Allow-Origin", origin)
            headers.add("Vary", "Origin")
            if mode == .credentials, allowed.allowsCookies(origin) {
                headers.add("Access-Control-Allow-Credentials", "true")
            }
        }
        headers.add(
            "Access-Control-Expose-Headers",
            "Location, WWW-Authenticate, Retry-After, X-Auth-Session, X-Request-Id, X-Ceremony-Id,"
                + " x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset"
        )
    }

    /// Adds what a preflight asks beside the origin.
    mutating func answerPreflight() {
        guard headers.contains("Access-Control-Allow-Origin") else { return }
        headers.remove("Access-Control-Expose-Headers")
        headers.add("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE, OPTIONS")
        headers.add(
            "Access-Control-Allow-Headers",
            "authorization, content-type, auth0-client, dpop, x-csrf-token, x-auth-session"
        )
        headers.add("Access-Control-Max-Age", "600")
    }
}
