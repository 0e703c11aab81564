public import Encodings

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
    /// RP IDs of before, whose passkeys still sign in here; new ones are made for ``relyingPartyID`` alone.
    public var legacyRelyingPartyIDs: [String]
    /// Origins under other names that may use the RP ID (WebAuthn L3 §5.11), as `https://shop.example`.
    public var relatedOrigins: [String]
    /// Whether it is the one of the tenant's custom domains that is meant where none is named.
    public var isDefault: Bool
    /// How the name was proven to be the tenant's.
    public var verification: DomainVerification
    /// Members that are kept and given back, and not acted on.
    public var stored: JSONObject
    public let createdAt: UnixTime
    public var updatedAt: UnixTime

    public init(
        id: DomainID,
        tenant: TenantID,
        host: String,
        isCanonical: Bool,
        status: DomainStatus,
        relyingPartyID: String,
        legacyRelyingPartyIDs: [String] = [],
        relatedOrigins: [String] = [],
        isDefault: Bool = false,
        verification: DomainVerification = DomainVerification(),
        stored: JSONObject = JSONObject(),
        createdAt: UnixTime,
        updatedAt: UnixTime? = nil
    ) {
        self.id = id
        self.tenant = tenant
        self.host = host
        self.isCanonical = isCanonical
        self.status = status
        self.relyingPartyID = relyingPartyID
        self.legacyRelyingPartyIDs = legacyRelyingPartyIDs
        self.relatedOrigins = relatedOrigins
        self.isDefault = isDefault
        self.verification = verification
        self.stored = stored
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
    }

    /// The host without its port.
    public var name: String { HostName.withoutPort(host) }
    /// `localhost`, `*.localhost`, `127.0.0.1` or `[::1]`: a name that only this machine can mean.
    public var isLoopbackName: Bool { HostName.isLoopback(name) }
}

extension Domain {
    /// The RP IDs that sign-ins on this domain may be for, the current one first.
    public var relyingPartyIDs: [String] { [relyingPartyID] + legacyRelyingPartyIDs }

    /// Whether ceremonies on this domain may be for `id`.
    public func serves(_ id: String) -> Bool {
        relyingPartyIDs.contains { $0.utf8.elementsEqual(id.utf8) }
    }
}

/// How a domain's name, and RP IDs above or beside it, were proven to be the tenant's (HTTP contract 11.6).
public struct DomainVerification: Hashable, Sendable {
    /// The text of the TXT record that proves a name; empty for a domain that needed no proof yet.
    public var record: String
    /// When the domain's own name was last proven, or confirmed by the operator.
    public var verifiedAt: UnixTime?
    /// Other names that were proven with ``record``, or confirmed: RP IDs.
    public var provenNames: [String]
    /// Why the last try proved nothing; a sentence.
    public var problem: String?

    public init(
        record: String = "",
        verifiedAt: UnixTime? = nil,
        provenNames: [String] = [],
        problem: String? = nil
    ) {
        self.record = record
        self.verifiedAt = verifiedAt
        self.provenNames = provenNames
        self.problem = problem
    }

    /// Where the TXT record for `name` is looked for.
    public static func recordName(of name: String) -> String { "_pk-verify." + name }
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
