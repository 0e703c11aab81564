/// Request line and fields of one request, checked (RFC 9112 §2 to §6).
///
/// A value of its own: it holds one copy of the bytes and ranges into it.
public struct HTTPRequestHead: Hashable, Sendable {
    /// The two versions that are understood. Later ones of HTTP/1 count as 1.1 (RFC 9110 §2.5).
    public enum Version: Hashable, Sendable {
        case http10
        case http11
    }

    /// How the length of the body is told (RFC 9112 §6).
    public enum Framing: Hashable, Sendable {
        /// `Content-Length`, or 0 without it.
        case length(Int)
        case chunked
    }

    static let longestMethod = 32

    public let method: HTTPMethod
    public let version: Version
    public let headers: HTTPHeaders
    public let framing: Framing
    /// Whether the client leaves the connection open for another request.
    public let keepsAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body.
    public let expectsContinue: Bool
    let targetRange: Range<UInt32>
    let authorityRange: Range<UInt32>
    let pathRange: Range<UInt32>
    let queryRange: Range<UInt32>?

    /// The whole target as it was sent.
    public var target: String { text(targetRange) }

    /// The host and, if sent, the port that the request is for, as sent: of a target in absolute form its own
    /// (RFC 9112 §3.2.2), else the `Host` field's. Empty for an HTTP/1.0 request that names none.
    public var authority: String { text(authorityRange) }

    /// The path as it was sent, not decoded: `/…`, or `*` (for OPTIONS only).
    public var path: String { pathRange.isEmpty ? "/" : text(pathRange) }

    /// The bytes of ``path``.
    public var pathBytes: ArraySlice<UInt8> { pathRange.isEmpty ? [0x2F] : slice(pathRange) }

    /// What follows the first `?` of the target, not decoded.
    public var query: String? { queryRange.map { text($0) } }

    /// The bytes of ``query``.
    public var queryBytes: ArraySlice<UInt8>? { queryRange.map { slice($0) } }

    private func slice(_ range: Range<UInt32>) -> ArraySlice<UInt8> {
        headers.bytes[Int(range.lowerBound)..<Int(range.upperBound)]
    }

    private func text(_ range: Range<UInt32>) -> String {
        String(decoding: slice(range), as: UTF8.self)
    }
}
