public import Encodings

/// How a ceremony ended, kept so that an operator can be told why.
public struct CeremonyRecord: Hashable, Sendable {
    public let id: CeremonyID
    public let tenant: TenantID
    public let client: ClientID
    public let connection: ConnectionID?
    /// `signup`, `enroll`, `upgrade` or `login`.
    public let purpose: String
    /// `accepted`, or a word of the closed list of reasons.
    public let outcome: String
    /// The step of WebAuthn L3 that refused, as `7.2 step 13`.
    public let step: String?
    public let user: UserID?
    public let startedAt: UnixTime
    public let endedAt: UnixTime
    public let device: Device
    /// Decoded fields, expected against got; bounded, escaped, without secrets.
    public let details: JSONObject

    public init(
        id: CeremonyID,
        tenant: TenantID,
        client: ClientID,
        connection: ConnectionID?,
        purpose: String,
        outcome: String,
        step: String?,
        user: UserID?,
        startedAt: UnixTime,
        endedAt: UnixTime,
        device: Device,
        details: JSONObject
    ) {
        self.id = id
        self.tenant = tenant
        self.client = client
        self.connection = connection
        self.purpose = purpose
        self.outcome = outcome
        self.step = step
        self.user = user
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.device = device
        self.details = details
    }

    public static let accepted = "accepted"
}

/// Something that matters for security happened, in the words of the contract's log types.
public struct AuditEvent: Hashable, Sendable {
    public let tenant: TenantID
    /// `ss`, `s`, `sepkft`, `fepkft`, `ferrt`, `srrt`, …; several when one row stands for several (`s` and `sepkft`).
    public let types: [String]
    public let at: UnixTime
    public let user: UserID?
    public let client: ClientID?
    public let connection: ConnectionID?
    public let device: Device
    public let details: JSONObject

    public init(
        tenant: TenantID,
        types: [String],
        at: UnixTime,
        user: UserID? = nil,
        client: ClientID? = nil,
        connection: ConnectionID? = nil,
        device: Device,
        details: JSONObject = JSONObject()
    ) {
        self.tenant = tenant
        self.types = types
        self.at = at
        self.user = user
        self.client = client
        self.connection = connection
        self.device = device
        self.details = details
    }
}
