public import Identity

/// What a user is called, to authenticators and on pages (HTTP contract 4.1).
public struct AccountNames: Hashable, Sendable {
    /// The first identifier present, in the connection's order.
    public let name: String
    /// The profile's name, otherwise ``name``; never empty.
    public let displayName: String

    public init(identifiers: [UserIdentifier], profile: UserProfile, precedence: [IdentifierKind]) {
        let ordered = precedence.lazy.compactMap { kind in identifiers.first { $0.kind == kind } }
        name = (ordered.first ?? identifiers.first)?.entered ?? ""
        displayName = profile.name.flatMap { $0.isEmpty ? nil : $0 } ?? name
    }

    public init(_ user: User, precedence: [IdentifierKind]) {
        self.init(identifiers: user.identifiers, profile: user.profile, precedence: precedence)
    }
}
