public import HTTPServer

/// Proxies whose word about the client is taken.
public struct TrustedProxies: Hashable, Sendable {
    public let ranges: [AddressRange]
    /// Whether whoever speaks over a `unix:` listener is one.
    public let unixSockets: Bool

    public init(ranges: [AddressRange] = [], unixSockets: Bool = false) {
        self.ranges = ranges
        self.unixSockets = unixSockets
    }

    func trusts(_ peer: PeerAddress) -> Bool {
        guard let address = peer.ip else { return unixSockets }
        return trusts(address)
    }

    func trusts(_ address: IPAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }
}

/// Who asks for which host over which scheme, after the word of a trusted proxy has been heard (contract 1.1).
struct ForwardedRequest {
    /// Lower case, without the scheme's default port.
    let host: String
    let isHTTPS: Bool
    /// `nil`: a peer on a `unix:` socket that nobody speaks for.
    let client: IPAddress?
    /// Whether plain HTTP was spoken by somebody who may: a loopback peer, a `unix:` socket, or a trusted proxy that
    /// says the client spoke https.
    let mayUsePlainHTTP: Bool

    init(_ head: HTTPRequestHead, peer: PeerAddress, isTLS: Bool, proxies: TrustedProxies) throws(APIError) {
        var host = head.authority
        var isHTTPS = isTLS
        var client = peer.ip
        let isProxied = proxies.trusts(peer)
        if isProxied {
            if let forwarded = try Self.single("x-forwarded-host", head) { host = forwarded }
            if let scheme = try Self.single("x-forwarded-proto", head) {
                isHTTPS = scheme.lowercased() == "https"
            }
            client = Self.client(head, peer: peer, proxies: proxies)
        }
        self.host = Self.canonical(host, isHTTPS: isHTTPS)
        self.isHTTPS = isHTTPS
        self.client = client
        mayUsePlainHTTP =
            isTLS || (isProxied && isHTTPS)
            || (peer.isLocal && !(isProxied && head.headers.contains("x-forwarded-proto")))
    }

    /// Whether the client is on this machine.
    var isLoopbackClient: Bool { client?.isLoopback ?? true }

    /// The client's address as it is kept and counted: IPv6 by its /64 where `counted`.
    func addressText(counted: Bool = false) -> String {
        guard let client else { return "unix" }
        return counted ? client.network.description : client.description
    }

    /// The last entry of `X-Forwarded-For` that is not itself a trusted proxy.
    private static func client(_ head: HTTPRequestHead, peer: PeerAddress, proxies: TrustedProxies) -> IPAddress? {
        let entries = head.headers.values(of: "x-forwarded-for").flatMap { $0.split(separator: ",") }
        var last = peer.ip
        for entry in entries.reversed() {
            guard let address = address(entry) else { return last }
            last = address
            if !proxies.trusts(address) { return address }
        }
        return last
    }

    /// An entry as proxies write it: an address, perhaps in brackets, perhaps with a port.
    private static func address(_ entry: Substring) -> IPAddress? {
        let text = entry.trimmingPrefix { $0 == " " || $0 == "\t" }
        let trimmed = String(text.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        if let plain = IPAddress(trimmed) { return plain }
        if trimmed.hasPrefix("["), let end = trimmed.firstIndex(of: "]") {
            return IPAddress(String(trimmed[trimmed.index(after: trimmed.startIndex)..<end]))
        }
        guard let colon = trimmed.lastIndex(of: ":") else { return nil }
        return IPAddress(String(trimmed[..<colon]))
    }

    private static func single(_ name: String, _ head: HTTPRequestHead) throws(APIError) -> String? {
        let values = head.headers.values(of: name)
        guard let value = values.first else { return nil }
        guard values.count == 1, !value.utf8.contains(UInt8(ascii: ",")) else { throw .ambiguousForwarding }
        return value
    }

    /// Lower case, and without the port that the scheme has anyway.
    private static func canonical(_ host: String, isHTTPS: Bool) -> String {
        let lowered = host.lowercased()
        let port = isHTTPS ? ":443" : ":80"
        return lowered.hasSuffix(port) ? String(lowered.dropLast(port.count)) : lowered
    }
}
