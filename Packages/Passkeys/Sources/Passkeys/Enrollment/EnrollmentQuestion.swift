public import Identity
internal import WebAuthn

/// What somebody may be asked on a page who has just signed in and could sign in more easily next time (HTTP contract
/// 9.4). It is a question, answered by an ordinary ceremony or not at all.
public enum EnrollmentQuestion: String, Hashable, Sendable {
    /// For a first passkey, where none could be made without asking.
    case afterPassword = "password"
    /// For one of this device, after a sign-in with a phone beside it.
    case onThisDevice = "device"
}

extension Enrollment {
    /// Milliseconds after a sign-in in which its user may be asked.
    private static let patience: Int64 = 300_000

    /// What the user of a session may be asked now. Who refused lately is not known here.
    ///
    /// - Parameters:
    ///   - user: who is signed in.
    ///   - session: what the sign-in began.
    ///   - passwordChangedAt: when the password was set; `nil` without one.
    ///   - client: in whose name.
    ///   - context: where.
    /// - Returns: `nil`: nothing, also after a recovery, and within a day of a new password.
    /// - Throws: `.store`.
    public func question(
        for user: User,
        in session: Session,
        passwordChangedAt: UnixTime?,
        client: Client,
        _ context: RequestContext
    ) async throws(PasskeyError) -> EnrollmentQuestion? {
        let age = context.now.milliseconds(since: session.authenticatedAt)
        guard session.isLive(at: context.now), (0...Self.patience).contains(age), !session.amr.contains("rcv"),
            let connection = try? connection(of: user, client, at: .hosted, context)
        else { return nil }
        let (policy, passkeys) = (connection.options.passkey, try await passkeys(of: user.id, context))
        guard passkeys.count < policy.maximumPerUser else { return nil }
        if let number = session.passkey {
            // A passkey that is used from a phone says that it can be.
            let used = passkeys.first { $0.number == number }
            return policy.localEnrollment && used?.record.transports.contains("hybrid") == true ? .onThisDevice : nil
        }
        guard policy.progressiveEnrollment, session.amr.contains("pwd"),
            passwordChangedAt.map({ UpgradeOffer.isSettled($0, of: user, now: context.now) }) == true,
            !passkeys.contains(where: { $0.relyingPartyID.hasSameBytes(as: context.domain.relyingPartyID) })
        else { return nil }
        return .afterPassword
    }
}
