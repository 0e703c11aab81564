internal import Cryptography
internal import Encodings
internal import Identity
internal import JOSE

/// A JWK set as it is served (HTTP contract 6.7).
public struct PublishedKeySet: Hashable, Sendable {
    /// JSON.
    public let body: [UInt8]
    /// With its quotes, as the header `ETag` has it.
    public let entityTag: String

    /// Current keys first, then the next ones, then every earlier one whose last token is not over.
    ///
    /// - Parameters:
    ///   - records: the tenant's keys.
    ///   - tokenLifetime: the longest of the tenant, in seconds.
    ///   - now: the moment.
    init(_ records: [SigningKeyRecord], tokenLifetime: Int64, now: UnixTime) {
        let shown = records.filter { record in
            record.revokedAt == nil && Self.end(of: record, tokenLifetime: tokenLifetime).map { now < $0 } ?? true
                && record.state != .retired
        }
        let sorted = shown.sorted { Self.place($0) < Self.place($1) }
        let keys = sorted.compactMap { record -> JWK? in
            guard let key = try? VerifyingKey(subjectPublicKeyInfo: record.publicKey) else { return nil }
            return JWK(
                publicKey: key.components,
                keyID: record.id.text,
                algorithm: JWSAlgorithm(rawValue: record.algorithm.rawValue),
                certificates: [record.certificate]
            )
        }
        body = JWKSet(keys).serialized()
        entityTag = "\"\(Base64URL.encode(SHA256.hash(body).prefix(16)))\""
    }

    /// When a key that no longer signs leaves the set: its last token's end and 5 minutes more, also when the tenant's
    /// tokens live shorter by now than when it signed.
    static func end(of record: SigningKeyRecord, tokenLifetime: Int64) -> UnixTime? {
        guard record.state == .retiring, let stopped = record.retiringAt else { return nil }
        return stopped.adding(seconds: max(tokenLifetime, record.tokenLifetime)).adding(seconds: 300)
    }

    /// By state, then by algorithm, RS256 first, then the newest first.
    private static func place(_ record: SigningKeyRecord) -> (Int, Int, Int64) {
        let state =
            switch record.state {
            case .active: 0
            case .published: 1
            case .retiring, .retired: 2
            }
        let algorithm = TokenAlgorithm.allCases.firstIndex(of: record.algorithm) ?? 0
        return (state, algorithm, -record.createdAt.milliseconds)
    }
}

extension TenantConfiguration {
    /// The longest life of any token of the tenant, in seconds.
    var longestTokenLifetime: Int64 {
        let access = resourceServers.map(\.tokenLifetime)
        let identity = clients.values.map(\.idTokenLifetime)
        return (access + identity).reduce(AccessTokenForm.userInfoLifetime, max)
    }
}
