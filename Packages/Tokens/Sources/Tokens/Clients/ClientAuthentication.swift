internal import Cryptography
public import Identity

/// Finds out which client a request comes from, and whether it is that client (HTTP contract 3.1, RFC 6749 §2.3).
public struct ClientAuthentication: Sendable {
    private let replays: any AssertionReplayStore

    /// The one `client_assertion_type` there is (RFC 7523 §2.2).
    public static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// - Parameter replays: makes each client assertion single use.
    public init(replays: any AssertionReplayStore) {
        self.replays = replays
    }

    /// The client that `credentials` prove: present, known, authenticated, in this order.
    ///
    /// - Throws: `.missingParameter("client_id")`, `.unknownClient`, `.multipleClientAuthentication`,
    ///   `.clientAuthenticationFailed` or `.store`.
    public func authenticate(
        _ credentials: ClientCredentials,
        in context: RequestContext
    ) async throws(TokenError) -> Client {
        let basic = BasicCredentials.read(credentials.authorization)
        let secret = credentials.clientSecret.nonEmpty
        let assertion = credentials.assertion.nonEmpty
        var usedBasic = true
        if case .absent = basic { usedBasic = false }

        let client = try find(credentials, basic, assertion, in: context)
        let ways = (usedBasic ? 1 : 0) + (secret == nil ? 0 : 1) + (assertion == nil ? 0 : 1)
        guard ways <= 1 else { throw .multipleClientAuthentication }

        switch client.authenticationMethod {
        case .none:
            // A public client has no secret: one that comes all the same belongs to something else.
            guard ways == 0 else { throw .clientAuthenticationFailed(usedBasic: usedBasic) }
        case .secretPost, .secretBasic:
            var presented = secret
            if case .present(let pair) = basic { presented = pair.secret }
            guard let presented, let expected = client.secretHash,
                constantTimeEqual(SHA256.hash(Array(presented.utf8)), expected)
            else { throw .clientAuthenticationFailed(usedBasic: usedBasic) }
        case .privateKeyJWT:
            guard let assertion, credentials.assertionType.nonEmpty == Self.assertionType else {
                throw .clientAuthenticationFailed(usedBasic: usedBasic)
            }
            let verified = try ClientAssertion.verify(assertion, of: client, in: context)
            let isNew = try await stored { () async throws(StoreError) in
                try await replays.remember(
                    jtiHash: verified.identifierHash,
                    of: context.tenant,
                    until: verified.expiresAt,
                    now: context.now
                )
            }
            guard isNew else { throw .clientAuthenticationFailed(usedBasic: false) }
        }
        return client
    }

    /// The client that `id` names, or the tenant's `default_browser_client`, without any proof: what section 12 asks.
    ///
    /// - Throws: `.missingParameter("client_id")` or `.unknownClient`.
    public static func browserClient(_ id: String?, in context: RequestContext) throws(TokenError) -> Client {
        guard let id = id.nonEmpty.map(ClientID.init) ?? context.settings.defaultBrowserClient else {
            throw .missingParameter("client_id")
        }
        guard let client = context.configuration.clients[id] else { throw .unknownClient }
        return client
    }

    /// The grant that the token endpoint was asked for: present, supported, allowed for `client`.
    ///
    /// - Throws: `.missingParameter("grant_type")`, `.unsupportedGrantType` or `.grantNotAllowed`.
    public static func grant(_ type: String?, of client: Client) throws(TokenError) -> ServedGrant {
        guard let type = type.nonEmpty else { throw .missingParameter("grant_type") }
        guard let served = ServedGrant.allCases.first(where: { $0.type.rawValue == type }) else {
            throw .unsupportedGrantType(type)
        }
        guard client.allows(served.type) else { throw .grantNotAllowed(served.type) }
        // Whoever knows the name of a public client could have its tokens (RFC 6749 §4.4).
        guard served != .clientCredentials || client.isConfidential else { throw .grantNotAllowed(served.type) }
        return served
    }

    private func find(
        _ credentials: ClientCredentials,
        _ basic: BasicCredentials.Reading,
        _ assertion: String?,
        in context: RequestContext
    ) throws(TokenError) -> Client {
        var named = credentials.clientID.nonEmpty
        switch basic {
        case .absent: break
        case .malformed where named == nil: throw .clientAuthenticationFailed(usedBasic: true)
        case .malformed: break
        case .present(let pair):
            guard named == nil || named == pair.clientID else { throw .clientAuthenticationFailed(usedBasic: true) }
            named = pair.clientID
        }
        if named == nil, let assertion { named = ClientAssertion.unverifiedSubject(of: assertion) }
        guard let named else { throw .missingParameter("client_id") }
        guard let client = context.configuration.clients[ClientID(named)] else { throw .unknownClient }
        return client
    }
}

/// The grants that the token endpoint serves.
public enum ServedGrant: Hashable, Sendable, CaseIterable {
    case webAuthn
    case refreshToken
    case clientCredentials
    case password
    case passwordRealm
    case authorizationCode

    public var type: GrantType {
        switch self {
        case .webAuthn: .webAuthn
        case .refreshToken: .refreshToken
        case .clientCredentials: .clientCredentials
        case .password: .password
        case .passwordRealm: .passwordRealm
        case .authorizationCode: .authorizationCode
        }
    }
}

extension String? {
    /// An empty parameter counts as absent (RFC 6749 §3.1).
    var nonEmpty: String? { flatMap { $0.isEmpty ? nil : $0 } }
}
