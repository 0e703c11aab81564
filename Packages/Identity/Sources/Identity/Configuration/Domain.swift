/// A host name that belongs to a tenant: requests find their tenant by it.
public struct Domain: Hashable, Sendable {
    public let id: DomainID
    public let tenant: TenantID
    /// Lower-case ASCII host, with `:port` when the port is not the scheme's default: `login.example.com`,
    /// `localhost:8080`. Unique in the deployment.
    public let host: String
    /// The tenant's first domain, as against a custom one.
    public let isCanonical: Bool
    public var status: DomainStatus
    /// The RP ID of ceremonies begun on this domain.
    public var relyingPartyID: String
    public var legacyRelyingPartyIDs: [String]
    /// Origins under other names that may use the RP ID (WebAuthn L3 §5.11), as `https://shop.example`.
    public var relatedOrigins: [String]
    public let createdAt: UnixTime

    public init(
        id: DomainID,
        tenant: TenantID,
        host: String,
        isCanonical: Bool,
        status: DomainStatus,
        relyingPartyID: String,
        legacyRelyingPartyIDs: [String] = [],
        relatedOrigins: [String] = [],
        createdAt: UnixTime
    ) {
        self.id = id
        self.tenant = tenant
        self.host = host
        self.isCanonical = isCanonical
        self.status = status
        self.relyingPartyID = relyingPartyID
        self.legacyRelyingPartyIDs = legacyRelyingPartyIDs
        self.relatedOrigins = relatedOrigins
        self.createdAt = createdAt
    }

    /// The host without its port.
    public var name: String { HostName.withoutPort(host) }
    /// `localhost`, `*.localhost`, `127.0.0.1` or `[::1]`: a name that only this machine can mean.
    public var isLoopbackName: Bool { HostName.isLoopback(name) }
}

public enum DomainStatus: String, Hashable, Sendable {
    case pendingVerification = "pending_verification"
    case ready
    case failed
}

/// What can be said of a host name by its text alone.
public enum HostName {
    /// `host` without `:port`; an IPv6 address keeps its brackets.
    public static func withoutPort(_ host: String) -> String {
        let bytes = Array(host.utf8)
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return host }
        if let bracket = bytes.lastIndex(of: UInt8(ascii: "]")), bracket > colon { return host }
        return String(decoding: bytes[..<colon], as: UTF8.self)
    }

    /// Whether `name` (no port) is `localhost`, `*.localhost`, `127.0.0.1` or `[::1]`.
    public static func isLoopback(_ name: String) -> Bool {
        let lowered = name.lowercased()
        return lowered == "localhost" || lowered.hasSuffix(".localhost") || lowered == "127.0.0.1" || lowered == "[::1]"
    }
}
