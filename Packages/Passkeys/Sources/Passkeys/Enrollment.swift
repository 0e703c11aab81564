public import Encodings
public import Identity
public import WebAuthn

/// Gives a signed-in user one more passkey (HTTP contract 12.1, 12.2, section 10 "Fresh proof").
public struct Enrollment: Sendable {
    private let ceremonies: Ceremonies

    public init(_ ceremonies: Ceremonies) {
        self.ceremonies = ceremonies
    }

    /// Begins a ceremony for the session's user.
    ///
    /// - Parameters:
    ///   - username: what the request names, as typed; it must be the user's.
    ///   - user: who is signed in.
    ///   - session: the session that says so.
    ///   - surface: the interface that asks.
    ///   - client: the client that asks.
    ///   - context: where.
    /// - Throws: `.insufficientUserAuthentication`, `.tooManyPasskeys` and what ``PasskeyError`` lists before a ceremony.
    public func begin(
        username: String? = nil,
        user: User,
        session: Session,
        at surface: CeremonySurface,
        client: Client,
        in context: RequestContext
    ) async throws(PasskeyError) -> Begun<CreationOptions> {
        fatalError("not yet")
    }

    /// An enrolment that was taken and waits for its verification.
    public struct Pending: Sendable {
        let ceremony: PendingCeremony
        let issued: IssuedRegistration
        let user: UserID
        let userHandle: [UInt8]
        /// The session that it was begun in; the request that ends it must have the same.
        public let session: SessionID
    }

    /// Verifies the answer (WebAuthn L3 §7.1) and adds the passkey, in one durable step.
    ///
    /// - Parameters:
    ///   - response: the `RegistrationResponseJSON`.
    ///   - pending: what was taken.
    ///   - user: who is signed in now.
    ///   - session: the session that says so.
    ///   - context: where.
    /// - Throws: `.sessionInvalid` when it is another session, `.refused`, `.tooManyPasskeys`, `.store`.
    public func finish(
        _ response: JSONObject,
        answering pending: Pending,
        user: User,
        session: Session,
        in context: RequestContext
    ) async throws(PasskeyError) -> Passkey {
        fatalError("not yet")
    }
}
