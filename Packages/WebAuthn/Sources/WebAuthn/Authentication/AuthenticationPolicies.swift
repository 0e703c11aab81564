/// What happens when a signature counter that is in use did not rise (WebAuthn L3 §7.2 step 22).
public enum CounterPolicy: String, Hashable, Sendable, CaseIterable {
    /// The login is refused, the credential stays usable.
    case reject
    /// The login is refused, and the caller suspends the credential.
    case disable
    /// The login is accepted, and the caller logs it.
    case warn
}

/// What happens when BE differs from the stored value (WebAuthn L3 §7.2 step 19). A record without a value accepts
/// either once, under every policy.
public enum BackupEligibilityPolicy: String, Hashable, Sendable, CaseIterable {
    /// It is refused.
    case strict
    /// A credential may become eligible, and is recorded so; the other way is refused.
    case allowUpgrade = "allow-upgrade"
    /// It is accepted and recorded.
    case observe
}
