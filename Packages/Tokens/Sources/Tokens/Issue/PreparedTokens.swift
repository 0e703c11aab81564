public import Identity

/// Tokens that are decided and not signed. ``session`` and ``refresh`` go into the store's one durable step first.
public struct PreparedTokens: Sendable {
    public let session: Session
    /// The family and its first token, when a refresh token is given.
    public let refresh: NewRefresh?
    /// Scopes of the answer.
    public let scope: [String]
    let refreshToken: String?
    let expiresIn: Int64
    let accessToken: UnsignedToken
    let idToken: UnsignedToken?
}

/// Claims, and the key that will sign them.
struct UnsignedToken: Sendable {
    let claims: [UInt8]
    let type: String
    let signer: Signer

    func signed() throws(TokenError) -> String {
        try signer.sign(claims, type: type)
    }
}
