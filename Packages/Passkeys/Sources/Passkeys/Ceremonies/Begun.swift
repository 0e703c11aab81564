public import Identity

/// Options to send, and the session that their answer will name.
public struct Begun<Options: Hashable & Sendable>: Hashable, Sendable {
    /// What waits for the answer.
    let pending: PendingCeremony
    /// The text of `auth_session`. In section 12 it is the challenge's own text.
    public let session: String
    public let options: Options

    public var ceremony: CeremonyID { pending.id }
    /// When the session is over.
    public var expiresAt: UnixTime { pending.expiresAt }
}

/// A ceremony that was taken, by what its answer leads to.
public enum TakenCeremony: Sendable {
    /// To ``SignUp``.
    case signUp(SignUp.Pending)
    /// To ``Login``.
    case login(Login.Pending)
    /// To ``Enrollment``.
    case enrollment(Enrollment.Pending)
    /// To ``Recovery``.
    case recovery(Recovery.Pending)
}
