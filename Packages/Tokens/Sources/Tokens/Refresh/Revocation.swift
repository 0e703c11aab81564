internal import Cryptography
internal import Encodings
public import Identity

/// Revokes a refresh token with its whole family (HTTP contract 5.5, RFC 7009).
public struct Revocation: Sendable {
    private let store: any RefreshTokenStore

    /// - Parameter store: where families are kept.
    public init(store: any RefreshTokenStore) {
        self.store = store
    }

    /// Revokes `token`. One that is unknown, or revoked already, is no error.
    ///
    /// - Throws: `.foreignToken`, `.unsupportedTokenType` for an access token, `.store`.
    public func revoke(_ token: String, client: Client, in context: RequestContext) async throws(TokenError) {
        guard let presented = RefreshTokenText(token) else {
            if Self.isJWT(token) { throw .unsupportedTokenType }
            return
        }
        let found = try await stored { () async throws(StoreError) in
            try await store.refreshGrant(presented.id, of: context.tenant)
        }
        guard let found, constantTimeEqual(found.token.secretHash, presented.secretHash) else { return }
        let family = found.family
        guard family.client.text.utf8.elementsEqual(client.id.text.utf8) else { throw .foreignToken }
        let event = AuditEvent(
            tenant: context.tenant,
            types: ["srrt"],
            at: context.now,
            user: family.user,
            client: client.id,
            device: context.device,
            details: ["family_id": .string(family.id.id.base62)]
        )
        try await stored { () async throws(StoreError) in
            if context.settings.revokeRefreshTokenGrant {
                try await store.revokeAll(
                    user: family.user,
                    client: client.id,
                    audience: family.audience,
                    of: context.tenant,
                    audit: event
                )
            } else if family.revokedAt == nil {
                try await store.revoke(family.id, of: context.tenant, audit: event)
            }
        }
    }

    /// Three segments, the first of which is a JSON object with `alg`.
    private static func isJWT(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= 4096, let header = try? Base64URL.decode(Array(parts[0])[...]) else {
            return false
        }
        return (try? JSON.parse(header))?.object?["alg"] != nil
    }
}
