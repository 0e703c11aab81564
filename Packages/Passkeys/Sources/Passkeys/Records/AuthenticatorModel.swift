public import WebAuthn

/// What people may be shown of an authenticator's model.
public struct AuthenticatorModel: Hashable, Sendable {
    /// As its maker or provider calls it; `nil`: nobody knows.
    public let name: String?
    /// A picture as a `data:` URL, where the metadata that was imported has one.
    public let icon: String?
}

extension Ceremonies {
    /// The model of an AAGUID, by the metadata that was imported or the list of well-known providers. It is what the
    /// authenticator said of itself: for showing, never for judging.
    public func model(of aaguid: AAGUID) -> AuthenticatorModel {
        let current = metadata?.current
        return AuthenticatorModel(
            name: current?.name(aaguid) ?? WellKnownProviders.name(aaguid),
            icon: current?.model(aaguid)?.statement?.icon
        )
    }
}
