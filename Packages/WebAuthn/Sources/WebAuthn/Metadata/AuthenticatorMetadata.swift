internal import CBOR
internal import Cryptography

/// The models that a metadata BLOB describes, to be looked up by what a ceremony shows of them.
public struct AuthenticatorMetadata: Sendable {
    /// `no` of the BLOB.
    public let number: Int64
    /// `nextUpdate` of the BLOB.
    public let nextUpdate: String
    private let models: [AAGUID: MetadataEntry]
    private let modelsByKey: [[UInt8]: MetadataEntry]
    private let payload: MetadataPayload

    public init(_ payload: MetadataPayload) {
        number = payload.number
        nextUpdate = payload.nextUpdate
        self.payload = payload
        // Were a model there twice, the entry that speaks against it counts; the service says that none is.
        models = Dictionary(
            payload.entries.compactMap { entry in entry.aaguid.map { ($0, entry) } },
            uniquingKeysWith: Self.graver
        )
        modelsByKey = Dictionary(
            payload.entries.flatMap { entry in entry.attestationKeyIdentifiers.map { ($0, entry) } },
            uniquingKeysWith: Self.graver
        )
    }

    /// Of two entries for one model the first, unless the second alone tells of a compromise.
    private static func graver(_ first: MetadataEntry, _ second: MetadataEntry) -> MetadataEntry {
        let end = Int64.max
        return first.compromise(at: end) == nil && second.compromise(at: end) != nil ? second : first
    }

    /// Whether there should be newer data at `time`, in Unix seconds.
    public func isStale(at time: Int64) -> Bool { payload.isStale(at: time) }

    /// From when there should be newer data, in Unix seconds.
    public var staleAt: Int64 { payload.end }

    /// How many models there are.
    public var count: Int { payload.entries.count }

    /// The model of this AAGUID; `nil` for ``AAGUID/zero``, which says nothing.
    public func model(_ aaguid: AAGUID) -> MetadataEntry? {
        aaguid == .zero ? nil : models[aaguid]
    }

    /// What a user interface may call the model, by its metadata or as a well-known provider.
    public func name(_ aaguid: AAGUID) -> String? {
        let name = model(aaguid)?.statement?.name ?? ""
        return name.isEmpty ? WellKnownProviders.name(aaguid) : name
    }

    /// The U2F model of which an attestation certificate has the key with this identifier (20 bytes).
    public func model(attestationKeyIdentifier identifier: [UInt8]) -> MetadataEntry? {
        modelsByKey[identifier]
    }

    /// The model of a stored credential: by its AAGUID, or, where that says nothing, by the certificates of its
    /// attestation object.
    public func model(_ aaguid: AAGUID, attestationObject: [UInt8]?) -> MetadataEntry? {
        if aaguid != .zero { return models[aaguid] }
        guard let attestationObject, let object = try? AttestationObject(decoding: attestationObject),
            let x5c = object.statement.map?["x5c"], let path = try? AttestationCertificate.path(x5c)
        else { return nil }
        return model(certifiedBy: path.path)
    }

    /// The model that a trust path belongs to, by its certificates' keys.
    func model(certifiedBy path: [Certificate]) -> MetadataEntry? {
        for certificate in path {
            if let identifier = try? certificate.publicKey.keyIdentifier(), let entry = modelsByKey[identifier] {
                return entry
            }
        }
        return nil
    }
}
