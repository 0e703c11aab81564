public import Identity
public import WebAuthn

/// What all ceremonies of this server share: where they wait for their answer, where users and passkeys are kept, and
/// where refusals are written down.
public struct Ceremonies: Sendable {
    let challenges: any ChallengeCache
    let users: any UserStore
    let credentials: any CredentialStore
    let decoys: DecoyCredentials
    let refusals: RefusalLog
    /// The roots that attestation chains may end at; `nil`: chains are not judged.
    let trustAnchors: [TrustAnchor]?
    let random: RandomSource

    public init(
        challenges: any ChallengeCache,
        users: any UserStore,
        credentials: any CredentialStore,
        decoys: DecoyCredentials,
        refusals: RefusalLog,
        trustAnchors: [TrustAnchor]? = nil,
        random: @escaping RandomSource
    ) {
        self.challenges = challenges
        self.users = users
        self.credentials = credentials
        self.decoys = decoys
        self.refusals = refusals
        self.trustAnchors = trustAnchors
        self.random = random
    }

    /// Takes the ceremony that `session` names out of the cache, once and for all (HTTP contract 4.6).
    ///
    /// - Parameters:
    ///   - session: the text of `auth_session`, whatever came.
    ///   - surface: the interface that answers; a ceremony of another one is invalid.
    ///   - realm: the request's `realm` or `connection`; when present it must be the ceremony's.
    ///   - client: the authenticated client.
    ///   - context: where.
    /// - Throws: `.sessionInvalid`, `.unknownConnection`, `.passkeysDisabledForTenant`,
    ///   `.passkeysDisabledForConnection` or `.store`.
    public func take(
        session: String,
        at surface: CeremonySurface,
        realm: String?,
        client: Client,
        in context: RequestContext
    ) async throws(PasskeyError) -> TakenCeremony {
        fatalError("not yet")
    }
}

/// A ceremony that was taken, by what its answer leads to.
public enum TakenCeremony: Sendable {
    /// To ``SignUp``.
    case signUp(SignUp.Pending)
    /// To ``Login``.
    case login(Login.Pending)
    /// To ``Enrollment``.
    case enrollment(Enrollment.Pending)
}

/// Options to send, and the session that its answer will name.
public struct Begun<Options: Hashable & Sendable>: Hashable, Sendable {
    public let ceremony: CeremonyID
    /// The text of `auth_session`. In section 12 it is the challenge's own text.
    public let session: String
    public let options: Options
    /// When the session is over.
    public let expiresAt: UnixTime
}
