internal import Cryptography
internal import Encodings
public import Identity
internal import JOSE
internal import Threads

/// Checks access tokens that this server made (HTTP contract 6.4).
///
/// The key that `kid` names fixes the algorithm; nothing else in the header has a say. Claims of a token that was
/// verified are remembered until it expires, so that a signature is checked once.
public final class AccessTokenVerifier: Sendable {
    private let keys: KeyRing
    private let codes: (any AuthorizationCodeStore)?
    private let remembered: Lock<RecentTokens>

    /// Longer tokens are none of ours.
    private static let maximumLength = 8192
    /// Seconds by which clocks may differ.
    private static let leeway: Int64 = 5

    /// - Parameters:
    ///   - keys: the tenants' keys.
    ///   - codes: says which authorization codes were replayed: what they were exchanged for is good no more; `nil`:
    ///     nobody is asked.
    ///   - capacity: how many tokens are remembered at most.
    public init(keys: KeyRing, codes: (any AuthorizationCodeStore)? = nil, capacity: Int = 4096) {
        self.keys = keys
        self.codes = codes
        remembered = Lock(RecentTokens(capacity: capacity))
    }

    /// The claims of a token that is good for `audience` now.
    ///
    /// - Parameters:
    ///   - token: as it was presented.
    ///   - audience: which of the server's own APIs is asked.
    ///   - context: where and when.
    ///   - expired: what is thrown for a token that was good and is over.
    /// - Returns: what the token says.
    /// - Throws: `.invalidToken`, `expired`, `.store`.
    public func verify(
        _ token: String,
        for audience: OwnAudience,
        in context: RequestContext,
        expired: TokenError = .invalidToken
    ) async throws(TokenError) -> AccessTokenClaims {
        let verified = try await verified(token, in: context, expired: expired)
        let claims = verified.claims
        guard context.now < claims.expiresAt.adding(seconds: Self.leeway) else { throw expired }
        let bases = context.configuration.bases
        guard bases.contains(where: { verified.issuer.utf8.elementsEqual(($0 + "/").utf8) }) else {
            throw .invalidToken
        }
        let accepted = bases.map { Array(($0 + audience.path).utf8) }
        guard claims.audience.contains(where: { accepted.contains(Array($0.utf8)) }) else { throw .invalidToken }
        if let code = claims.code, let codes {
            let wasReplayed = try await stored { () async throws(StoreError) in
                try await codes.wasReplayed(codeHash: code, of: context.tenant)
            }
            guard !wasReplayed else { throw .invalidToken }
        }
        return claims
    }

    /// A token whose signature is right, from memory or by checking it.
    private func verified(
        _ text: String,
        in context: RequestContext,
        expired: TokenError
    ) async throws(TokenError) -> VerifiedToken {
        guard text.utf8.count <= Self.maximumLength else { throw .invalidToken }
        let bytes = Array(text.utf8)
        let hash = SHA256.hash(bytes)
        if let found = remembered.withLock({ $0.token(hash) }), found.tenant == context.tenant,
            // Its key may have been revoked since.
            try await keys.verifier(found.key, in: context) != nil
        {
            return found
        }
        guard let compact = try? CompactJWS(bytes[...]), let kid = compact.unverifiedKeyID, kid.utf8.count <= 64,
            let key = try await keys.verifier(KeyID(kid), in: context),
            let jws = try? compact.verify(with: key)
        else { throw .invalidToken }
        let token: VerifiedToken
        do throws(JOSEError) {
            token = try VerifiedToken(jws, kid, context.tenant, now: context.now)
        } catch .expired {
            throw expired
        } catch {
            throw .invalidToken
        }
        remembered.withLock { $0.remember(token, as: hash) }
        return token
    }

    /// Reads the claims and checks the times; `exp` is checked at every use again.
    struct VerifiedToken: Sendable {
        let tenant: TenantID
        let key: KeyID
        let issuer: String
        let claims: AccessTokenClaims

        init(_ jws: JWS, _ kid: String, _ tenant: TenantID, now: UnixTime) throws(JOSEError) {
            guard jws.type == "JWT" || jws.type == "at+jwt" else { throw .malformedHeaderMember("typ") }
            let claims = try JWTClaims(jws)
            try claims.check(at: now.seconds, leeway: AccessTokenVerifier.leeway)
            guard let issuer = claims.issuer else { throw .malformedClaim("iss") }
            guard let subject = claims.subject else { throw .malformedClaim("sub") }
            guard let expiry = claims.expiry else { throw .malformedClaim("exp") }
            // An ID token has neither.
            guard let client = (claims.object["client_id"] ?? claims.object["azp"])?.string else {
                throw .malformedClaim("azp")
            }
            self.tenant = tenant
            self.key = KeyID(kid)
            self.issuer = issuer
            self.claims = AccessTokenClaims(
                subject: subject,
                user: subject.utf8.starts(with: "auth0|".utf8) ? UserID(subject) : nil,
                client: ClientID(client),
                session: claims.object["sid"]?.string.flatMap(SessionID.init),
                scope: Scopes.parse(claims.object["scope"]?.string),
                audience: claims.audience,
                expiresAt: UnixTime(seconds: expiry),
                code: claims.object[AccessTokenForm.codeClaim]?.string.flatMap { try? Base64URL.decode($0) }
            )
        }
    }
}

/// Verified tokens by the hash of their text, in two halves: when the newer half is full, the older one goes.
private struct RecentTokens {
    let capacity: Int
    private var newer: [[UInt8]: AccessTokenVerifier.VerifiedToken] = [:]
    private var older: [[UInt8]: AccessTokenVerifier.VerifiedToken] = [:]

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func token(_ hash: [UInt8]) -> AccessTokenVerifier.VerifiedToken? {
        if let found = newer[hash] { return found }
        guard let found = older[hash] else { return nil }
        remember(found, as: hash)
        return found
    }

    mutating func remember(_ token: AccessTokenVerifier.VerifiedToken, as hash: [UInt8]) {
        if newer.count >= max(1, capacity / 2) {
            older = newer
            newer = [:]
        }
        newer[hash] = token
    }
}
