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
///
/// Nothing is made of them beforehand: a tenant may have thousands, and most requests ask about one.
struct AllowedOrigins<Clients: Sequence<Client>> {
    private let clients: Clients

    init(_ clients: Clients) { self.clients = clients }

    /// Whether scripts of `origin` may read: a web or allowed origin, or that of a callback.
    func allows(_ origin: String) -> Bool {
        clients.contains { client in
            client.webOrigins.contains { OriginPattern.matches(origin, $0) }
                || client.allowedOrigins.contains { OriginPattern.matches(origin, $0) }
                || client.callbacks.contains { OriginPattern.isOrigin(origin, ofCallback: $0) }
        }
    }

    /// Whether `origin` may send cookies: written out in full in `web_origins`.
    func allowsCookies(_ origin: String) -> Bool {
        guard !origin.utf8.contains(UInt8(ascii: "*")) else { return false }
        return clients.contains { client in client.webOrigins.contains { $0.utf8.elementsEqual(origin.utf8) } }
    }
}

/// How an origin is compared with what is configured.
enum OriginPattern {
    /// Whether `origin` is `pattern`, or fills its leftmost `*` with exactly one label.
    static func matches(_ origin: String, _ pattern: String) -> Bool {
        let text = origin.utf8
        let rule = pattern.utf8
        guard let star = rule.firstIndex(of: UInt8(ascii: "*")) else { return text.elementsEqual(rule) }
        let before = rule[..<star]
        let after = rule[rule.index(after: star)...]
        guard text.count > before.count + after.count, text.starts(with: before),
            text.suffix(after.count).elementsEqual(after)
        else { return false }
        return text.dropFirst(before.count).dropLast(after.count).allSatisfy(isOfLabel)
    }

    /// Whether a web `callback` lies under `origin`, which is as browsers write it: in lower case, without the scheme's
    /// default port.
    static func isOrigin(_ origin: String, ofCallback callback: String) -> Bool {
        let isSecure = origin.utf8.starts(with: "https://".utf8)
        guard isSecure || origin.utf8.starts(with: "http://".utf8),
            !origin.utf8.dropFirst(isSecure ? 8 : 7).contains(where: { "/?#".utf8.contains($0) })
        else { return false }
        var rest = callback.utf8[...]
        for byte in origin.utf8 {
            guard let next = rest.popFirst(), lowered(next) == byte else { return false }
        }
        let port = isSecure ? ":443" : ":80"
        if rest.starts(with: port.utf8) { rest = rest.dropFirst(port.utf8.count) }
        return rest.first.map { "/?#".utf8.contains($0) } ?? true
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }

    /// Whether a byte may be in a label of an origin's host, which is in lower case and ASCII.
    private static func isOfLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
}

extension HTTPResponse {
    /// Adds what lets a script of `origin` read this answer, when it may: by the origins of `client`, or while that is
    /// not known by those of all clients.
    mutating func allow(origin: String?, _ mode: CORSMode, to client: Client?, of configuration: TenantConfiguration) {
        switch mode {
        case .none:
            return
        case .everyone:
            headers.add("Access-Control-Allow-Origin", "*")
        case .clients, .credentials:
            guard let origin else { return }
            let (reads, sendsCookies) =
                client.map { Self.rights(of: origin, among: CollectionOfOne($0)) }
                ?? Self.rights(of: origin, among: configuration.clients.values)
            guard reads else { return }
            headers.add("Access-Control-Allow-Origin", origin)
            headers.add("Vary", "Origin")
            if mode == .credentials, sendsCookies { headers.add("Access-Control-Allow-Credentials", "true") }
        }
        headers.add(
            "Access-Control-Expose-Headers",
            "Location, WWW-Authenticate, Retry-After, X-Auth-Session, X-Request-Id, X-Ceremony-Id,"
                + " x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset"
        )
    }

    private static func rights(of origin: String, among clients: some Sequence<Client>) -> (Bool, Bool) {
        let allowed = AllowedOrigins(clients)
        return (allowed.allows(origin), allowed.allowsCookies(origin))
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
