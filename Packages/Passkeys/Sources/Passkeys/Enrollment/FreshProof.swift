public import Identity

/// The proof that adding or removing a passkey asks for (HTTP contract, section 10): a stolen refresh token or password
/// can neither plant nor remove one.
public enum FreshProof {
    /// Checks that the session's last authentication is young enough and, when the user has a passkey, was made with one
    /// or by recovery.
    ///
    /// - Throws: `.insufficientUserAuthentication`.
    public static func check(
        _ session: Session,
        hasPasskey: Bool,
        in context: RequestContext
    ) throws(PasskeyError) {
        let maximumAge = context.settings.enrollmentMaxAuthAge
        let end = session.authenticatedAt.adding(seconds: maximumAge)
        guard session.isLive(at: context.now), context.now <= end,
            !hasPasskey || session.amr.contains("phr") || session.amr.contains("rcv")
        else { throw .insufficientUserAuthentication(maximumAge: maximumAge) }
    }
}
