/// Which Redis server, database and user a URL names.
///
///     redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]
///     rediss://…                                           over TLS, verified; `?ca=FILE` names other roots (PEM)
///     redis+unix://[USER[:PASSWORD]@]/PATH[?db=DATABASE]
public struct RedisLocation: Hashable, Sendable {
    public enum Endpoint: Hashable, Sendable {
        case tcp(host: String, port: UInt16)
        case unix(path: String)
    }

    public let endpoint: Endpoint
    public let isTLS: Bool
    /// A file of root certificates instead of the system's.
    public let authorities: String?
    /// With a password alone it is the user `default`.
    public let user: String?
    public let password: String?
    public let database: UInt16

    /// - Throws: what is wrong with the URL.
    public init(_ url: String) throws(RedisLocationError) {
        guard let separator = url.firstIndex(of: ":") else { throw .notAURL }
        let scheme = url[..<separator].lowercased()
        let rest = url[separator...]
        guard rest.hasPrefix("://") else { throw .notAURL }
        let parts = rest.dropFirst(3).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts.first ?? ""
        let query = try Self.query(parts.count > 1 ? parts[1] : nil)
        let slash = place.firstIndex(of: "/") ?? place.endIndex
        let credentials = place[..<slash].lastIndex(of: "@").map { place[..<$0] }
        let host = credentials.map { place[place.index(after: $0.endIndex)..<slash] } ?? place[..<slash]
        (user, password) = try Self.credentials(credentials)
        switch scheme {
        case "redis+unix":
            let path = try Self.decoded(place[slash...])
            guard host.isEmpty, path.count > 1 else { throw .noPath }
            try Self.requireKnown(query, ["db"])
            endpoint = .unix(path: path)
            isTLS = false
            authorities = nil
            database = try Self.database(query["db"] ?? "")
        case "redis", "rediss":
            endpoint = try Self.endpoint(host)
            isTLS = scheme == "rediss"
            try Self.requireKnown(query, isTLS ? ["ca"] : [])
            authorities = query["ca"]
            database = try Self.database(String(place[slash...].dropFirst()))
        default: throw .unknownScheme(scheme)
        }
    }

    private static func endpoint(_ text: Substring) throws(RedisLocationError) -> Endpoint {
        var host = text
        var port: Substring = "6379"
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw .noHost }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw .noHost }
            if !rest.isEmpty { port = rest.dropFirst() }
        } else if let colon = text.lastIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
            guard !host.contains(":") else { throw .noHost }
        }
        guard !host.isEmpty else { throw .noHost }
        guard let number = UInt16(port), number > 0 else { throw .badPort(String(port)) }
        return .tcp(host: String(host), port: number)
    }

    private static func credentials(_ text: Substring?) throws(RedisLocationError) -> (String?, String?) {
        guard let text else { return (nil, nil) }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let user = try decoded(parts.first ?? "")
        let password = parts.count > 1 ? try decoded(parts[1]) : nil
        guard password != nil else { throw .noPassword }
        return (user.isEmpty ? nil : user, password)
    }

    private static func database(_ text: String) throws(RedisLocationError) -> UInt16 {
        if text.isEmpty { return 0 }
        guard let number = UInt16(text) else { throw .badDatabase(text) }
        return number
    }

    private static func query(_ text: Substring?) throws(RedisLocationError) -> [String: String] {
        var values: [String: String] = [:]
        for member in (text ?? "").split(separator: "&") {
            let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[String(parts.first ?? "")] = try decoded(parts.count > 1 ? parts[1] : "")
        }
        return values
    }

    private static func requireKnown(_ query: [String: String], _ names: [String]) throws(RedisLocationError) {
        for name in query.keys.sorted() where !names.contains(name) { throw .unknownOption(name, known: names) }
    }

    private static func decoded(_ text: Substring) throws(RedisLocationError) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = hexadecimal(rest.prefix(2)), value != 0 else { throw .badEncoding }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .badEncoding }
        return decoded
    }

    /// The value of exactly two digits.
    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.count == 2, let first = digits.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else {
            return nil
        }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

extension RedisLocation: CustomStringConvertible {
    /// The server alone, as the operator's log may have it: `Redis at host:6379`.
    public var description: String {
        switch endpoint {
        case .tcp(let host, let port): "Redis at \(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .unix(let path): "Redis at \(path)"
        }
    }
}

/// What is wrong with a URL of a Redis server. It repeats nothing that may be secret.
public enum RedisLocationError: Error, Hashable, Sendable {
    case notAURL, noHost, noPath, noPassword, badEncoding
    case unknownScheme(String)
    case badPort(String)
    case badDatabase(String)
    case unknownOption(String, known: [String])
}

extension RedisLocationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAURL: "it is no URL"
        case .noHost: "it names no host"
        case .noPath: "it names no socket: redis+unix:///run/redis/redis.sock"
        case .noPassword: "it has a user and no password: USER:PASSWORD@"
        case .badEncoding: "a % in it is not followed by two hexadecimal digits"
        case .unknownScheme(let scheme): "\(scheme) is no scheme of Redis: redis, rediss or redis+unix"
        case .badPort(let text): "its port is \"\(text)\", which is no number from 1 to 65535"
        case .badDatabase(let text): "its database is \"\(text)\", which is no number"
        case .unknownOption(let name, let known):
            known.isEmpty
                ? "it has an option \"\(name)\", and there is none"
                : "it has an option \"\(name)\", and there is only \(known.joined(separator: ", "))"
        }
    }
}
