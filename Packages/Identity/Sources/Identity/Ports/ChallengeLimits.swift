/// How many ceremonies may be pending in a challenge cache.
public struct ChallengeLimits: Hashable, Sendable {
    public var total: Int
    /// Of one client of one tenant.
    public var perClient: Int
    /// From one address.
    public var perAddress: Int

    /// Half of all for one client; for one address a fiftieth, or what five minutes of the usual rate limit allow
    /// when that is more.
    public init(total: Int = 100_000, perClient: Int? = nil, perAddress: Int? = nil) {
        self.total = total
        self.perClient = perClient ?? max(1, total / 2)
        self.perAddress = perAddress ?? min(total, max(300, total / 50))
    }
}

/// A credential store that can keep the challenges as well, in the tables beside its own.
public protocol ChallengeKeeping: Sendable {
    func challengeCache(limits: ChallengeLimits) -> any ChallengeCache
}
