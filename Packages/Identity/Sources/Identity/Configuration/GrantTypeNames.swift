extension GrantType {
    /// The short names that commands take beside the full ones; files and answers have the full ones alone.
    public static let shortNames: [(name: String, grants: [GrantType])] = [
        ("passkey", [.webAuthn]), ("code", [.authorizationCode]), ("refresh", [.refreshToken]),
        ("password", [.password, .passwordRealm]), ("m2m", [.clientCredentials]),
    ]

    /// What a short name or a known grant type means; `nil` for any other text.
    public static func named(_ name: String) -> [GrantType]? {
        if let known = shortNames.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) { return known.grants }
        let full = GrantType(rawValue: name)
        return GrantType.known.contains(full) ? [full] : nil
    }
}
