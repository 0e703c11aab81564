internal import Identity
internal import WebAuthn

extension UserVerificationProof {
    /// Milliseconds that another proof in the same session may be old.
    private static let window: Int64 = 300_000

    /// Whether this login makes the UV of a passkey count from now on that was made without it (HTTP contract 4.5).
    ///
    /// - Parameters:
    ///   - passkey: the passkey, as it was stored.
    ///   - verified: UV of this login.
    ///   - policy: of the connection.
    ///   - session: a session of the same browser or app.
    ///   - now: the moment.
    /// - Returns: false as well when it counts already.
    static func holds(
        for passkey: Passkey,
        verified: Bool,
        _ policy: PasskeyOptions,
        alongside session: Session?,
        now: UnixTime
    ) -> Bool {
        passkey.record.initializesUserVerification(
            userVerified: verified,
            otherProof: hasOtherProof(passkey, policy, session, now)
        )
    }

    private static func hasOtherProof(
        _ passkey: Passkey,
        _ policy: PasskeyOptions,
        _ session: Session?,
        _ now: UnixTime
    ) -> Bool {
        // (b) The password at the upgrade was the other proof.
        if policy.userVerificationProof == .passwordAtUpgrade, passkey.enrolledBy == .upgrade { return true }
        // (a) The same session holds another proof: a password, or a passkey whose UV is proven.
        guard let session, session.isLive(at: now), session.user == passkey.user,
            session.passkey == nil || session.passkey != passkey.number
        else { return false }
        let age = now.milliseconds(since: session.authenticatedAt)
        return (0...window).contains(age) && (session.amr.contains("pwd") || session.amr.contains("mfa"))
    }
}

extension CredentialRecord {
    /// A record that nobody has the key of, so that checking a signature against it costs what a real one costs. Its
    /// outcome is never looked at.
    static func placeholder(_ id: [UInt8]) -> CredentialRecord {
        CredentialRecord(
            id: id,
            publicKey: placeholderKey,
            signCount: 0,
            uvInitialized: false,
            backupEligible: nil,
            backupState: false
        )
    }

    /// `COSE_Key`, ES256: {1: 2, 3: -7, -1: 1, -2: x, -3: y} with the generator of P-256 as its point.
    private static let placeholderKey: [UInt8] = [
        0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20,
        0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2,
        0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
        0x22, 0x58, 0x20,
        0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16,
        0x2b, 0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5,
    ]
}
