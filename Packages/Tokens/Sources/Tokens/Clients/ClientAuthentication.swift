public import Identity

/// Finds out which client a request comes from, and whether it is that client (HTTP contract 3.1, RFC 6749 §2.3).
public struct ClientAuthentication: Sendable {
    private let replays: any AssertionReplayStore

    public init(replays: any AssertionReplayStore) {
        self.replays = replays
    }

    /// The client that `credentials` prove.
    ///
    /// - Throws: `.missingParameter("client_id")`, `.unknownClient`, `.multipleClientAuthentication`,
    ///   `.clientAuthenticationFailed` or `.store`.
    public func authenticate(
        _ credentials: ClientCredentials,
        in context: RequestContext
    ) async throws(TokenError) -> Client {
        fatalError("not yet")
    }

    /// The client that `id` names, or the tenant's `default_browser_client`, without any proof: what section 12 asks.
    ///
    /// - Throws: `.missingParameter("client_id")` or `.unknownClient`.
    public static func browserClient(_ id: String?, in context: RequestContext) throws(TokenError) -> Client {
        fatalError("not yet")
    }

    /// The grant that the token endpoint was asked for: present, supported, allowed for `client`.
    ///
    /// - Throws: `.missingParameter("grant_type")`, `.unsupportedGrantType` or `.grantNotAllowed`.
    public static func grant(_ type: String?, of client: Client) throws(TokenError) -> ServedGrant {
        fatalError("not yet")
    }
}

/// The grants that the token endpoint serves.
public enum ServedGrant: Hashable, Sendable {
    case webAuthn
    case refreshToken
}
