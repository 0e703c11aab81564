/// Knows which tenant an RP ID belongs to, and how far its users have moved from one to another.
public protocol RelyingPartyStore: Sendable {
    /// The tenant that the RP ID or the domain of this name belongs to.
    func owner(ofRelyingParty id: String) async throws(StoreError) -> TenantID?
    /// Whether anybody has a passkey under the RP ID.
    func hasPasskeys(under relyingPartyID: String, of tenant: TenantID) async throws(StoreError) -> Bool
    /// How many users have a passkey under `legacy`, and how many of them one in use under `current` or one of `others`
    /// as well. At most 5 of `others` count.
    func coverage(
        of legacy: String,
        by current: String,
        _ others: [String],
        of tenant: TenantID
    ) async throws(StoreError) -> RelyingPartyCoverage
    /// The users that ``coverage(of:by:_:of:)`` counts as left behind, in the order of their ids from after `last`.
    func usersLeftBehind(
        under legacy: String,
        by current: String,
        _ others: [String],
        of tenant: TenantID,
        after last: UserID?,
        limit: Int
    ) async throws(StoreError) -> [User]
}

/// How far users have moved from one RP ID to another.
public struct RelyingPartyCoverage: Hashable, Sendable {
    /// Who has a passkey under the old RP ID.
    public let users: Int64
    /// Who of them could sign in without it.
    public let covered: Int64

    public init(users: Int64, covered: Int64) {
        self.users = users
        self.covered = covered
    }

    public var leftBehind: Int64 { users - covered }

    /// Hundredths of a percent, rounded down, so that 100 % is said of all alone; all of nobody.
    public var basisPoints: Int64 {
        guard leftBehind > 0 else { return 10_000 }
        return min(9_999, Int64(Double(covered) / Double(users) * 10_000))
    }
}
