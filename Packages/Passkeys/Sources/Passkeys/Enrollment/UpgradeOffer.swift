internal import Identity

/// The offer to make a passkey without asking, after a sign-in with a password (HTTP contract 9.4): what a ceremony that
/// may begin with `mediation` `conditional` needs, and nothing else does.
enum UpgradeOffer {
    /// Milliseconds that the password may be old.
    private static let window: Int64 = 300_000

    /// Whether a session holds the offer now: it was made with a right password a moment ago, by this client, and its
    /// user has no passkey of the RP ID.
    ///
    /// - Parameters:
    ///   - session: of who is signed in.
    ///   - passkeys: all that the user has.
    ///   - client: who asks.
    ///   - connection: the user's.
    ///   - context: where and when.
    /// - Returns: false as well when the switch is off.
    static func stands(
        in session: Session,
        having passkeys: [Passkey],
        for client: Client,
        of connection: Connection,
        _ context: RequestContext
    ) -> Bool {
        let age = context.now.milliseconds(since: session.authenticatedAt)
        let policy = connection.options.passkey
        // Against a stolen password every address gets a notice; without mail the tenant has to waive it.
        return policy.progressiveEnrollment && policy.upgradesWithoutNotice
            && session.isLive(at: context.now) && session.client == client.id
            // A recovery is followed by no silent upgrade.
            && session.amr.contains("pwd") && !session.amr.contains("rcv")
            && (0...window).contains(age)
            && !passkeys.contains { $0.relyingPartyID.hasSameBytes(as: context.domain.relyingPartyID) }
    }
}
