public import Identity

/// What a passkey may not do yet that an automatic upgrade made (HTTP contract 9.4): whoever had the password may have
/// planted it. It signs in, and for a time that is all: its owner, who has notice, is not shut out by it.
public enum Probation {
    /// Whether the session was made with a passkey that is on probation.
    ///
    /// - Parameters:
    ///   - session: of who is signed in.
    ///   - passkeys: all that the user has.
    ///   - policy: the connection's.
    ///   - now: when.
    /// - Returns: false as well where the passkey is gone.
    public static func holds(
        _ session: Session,
        having passkeys: [Passkey],
        by policy: PasskeyOptions,
        now: UnixTime
    ) -> Bool {
        guard let number = session.passkey, let used = passkeys.first(where: { $0.number == number }),
            used.enrolledBy == .upgrade
        else { return false }
        return now < used.createdAt.adding(seconds: policy.upgradeProbationHours * 3600)
    }
}
