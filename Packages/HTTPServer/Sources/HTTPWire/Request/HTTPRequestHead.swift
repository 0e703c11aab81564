/// Request line and fields of one request, checked (RFC 9112 §2 to §6).
///
/// A value of its own: it holds one copy of the bytes and ranges into it, behind one reference, since it is handed on
/// many times and never changed.
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

    struct Parts: Hashable, Sendable {
        let method: HTTPMethod
        let version: Version
        let headers: HTTPHeaders
        let framing: Framing
        let keepsAlive: Bool
        let expectsContinue: Bool
        let target: Range<UInt32>
        let authority: Range<UInt32>
        let path: Range<UInt32>
        let query: Range<UInt32>?
    }

    private final class Storage: Sendable {
        let parts: Parts

        init(_ parts: Parts) { self.parts = parts }
    }

    private let storage: Storage
    private var parts: Parts { storage.parts }

    init(_ parts: Parts) { storage = Storage(parts) }

    public static func == (one: HTTPRequestHead, other: HTTPRequestHead) -> Bool { one.parts == other.parts }

    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    public var method: HTTPMethod { storage.parts.method }
    public var version: Version { storage.parts.version }
    public var headers: HTTPHeaders { storage.parts.headers }
    public var framing: Framing { storage.parts.framing }
    /// Whether the client leaves the connection open for another request.
    public var keepsAlive: Bool { storage.parts.keepsAlive }
    /// Whether the client waits for `100 Continue` before it sends the body.
    public var expectsContinue: Bool { storage.parts.expectsContinue }

    /// The whole target as it was sent.
    public var target: String { text(storage.parts.target) }

    /// The host and, if sent, the port that the request is for, as sent: of a target in absolute form its own
    /// (RFC 9112 §3.2.2), else the `Host` field's. Empty for an HTTP/1.0 request that names none.
    public var authority: String { text(storage.parts.authority) }

    /// The path as it was sent, not decoded: `/…`, or `*` (for OPTIONS only).
    public var path: String { storage.parts.path.isEmpty ? "/" : text(storage.parts.path) }

    /// The bytes of ``path``.
    public var pathBytes: ArraySlice<UInt8> { storage.parts.path.isEmpty ? [0x2F] : slice(storage.parts.path) }

    /// What follows the first `?` of the target, not decoded.
    public var query: String? { storage.parts.query.map { text($0) } }

    /// The bytes of ``query``.
    public var queryBytes: ArraySlice<UInt8>? { storage.parts.query.map { slice($0) } }

    private func slice(_ range: Range<UInt32>) -> ArraySlice<UInt8> {
        storage.parts.headers.bytes[Int(range.lowerBound)..<Int(range.upperBound)]
    }

    private func text(_ range: Range<UInt32>) -> String {
        String(decoding: slice(range), as: UTF8.self)
    }
}
