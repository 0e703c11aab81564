/// Where users and credentials are kept.
public enum StoreLocation: Hashable, Sendable {
    case sqlite(path: String)
    /// The whole URI, for libpq.
    case postgres(uri: String)
    /// A scheme that this build's own adapter answers.
    case other(scheme: String, url: String)
}

/// Where challenges wait for their answer.
public enum ChallengeLocation: Hashable, Sendable {
    case memory
    /// The credential store.
    case store
    /// The whole URI; `isTLS` for `rediss`.
    case redis(uri: String, isTLS: Bool)
}

/// How mail leaves.
public enum MailServer: Hashable, Sendable {
    case off
    /// Printed, never sent; only under `dev`.
    case terminal
    case smtp(ServerURL)
}

/// A URL of a server, in its parts.
public struct ServerURL: Hashable, Sendable {
    /// `smtp`, `smtps`, `redis`, `rediss`, `https`.
    public let scheme: String
    /// With percent-encoding taken off, as are all parts.
    public let user: String?
    public let password: String?
    /// A name or an address, without brackets.
    public let host: String
    public let port: UInt16?
    /// With its slash, or empty.
    public let path: String
    /// As it was written.
    public let text: String
}

extension StoreLocation: CustomStringConvertible {
    /// As the setting is written, without a password.
    public var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .postgres(let uri), .other(_, let uri): masked(uri)
        }
    }
}

extension StoreLocation {
    /// As an adapter takes it, with its password: for opening the store, never for showing.
    public var url: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .postgres(let uri), .other(_, let uri): uri
        }
    }
}

extension ChallengeLocation: CustomStringConvertible {
    /// As the setting is written, without a password.
    public var description: String {
        switch self {
        case .memory: "memory"
        case .store: "store"
        case .redis(let uri, _): masked(uri)
        }
    }
}

extension ChallengeLocation {
    /// As the setting is written, with what it has of secrets: to open it.
    public var url: String {
        switch self {
        case .memory: "memory"
        case .store: "store"
        case .redis(let uri, _): uri
        }
    }
}

extension MailServer: CustomStringConvertible {
    /// As the setting is written, without a password.
    public var description: String {
        switch self {
        case .off: "off"
        case .terminal: "on the terminal"
        case .smtp(let url): masked(url.text)
        }
    }
}

extension StoreLocation {
    init(_ item: RawItem, knownSchemes: Set<String>) throws(SettingFault) {
        let fault = SettingFault(shown: item.kind == .text ? quoted(masked(item.text)) : nil)
        guard item.kind == .text, let colon = item.text.firstIndex(of: ":") else { throw fault }
        let scheme = item.text[..<colon].lowercased()
        let rest = String(item.text[item.text.index(after: colon)...])
        switch scheme {
        case "sqlite":
            guard !rest.isEmpty, !rest.hasPrefix("//"), !rest.utf8.contains(0) else {
                throw SettingFault(
                    shown: fault.shown,
                    remedy: rest.hasPrefix("///") ? "Write the path alone: sqlite:\(rest.dropFirst(2))." : nil
                )
            }
            self = .sqlite(path: rest)
        case "postgres", "postgresql":
            guard rest.hasPrefix("//"), isPostgresAddress(rest.dropFirst(2)) else { throw fault }
            self = .postgres(uri: item.text)
        case _ where knownSchemes.contains(scheme): self = .other(scheme: scheme, url: item.text)
        default:
            let extra = knownSchemes.subtracting(["sqlite", "postgres", "postgresql"]).sorted().map { $0 + ":" }
            guard !extra.isEmpty else { throw fault }
            throw SettingFault(
                shown: fault.shown,
                remedy: "This build knows \((["sqlite:", "postgres:"] + extra).joined(separator: ", "))."
            )
        }
    }

    var isMemory: Bool { self == .sqlite(path: ":memory:") }
}

extension ChallengeLocation {
    init(_ item: RawItem) throws(SettingFault) {
        guard item.kind == .text else { throw SettingFault() }
        switch item.text {
        case "memory", "memory:": self = .memory
        case "store", "store:": self = .store
        default:
            let parts = item.text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let (address, query) = (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
            let fault = SettingFault(shown: quoted(masked(item.text)))
            if address.lowercased().hasPrefix("redis+unix://") {
                guard isSocketAddress(address.dropFirst("redis+unix://".count)),
                    query.map({ $0.hasPrefix("db=") && UInt16($0.dropFirst(3)) != nil }) ?? true
                else { throw fault }
                self = .redis(uri: item.text, isTLS: false)
                return
            }
            guard let url = ServerURL(address, schemes: ["redis", "rediss"]), url.hasDatabaseNumber else { throw fault }
            let isTLS = url.scheme == "rediss"
            guard query.map({ isTLS && $0.hasPrefix("ca=") && $0.utf8.count > 3 && isPercentEncoded($0) }) ?? true
            else {
                throw fault
            }
            self = .redis(uri: item.text, isTLS: isTLS)
        }
    }
}

extension MailServer {
    init(_ item: RawItem) throws(SettingFault) {
        if item.isOff {
            self = .off
            return
        }
        guard item.kind == .text, let url = ServerURL(item.text, schemes: ["smtp", "smtps"]), url.path.count <= 1 else {
            throw SettingFault(shown: item.kind == .text ? quoted(masked(item.text)) : nil)
        }
        self = .smtp(url)
    }
}

extension ServerURL {
    /// Nothing, or one number.
    fileprivate var hasDatabaseNumber: Bool { path.count <= 1 || UInt16(path.dropFirst()) != nil }
}

/// `[user:password@]/path` to a unix socket.
private func isSocketAddress(_ rest: Substring) -> Bool {
    guard isPrintable(rest), isPercentEncoded(rest), let slash = rest.firstIndex(of: "/") else { return false }
    let credentials = rest[..<slash]
    return rest[slash...].utf8.count > 1
        && (credentials.isEmpty || credentials.hasSuffix("@") && credentials.contains(":"))
}

/// The part of a libpq URI after `//`: hosts with ports, separated by commas, or none at all.
private func isPostgresAddress(_ rest: Substring) -> Bool {
    let address = rest.prefix { $0 != "/" && $0 != "?" }
    guard isPrintable(rest), isPercentEncoded(rest) else { return false }
    let hosts = address.lastIndex(of: "@").map { address[address.index(after: $0)...] } ?? address
    return hosts.isEmpty
        || hosts.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { splitHostAndPort($0) != nil }
}
