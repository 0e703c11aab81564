internal import Encodings
public import Identity
internal import JOSE

/// An ID token of this tenant that a client brings back to say whom it means (HTTP contract 6.4, 8.1, 8.3). It may be
/// over: it gives no access.
public struct IDTokenHint: Hashable, Sendable {
    public let user: UserID
    public let client: ClientID
    public let session: SessionID?

    /// Longer ones are none of ours.
    private static let maximumLength = 16_384

    /// Verifies `text`.
    ///
    /// - Parameters:
    ///   - text: the parameter.
    ///   - keys: the tenants' keys.
    ///   - context: where.
    /// - Returns: `nil` for anything but an ID token that this tenant signed for one of its clients.
    /// - Throws: `.store`.
    public static func read(
        _ text: String,
        keys: KeyRing,
        in context: RequestContext
    ) async throws(TokenError) -> IDTokenHint? {
        guard text.utf8.count <= maximumLength, let compact = try? CompactJWS(text), let kid = compact.unverifiedKeyID,
            kid.utf8.count <= 64, let key = try await keys.verifier(KeyID(kid), in: context),
            let jws = try? compact.verify(with: key), let claims = try? JWTClaims(jws)
        else { return nil }
        let issuers = context.configuration.bases.map { $0 + "/" }
        guard let issuer = claims.issuer, issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) }),
            claims.audience.count == 1, let audience = claims.audience.first,
            // An access token is for an API, which is no client.
            let client = context.configuration.clients[ClientID(audience)], claims.object["azp"] == nil,
            let subject = claims.subject, subject.utf8.starts(with: "auth0|".utf8), let user = UserID(subject)
        else { return nil }
        return IDTokenHint(
            user: user,
            client: client.id,
            session: claims.object["sid"]?.string.flatMap(SessionID.init)
        )
    }
}
