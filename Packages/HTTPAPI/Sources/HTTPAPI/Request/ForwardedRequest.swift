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
    /// Whether the client is on this machine.
    let isLoopbackClient: Bool
    /// Whether plain HTTP was spoken by somebody who may: a loopback peer, a `unix:` socket, or a trusted proxy that
    /// says the client spoke https.
    let mayUsePlainHTTP: Bool

    init(_ head: HTTPRequestHead, peer: PeerAddress, isTLS: Bool, proxies: TrustedProxies) throws(APIError) {
        var host = head.authority
        var isHTTPS = isTLS
        var client = peer.ip
        var isReadable = true
        let isProxied = proxies.trusts(peer)
        if isProxied {
            if let forwarded = try Self.single("x-forwarded-host", head) { host = forwarded }
            if let scheme = try Self.single("x-forwarded-proto", head) {
                isHTTPS = scheme.lowercased() == "https"
            }
            (client, isReadable) = Self.client(head, peer: peer, proxies: proxies)
        }
        self.host = Self.canonical(host, isHTTPS: isHTTPS)
        self.isHTTPS = isHTTPS
        self.client = client
        isLoopbackClient = isReadable && client?.isLoopback ?? true
        // What a trusted proxy says of its client's scheme counts, also when the proxy itself speaks TLS to us.
        mayUsePlainHTTP = isHTTPS || (peer.isLocal && !(isProxied && head.headers.contains("x-forwarded-proto")))
    }

    /// The client's address as it is kept and counted: IPv6 by its /64 where `counted`.
    func addressText(counted: Bool = false) -> String {
        guard let client else { return "unix" }
        return counted ? client.network.description : client.description
    }

    /// The last entry of `X-Forwarded-For` that is not itself a trusted proxy.
    ///
    /// - Returns: the address, and whether it is the client's: behind an entry that is no address may be anybody, and
    ///   the proxy that wrote it is counted instead.
    private static func client(
        _ head: HTTPRequestHead,
        peer: PeerAddress,
        proxies: TrustedProxies
    ) -> (IPAddress?, isReadable: Bool) {
        let entries = head.headers.values(of: "x-forwarded-for").flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        var last = peer.ip
        for entry in entries.reversed() {
            guard let address = address(entry) else { return (last, false) }
            last = address
            if !proxies.trusts(address) { break }
        }
        return (last, true)
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

    /// Lower case, and without the port that the scheme has anyway. Letters of ASCII alone: Unicode's lower case turns
    /// other characters into them.
    private static func canonical(_ host: String, isHTTPS: Bool) -> String {
        let isUpper = { (byte: UInt8) in UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte }
        let lowered =
            host.utf8.contains(where: isUpper)
            ? String(decoding: host.utf8.map { isUpper($0) ? $0 | 0x20 : $0 }, as: UTF8.self) : host
        let port = isHTTPS ? ":443" : ":80"
        return lowered.hasSuffix(port) ? String(lowered.dropLast(port.count)) : lowered
    }
}
