public import Identity

/// When a mail that could not be sent is tried again, and when it is given up.
public struct RetrySchedule: Hashable, Sendable {
    /// Seconds after the first try in vain; each further one doubles it.
    public var firstDelay: Int64
    /// Seconds at most.
    public var longestDelay: Int64
    /// How many tries there are.
    public var tries: Int
    /// Seconds after which a mail is not tried again.
    public var life: Int64

    public init(firstDelay: Int64 = 30, longestDelay: Int64 = 14_400, tries: Int = 30, life: Int64 = 3 * 86_400) {
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
        self.tries = tries
        self.life = life
    }

    /// When to try again, with the delay shortened by up to a half, so that many mails do not come back at once.
    ///
    /// - Parameters:
    ///   - tries: how many were in vain, the last one included; from 1.
    ///   - createdAt: when the mail was written.
    ///   - now: when the last one failed.
    ///   - chance: a random byte.
    /// - Returns: `nil` when it is given up.
    public func next(after tries: Int, createdAt: UnixTime, now: UnixTime, chance: UInt8) -> UnixTime? {
        guard tries < self.tries else { return nil }
        let doublings = min(30, max(0, tries - 1))
        let (product, isTooLong) = firstDelay.multipliedReportingOverflow(by: 1 << Int64(doublings))
        let delay = isTooLong ? longestDelay : min(longestDelay, product)
        // From a half of it to all of it, in milliseconds.
        let time = now.adding(milliseconds: delay * 500 + delay * 500 * Int64(chance) / 255)
        return time.milliseconds(since: createdAt) / 1000 < life ? time : nil
    }
}
