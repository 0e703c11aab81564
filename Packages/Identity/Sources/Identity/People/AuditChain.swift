/// An audit event as it is stored.
public struct StoredAuditEvent: Hashable, Sendable {
    /// Its place: events are sealed and exported in the order of their ids.
    public let id: TimeOrderedID
    public let event: AuditEvent

    public init(id: TimeOrderedID, event: AuditEvent) {
        self.id = id
        self.event = event
    }
}

/// One link of a tenant's chain: it stands for the events after the link before it, up to ``through``.
public struct AuditSeal: Hashable, Sendable {
    public let tenant: TenantID
    /// From 1, without gaps.
    public let number: Int64
    /// The id of the last event that it stands for.
    public let through: TimeOrderedID
    /// How many events it stands for, at least one.
    public let count: Int64
    /// The ``hash`` of the link before; 32 zeros for the first.
    public let previous: [UInt8]
    /// SHA-256 over ``previous`` and the events, 32 bytes.
    public let hash: [UInt8]
    /// The Ed25519 key that signed it, 32 bytes.
    public let publicKey: [UInt8]
    /// 64 bytes.
    public let signature: [UInt8]
    public let sealedAt: UnixTime

    public init(
        tenant: TenantID,
        number: Int64,
        through: TimeOrderedID,
        count: Int64,
        previous: [UInt8],
        hash: [UInt8],
        publicKey: [UInt8],
        signature: [UInt8],
        sealedAt: UnixTime
    ) {
        self.tenant = tenant
        self.number = number
        self.through = through
        self.count = count
        self.previous = previous
        self.hash = hash
        self.publicKey = publicKey
        self.signature = signature
        self.sealedAt = sealedAt
    }
}
