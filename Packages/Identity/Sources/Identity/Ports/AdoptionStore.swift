/// Counts by what users sign in, so that an operator sees how far passkeys have come.
public protocol AdoptionStore: Sendable {
    /// Counts the users of a tenant in the order of their ids, from after `last`; at most `limit` at once, in the
    /// database.
    func adoption(of tenant: TenantID, after last: UserID?, limit: Int) async throws(StoreError) -> AdoptionPage
}

/// What was counted of one page of users.
public struct AdoptionPage: Hashable, Sendable {
    /// Connections without a user on the page are left out.
    public let counts: [ConnectionID: AdoptionCount]
    /// The last user of the page, after whom the next one begins; `nil`: it was the last page.
    public let last: UserID?

    public init(counts: [ConnectionID: AdoptionCount], last: UserID?) {
        self.counts = counts
        self.last = last
    }
}

/// By what the users of a connection sign in. Who is blocked is counted in ``users`` and ``blocked`` alone; suspended
/// passkeys are none.
public struct AdoptionCount: Hashable, Sendable {
    public var users = 0
    public var blocked = 0
    /// With a passkey and nothing else: no phishable factor is left.
    public var passkeyOnly = 0
    public var passkeyAndPassword = 0
    public var passwordOnly = 0
    /// With neither: nobody gets in as them.
    public var nothing = 0
    /// With a password that they could do without: two passkeys, or one that is backed up.
    public var couldRetirePassword = 0
    public var passkeys = 0

    public init() {}

    public static func += (one: inout AdoptionCount, other: AdoptionCount) {
        one.users += other.users
        one.blocked += other.blocked
        one.passkeyOnly += other.passkeyOnly
        one.passkeyAndPassword += other.passkeyAndPassword
        one.passwordOnly += other.passwordOnly
        one.nothing += other.nothing
        one.couldRetirePassword += other.couldRetirePassword
        one.passkeys += other.passkeys
    }
}
