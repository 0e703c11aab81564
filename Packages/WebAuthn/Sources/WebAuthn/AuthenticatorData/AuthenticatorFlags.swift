/// The flags byte of authenticator data (WebAuthn L3 §6.1). Reserved bits are kept and not judged.
public struct AuthenticatorFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// UP: somebody was there.
    public static let userPresent = AuthenticatorFlags(rawValue: 0x01)
    /// UV: the user was verified, by a PIN or a biometric.
    public static let userVerified = AuthenticatorFlags(rawValue: 0x04)
    /// BE: the credential may be backed up; fixed for its life.
    public static let backupEligible = AuthenticatorFlags(rawValue: 0x08)
    /// BS: the credential is backed up now.
    public static let backupState = AuthenticatorFlags(rawValue: 0x10)
    /// AT: attested credential data follows.
    public static let attestedCredentialData = AuthenticatorFlags(rawValue: 0x40)
    /// ED: extension data follows.
    public static let extensionData = AuthenticatorFlags(rawValue: 0x80)
}
