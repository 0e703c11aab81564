internal import Cryptography
internal import Identity
internal import WebAuthn

/// The offer to make a passkey without asking, after a sign-in with a password (HTTP contract 9.4): what a ceremony that
/// may begin with `mediation` `conditional` needs, and nothing else does.
///
/// It is kept beside the ceremonies, as a copy of the one that it stands for. So it is one session's and one client's,
/// whoever begins that ceremony anew voids the one before, and of two who do so at once one succeeds.
struct UpgradeOffer: Sendable {
    let challenges: any ChallengeCache

    /// Milliseconds that the password may be old, and so that an offer lasts.
    private static let window: Int64 = 300_000
    /// Milliseconds after a change of the password without any offer: whoever changed it may not be its owner.
    private static let quietAfterChange: Int64 = 86_400_000

    /// Whether there may be an offer: the session was made with a right password a moment ago, by this client, and its
    /// user has no passkey of the RP ID.
    ///
    /// - Parameters:
    ///   - session: of who is signed in.
    ///   - passkeys: all that the user has.
    ///   - client: who asks.
    ///   - connection: the user's.
    ///   - context: where and when.
    /// - Returns: false as well when the switch is off.
    static func mayStand(
        in session: Session,
        having passkeys: [Passkey],
        for client: Client,
        of connection: Connection,
        _ context: RequestContext
    ) -> Bool {
        let age = context.now.milliseconds(since: session.authenticatedAt)
        let policy = connection.options.passkey
        return policy.progressiveEnrollment
            && session.isLive(at: context.now) && session.client == client.id
            // A recovery is followed by no silent upgrade.
            && session.amr.contains("pwd") && !session.amr.contains("rcv")
            && (0...window).contains(age)
            && !passkeys.contains { $0.relyingPartyID.hasSameBytes(as: context.domain.relyingPartyID) }
    }

    /// Whether the password is the one that the user chose at sign-up, or old enough.
    static func isSettled(_ changedAt: UnixTime, of user: User, now: UnixTime) -> Bool {
        changedAt <= user.createdAt || now.milliseconds(since: changedAt) >= quietAfterChange
    }

    /// Makes the offer of a session, or has it stand for another ceremony.
    func keep(
        _ ceremony: PendingCeremony,
        in session: Session,
        from network: String,
        now: UnixTime
    ) async throws(PasskeyError) {
        try await stored { () async throws(StoreError) in
            try await challenges.put(
                ceremony,
                as: key(session),
                until: session.authenticatedAt.adding(milliseconds: Self.window),
                from: network,
                now: now
            )
        }
    }

    /// Ends the offer of a session.
    ///
    /// - Returns: whether there was one, and its ceremony had not been answered. That ceremony is void now.
    func end(in session: Session, now: UnixTime) async throws(PasskeyError) -> Bool {
        try await stored { () async throws(StoreError) in
            guard let kept = try await challenges.take(key(session), now: now),
                case .enroll(let issued, _, _, _, _) = kept.purpose
            else { return false }
            let own = ChallengeKey(
                tenant: kept.tenant,
                client: kept.client,
                sessionHash: SHA256.hash(issued.challenge)
            )
            let waiting = try await challenges.take(own, now: now)
            return waiting != nil || kept.expiresAt <= now
        }
    }

    /// No `auth_session` leads here: it has 32 bytes.
    private func key(_ session: Session) -> ChallengeKey {
        ChallengeKey(
            tenant: session.tenant,
            client: session.client,
            sessionHash: SHA256.hash(Array("the upgrade that is offered in the session \(session.id.text)".utf8))
        )
    }
}
