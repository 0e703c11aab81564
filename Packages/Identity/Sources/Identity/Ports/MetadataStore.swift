/// Keeps what is known of authenticators' models, for the whole deployment, and gives the passkeys to hold against it.
public protocol MetadataStore: Sendable {
    /// A number that grows whenever ``keep(_:inPlaceOf:)`` keeps something; 0 as long as nothing is kept.
    func metadataRevision() async throws(StoreError) -> Int64
    func metadata() async throws(StoreError) -> StoredMetadata?
    /// Keeps `metadata` in the place of what was there, unless that has a higher number; one atomic step.
    ///
    /// - Parameters:
    ///   - metadata: the new one.
    ///   - number: the number of one that it may replace although that is higher; `nil`: none.
    /// - Returns: false when what is there has a higher number; then nothing was done.
    /// - Throws: ``StoreError``.
    func keep(_ metadata: StoredMetadata, inPlaceOf number: Int64?) async throws(StoreError) -> Bool
    /// All passkeys of the tenant in the order of their numbers, from after `cursor`; at most `limit`.
    func passkeys(of tenant: TenantID, after cursor: PasskeyNumber?, limit: Int) async throws(StoreError) -> [Passkey]
    /// The attestation object of a passkey, when one was kept.
    func attestationObject(of passkey: PasskeyNumber, tenant: TenantID) async throws(StoreError) -> [UInt8]?
}

/// The payload of a metadata BLOB whose signature was verified when it was taken.
public struct StoredMetadata: Hashable, Sendable {
    /// `no`.
    public let number: Int64
    /// `nextUpdate`, as `2026-12-31`.
    public let nextUpdate: String
    /// The signed payload, a JSON object.
    public let payload: [UInt8]
    /// The subject of the certificate that signed it.
    public let signer: String
    public let importedAt: UnixTime

    public init(number: Int64, nextUpdate: String, payload: [UInt8], signer: String, importedAt: UnixTime) {
        self.number = number
        self.nextUpdate = nextUpdate
        self.payload = payload
        self.signer = signer
        self.importedAt = importedAt
    }
}
