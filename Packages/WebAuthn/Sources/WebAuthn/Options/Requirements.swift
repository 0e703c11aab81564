/// How much a ceremony insists on user verification (WebAuthn L3 §5.8.6).
public enum UserVerificationRequirement: String, Hashable, Sendable, CaseIterable {
    case required, preferred, discouraged
}

/// Whether a new credential must be discoverable (WebAuthn L3 §5.4.6).
public enum ResidentKeyRequirement: String, Hashable, Sendable, CaseIterable {
    case required, preferred, discouraged
}

/// How much of an attestation the relying party asks for (WebAuthn L3 §5.4.7).
public enum AttestationConveyancePreference: String, Hashable, Sendable, CaseIterable {
    case none, indirect, direct, enterprise
}

/// Whether the authenticator is part of the client's device (WebAuthn L3 §5.4.5). A word that is not one of these
/// counts as not given.
public enum AuthenticatorAttachment: String, Hashable, Sendable, CaseIterable {
    case platform
    case crossPlatform = "cross-platform"
}
