public import Encodings
public import Identity
public import WebAuthn

/// Signs a user in with a passkey (HTTP contract 5.2, 5.3, 12.3, 12.4).
public struct Login: Sendable {
    private let ceremonies: Ceremonies

    public init(_ ceremonies: Ceremonies) {
        self.ceremonies = ceremonies
    }

    /// Begins a ceremony. What it answers says nothing about any user.
    ///
    /// - Parameters:
    ///   - username: whom section 12.3 names, as typed; `nil`: the authenticator says who it is.
    ///   - conditional: whether the page waits in autofill, so that the ceremony lives for 15 minutes.
    ///   - surface: the interface that asks.
    ///   - realm: the request's `realm` or `connection`.
    ///   - client: the client that asks.
    ///   - context: where.
    /// - Throws: what ``PasskeyError`` lists before a ceremony, in the contract's order.
    public func begin(
        username: String? = nil,
        conditional: Bool = false,
        at surface: CeremonySurface,
        realm: String?,
        client: Client,
        in context: RequestContext
    ) async throws(PasskeyError) -> Begun<RequestOptions> {
        fatalError("not yet")
    }

    /// A sign-in that was taken and waits for its verification.
    public struct Pending: Sendable {
        let ceremony: PendingCeremony
        let issued: IssuedAuthentication
        let named: PendingCeremony.NamedUser
    }

    /// Verifies the answer (WebAuthn L3 §7.2).
    ///
    /// - Parameters:
    ///   - response: the `AuthenticationResponseJSON`.
    ///   - pending: what was taken.
    ///   - context: where.
    /// - Throws: `.refused`, `.store`.
    public func verify(
        _ response: JSONObject,
        answering pending: Pending,
        in context: RequestContext
    ) async throws(PasskeyError) -> Verified {
        fatalError("not yet")
    }

    /// A user who proved a passkey; nothing is stored yet.
    public struct Verified: Sendable {
        public let user: User
        public let passkey: Passkey
        public let authentication: Authentication
        let assertion: VerifiedAssertion
        let pending: Pending
    }

    /// Stores counter, session and tokens in one durable step, or nothing.
    ///
    /// - Throws: `.refused` with `counter_regression` when another sign-in with the same counter was faster, `.store`.
    public func store(
        _ verified: Verified,
        session: Session,
        refresh: NewRefresh?,
        cookieHash: [UInt8]? = nil,
        replacedCookieHash: [UInt8]? = nil,
        in context: RequestContext
    ) async throws(PasskeyError) {
        fatalError("not yet")
    }
}
