public import Identity

/// What a verified access token says.
public struct AccessTokenClaims: Hashable, Sendable {
    /// The `sub`.
    public let subject: String
    /// `nil` for a token that speaks for a client.
    public let user: UserID?
    public let client: ClientID
    public let session: SessionID?
    public let scope: [String]
    public let audience: [String]
    public let expiresAt: UnixTime
    /// SHA-256 of the authorization code that it was given for.
    let code: [UInt8]?

    /// Lets a token through that was given `scope`.
    ///
    /// - Throws: `.insufficientScope`.
    public func require(_ scope: String) throws(TokenError) {
        guard self.scope.contains(where: { $0.utf8.elementsEqual(scope.utf8) }) else { throw .insufficientScope(scope) }
    }
}

/// The server's own APIs that a token can be for.
public enum OwnAudience: Hashable, Sendable {
    /// `BASE/userinfo`.
    case userInfo
    case system(SystemAPI)

    /// The path under each base.
    var path: String {
        switch self {
        case .userInfo: "/userinfo"
        case .system(let api): api.rawValue
        }
    }
}
