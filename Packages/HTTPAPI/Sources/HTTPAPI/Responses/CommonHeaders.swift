import HTTPServer
public import Identity

/// What every answer carries (contract 1.3).
struct CommonHeaders {
    let id: String
    /// Decoded, without dot segments: what was asked for, however it was written.
    let path: String
    let isHTTPS: Bool
    let isLoopbackName: Bool

    func added(to response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers.add("X-Content-Type-Options", "nosniff")
        response.headers.add("Referrer-Policy", "no-referrer")
        response.headers.add("X-Request-Id", id)
        // On a loopback name it would bind every port of the developer's localhost.
        if isHTTPS, !isLoopbackName { response.headers.add("Strict-Transport-Security", "max-age=31536000") }
        if Self.isNoStore(path) {
            response.headers.add("Cache-Control", "no-store")
            response.headers.add("Pragma", "no-cache")
        }
        return response
    }

    /// Everything that is about one user or one request.
    static func isNoStore(_ path: String) -> Bool {
        noStorePrefixes.contains { path.hasPrefix($0) } || noStorePaths.contains(path)
    }

    private static let noStorePrefixes = [
        "/oauth/", "/passkey/", "/me/", "/api/", "/register/", "/login/", "/attestation/", "/assertion/", "/u/",
        "/recovery/", "/oidc/", "/dbconnections/",
    ]
    private static let noStorePaths: Set<String> = [
        "/userinfo", "/authorize", "/authorize/resume", "/v2/logout", "/logout",
    ]
}

/// The name of one request, in its answer and in the log.
enum RequestID {
    /// The request's own, when it is 1 to 64 of `[A-Za-z0-9._-]`; otherwise a new one.
    static func of(_ headers: HTTPHeaders?, random: RandomSource = system) -> String {
        if let given = headers?.bytes(of: "x-request-id"), (1...64).contains(given.count),
            given.allSatisfy(isPlain)
        {
            return String(decoding: given, as: UTF8.self)
        }
        return Base62.encode(random(12), count: 16)
    }

    /// For answers that come from before the use cases and their source.
    private static let system: RandomSource = { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// One request, when it is over, as the log may have it: no bodies, no secrets.
public struct RequestSummary: Sendable {
    public let id: String
    public let tenant: String?
    public let method: String
    /// Without the query.
    public let path: String
    public let status: Int
    /// Why it was refused.
    public let reason: String?
    /// Of a store or key that failed, for the operator.
    public let detail: String?
    public let ceremony: CeremonyID?
    public let address: String
    /// The header `Auth0-Client`, at most 1 KiB of printable ASCII; never judged.
    public let sdk: String?
    public let milliseconds: Int64
}
