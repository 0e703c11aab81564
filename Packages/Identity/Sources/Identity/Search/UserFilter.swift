/// Which users are looked for: conditions, joined.
public indirect enum UserFilter: Hashable, Sendable {
    case all([UserFilter])
    case any([UserFilter])
    case not(UserFilter)
    case condition(UserCondition)
}

/// What is asked of one user.
public enum UserCondition: Hashable, Sendable {
    /// By the canonical form.
    case identifier(IdentifierKind, TextMatch)
    /// The name in the profile. Letters of ASCII match in either case.
    case name(TextMatch)
    /// Ids from `lower` to `upper`, both included: 12 bytes each.
    case id(from: [UInt8], to: [UInt8])
    case isBlocked(Bool)
    case hasVerifiedEmail(Bool)
    /// Moments in a range; `nil`: without that end.
    case createdAt(from: UnixTime?, to: UnixTime?)
    case lastLogin(from: UnixTime?, to: UnixTime?)
    case loginsCount(from: Int64?, to: Int64?)
    /// A member of `user_metadata` or, with `isOfApp`, of `app_metadata`; of a list, one of its elements.
    case metadata(isOfApp: Bool, path: [String], TextMatch)
    /// The name of the user directory.
    case connection(TextMatch)
    case isIn(ConnectionID)
    /// What nobody can be: an address that is none.
    case nobody
}

/// How a text is compared, byte for byte.
public enum TextMatch: Hashable, Sendable {
    case equals(String)
    case startsWith(String)
    /// Both ends are included; `nil`: without that end.
    case range(from: String?, to: String?)
}

/// The order of a list of users.
public enum UserOrder: Hashable, Sendable {
    case oldestFirst, newestFirst
}

/// A part of a list of users.
public struct UserSearch: Hashable, Sendable {
    public var filter: UserFilter?
    public var order: UserOrder
    /// Users left out at the beginning.
    public var skip: Int
    public var limit: Int
    /// Whether all that match are counted.
    public var counts: Bool

    public init(
        filter: UserFilter? = nil,
        order: UserOrder = .oldestFirst,
        skip: Int = 0,
        limit: Int,
        counts: Bool = false
    ) {
        self.filter = filter
        self.order = order
        self.skip = skip
        self.limit = limit
        self.counts = counts
    }
}

/// What a search gives.
public struct FoundUsers: Hashable, Sendable {
    public let users: [UserDetails]
    /// How many match; `nil` when it was not asked.
    public let total: Int?

    public init(users: [UserDetails], total: Int?) {
        self.users = users
        self.total = total
    }
}

/// A user with what lies beside the account.
public struct UserDetails: Hashable, Sendable {
    public let user: User
    /// The address of the newest sign-in that is still kept.
    public let lastAddress: String?
    /// When the password was set; `nil` without one.
    public let passwordChangedAt: UnixTime?

    public init(user: User, lastAddress: String?, passwordChangedAt: UnixTime?) {
        self.user = user
        self.lastAddress = lastAddress
        self.passwordChangedAt = passwordChangedAt
    }
}
