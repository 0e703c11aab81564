public import Encodings
public import Identity

/// The claims about a user that scopes open (HTTP contract 5.6), for the user-info endpoint and ID tokens.
public struct UserInfo: Sendable {
    private let verifier: AccessTokenVerifier
    private let users: any UserStore

    public init(verifier: AccessTokenVerifier, users: any UserStore) {
        self.verifier = verifier
        self.users = users
    }

    /// The answer of the user-info endpoint, as one JSON object.
    ///
    /// - Parameters:
    ///   - token: the bearer token; `nil` when there is none.
    ///   - context: where.
    /// - Throws: `.notSignedIn`, `.invalidToken`, `.insufficientScope("openid")`, `.store`.
    public func answer(_ token: String?, in context: RequestContext) async throws(TokenError) -> [UInt8] {
        fatalError("not yet")
    }

    /// Writes the members that `scope` opens; absent values are left out.
    static func write(_ user: User, scope: [String], to json: inout JSONWriter) {
    }
}
