internal import Cryptography
internal import Encodings
internal import Identity
internal import JOSE

/// A client's signed word that it is who it says (`private_key_jwt`; RFC 7523 §3, HTTP contract 3.1).
struct ClientAssertion {
    /// SHA-256 of issuer and `jti`.
    let identifierHash: [UInt8]
    /// Until when it must be remembered.
    let expiresAt: UnixTime

    /// How far ahead `exp` may lie, in seconds.
    private static let maximumLifetime: Int64 = 300
    private static let leeway: Int64 = 5
    private static let maximumLength = 8192

    /// Checks everything but that it comes for the first time.
    ///
    /// - Throws: `.clientAuthenticationFailed`.
    static func verify(
        _ text: String,
        of client: Client,
        in context: RequestContext
    ) throws(TokenError) -> ClientAssertion {
        guard text.utf8.count <= maximumLength, let assertion = try? checked(text, of: client, in: context) else {
            throw .clientAuthenticationFailed(usedBasic: false)
        }
        return assertion
    }

    /// The client that an assertion says it comes from, so that the client's keys can be looked up.
    static func unverifiedSubject(of text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= maximumLength, parts.count == 3,
            let payload = try? Base64URL.decode(Array(parts[1])[...]),
            let claims = try? JSON.parse(payload).object
        else { return nil }
        return claims["sub"]?.string.nonEmpty
    }

    private static func checked(
        _ text: String,
        of client: Client,
        in context: RequestContext
    ) throws(JOSEError) -> ClientAssertion {
        let claims = try JWTClaims(try JWS.verify(text, with: try keys(of: client)))
        guard let issuer = claims.issuer, issuer.utf8.elementsEqual(client.id.text.utf8) else {
            throw .malformedClaim("iss")
        }
        guard let subject = claims.subject, subject.utf8.elementsEqual(issuer.utf8) else {
            throw .malformedClaim("sub")
        }
        // One string: with an array, an assertion made for another server could be used here too.
        guard let audience = claims.object["aud"]?.string,
            [context.issuer, context.base + "/oauth/token"].contains(where: { audience.utf8.elementsEqual($0.utf8) })
        else { throw .malformedClaim("aud") }
        try claims.check(at: context.now.seconds, leeway: leeway)
        guard let expiry = claims.expiry, expiry <= context.now.seconds + maximumLifetime + leeway else {
            throw .malformedClaim("exp")
        }
        guard let identifier = claims.object["jti"]?.string, (1...256).contains(identifier.utf8.count) else {
            throw .malformedClaim("jti")
        }
        return ClientAssertion(
            identifierHash: SHA256.hash(Array(issuer.utf8) + [0] + Array(identifier.utf8)),
            expiresAt: UnixTime(seconds: expiry).adding(seconds: leeway + 1)
        )
    }

    /// The registered keys, each with the one algorithm that it is for. Only public keys count.
    private static func keys(of client: Client) throws(JOSEError) -> JWSKeySet {
        var keys: [JWSKey] = []
        for object in client.assertionKeys {
            guard let jwk = try? JWK(object), case .publicKey(let components) = jwk.material else { continue }
            var fallback: JWSAlgorithm?
            if case .rsa = components { fallback = jwk.algorithm == nil ? .rs256 : nil }
            guard let key = try? JWSKey(jwk, algorithm: fallback), [.rs256, .ps256, .es256].contains(key.algorithm)
            else {
                continue
            }
            keys.append(key)
        }
        return try JWSKeySet(keys)
    }
}
