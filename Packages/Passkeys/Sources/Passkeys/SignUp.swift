public import Encodings
public import Identity
public import WebAuthn

/// Makes a new user with a passkey (HTTP contract 5.1, 5.3, 12.1, 12.2).
public struct SignUp: Sendable {
    private let ceremonies: Ceremonies

    public init(_ ceremonies: Ceremonies) {
        self.ceremonies = ceremonies
    }

    /// Who signs up, as the request has it.
    public enum Applicant: Sendable {
        /// `user_profile` and `user_metadata` of section 5.1; `nil` when absent.
        case profile(JSONObject, metadata: JSONValue?)
        /// `username` and `displayName` of section 12.1.
        case username(String, displayName: String?)
    }

    /// Begins a ceremony. No user is made yet.
    ///
    /// - Throws: what ``PasskeyError`` lists before a ceremony, in the contract's order.
    public func begin(
        _ applicant: Applicant,
        at surface: CeremonySurface,
        realm: String?,
        client: Client,
        in context: RequestContext
    ) async throws(PasskeyError) -> Begun<CreationOptions> {
        fatalError("not yet")
    }

    /// A sign-up that was taken and waits for its verification.
    public struct Pending: Sendable {
        let ceremony: PendingCeremony
        let issued: IssuedRegistration
        let account: NewAccount
    }

    /// Verifies the answer (WebAuthn L3 §7.1).
    ///
    /// - Parameters:
    ///   - response: the `RegistrationResponseJSON`.
    ///   - pending: what was taken.
    ///   - context: where.
    /// - Throws: `.refused`, `.signupDisabled`, `.store`.
    public func verify(
        _ response: JSONObject,
        answering pending: Pending,
        in context: RequestContext
    ) async throws(PasskeyError) -> Verified {
        fatalError("not yet")
    }

    /// A new user and passkey, proven and not stored.
    public struct Verified: Sendable {
        public let user: User
        public let passkey: Passkey
        public let authentication: Authentication
        let pending: Pending
    }

    /// Stores user, passkey, session and tokens in one durable step, or nothing.
    ///
    /// - Throws: `.userExistsAtFinish`, `.refused` with `credential_exists`, `.store`.
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
