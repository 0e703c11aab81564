import Synchronization

/// How often something may be done: `limit` times in each window of `seconds`.
public struct RateLimit: Hashable, Sendable {
    public let limit: Int
    /// At least 1.
    public let seconds: Int64

    public init(limit: Int, seconds: Int64) {
        self.limit = limit
        self.seconds = max(1, seconds)
    }
}

/// The limits of contract 1.4 that this build serves; `nil` switches one off.
public struct RateLimits: Hashable, Sendable {
    public var passkeyChallenges: RateLimit?
    public var token: RateLimit?
    public var signup: RateLimit?
    /// By tenant, over all its clients.
    public var management: RateLimit?
    /// By user.
    public var myAccount: RateLimit?
    /// Mails by which an address gets back into an account.
    public var recoveryMail: RateLimit?
    /// Wrong recovery codes, mailed or printed, of a name; an address has five times as many.
    public var recoveryCodes: RateLimit?
    /// Wrong passwords of a name from an address, and how long the name is then locked there.
    public var passwordIdentifierIP: RateLimit?
    /// Wrong passwords in a row of a name, from wherever.
    public var passwordIdentifier: Int?
    /// Wrong passwords from an address.
    public var passwordIP: RateLimit?

    public init(
        passkeyChallenges: RateLimit? = RateLimit(limit: 60, seconds: 60),
        token: RateLimit? = RateLimit(limit: 120, seconds: 60),
        signup: RateLimit? = RateLimit(limit: 50, seconds: 3600),
        management: RateLimit? = RateLimit(limit: 100, seconds: 2),
        myAccount: RateLimit? = RateLimit(limit: 20, seconds: 1),
        recoveryMail: RateLimit? = RateLimit(limit: 5, seconds: 3600),
        recoveryCodes: RateLimit? = RateLimit(limit: 10, seconds: 3600),
        passwordIdentifierIP: RateLimit? = RateLimit(limit: 10, seconds: 900),
        passwordIdentifier: Int? = 100,
        passwordIP: RateLimit? = RateLimit(limit: 100, seconds: 86400)
    ) {
        self.passkeyChallenges = passkeyChallenges
        self.token = token
        self.signup = signup
        self.management = management
        self.myAccount = myAccount
        self.recoveryMail = recoveryMail
        self.recoveryCodes = recoveryCodes
        self.passwordIdentifierIP = passwordIdentifierIP
        self.passwordIdentifier = passwordIdentifier
        self.passwordIP = passwordIP
    }

    /// None at all: for tests and load runs.
    public static let off = RateLimits(
        passkeyChallenges: nil,
        token: nil,
        signup: nil,
        management: nil,
        myAccount: nil,
        recoveryMail: nil,
        recoveryCodes: nil,
        passwordIdentifierIP: nil,
        passwordIdentifier: nil,
        passwordIP: nil
    )
}

/// Counts, in memory and bounded: fixed windows that begin with the first request of a key.
final class RateLimiter: Sendable {
    struct Key: Hashable {
        enum Bucket: Hashable {
            case passkeyChallenges, token, signup, management, myAccount, recoveryMail, passwordIdentifierIP, passwordIP
            case recoveryCodes, recoveryCodesIP
        }
        let bucket: Bucket
        let tenant: Int64
        let address: String
    }

    /// What a limited response says (`x-ratelimit-…`).
    struct State: Hashable {
        let limit: Int
        let remaining: Int
        /// UNIX seconds.
        let reset: Int64
        let isRefused: Bool
    }

    private struct Window {
        var start: Int64
        var count: Int
    }

    /// Windows in two halves: when the newer one is full, the older one goes. So who keeps asking stays, memory is
    /// bounded, and no request pays for looking through the table. Forgetting a count is better than refusing people
    /// who did nothing.
    private struct Windows {
        var newer: [Key: Window] = [:]
        var older: [Key: Window] = [:]
    }

    private final class Shard: Sendable {
        let windows = Mutex(Windows())
    }

    private let shards: [Shard]
    private let half: Int

    init(capacity: Int = 131_072) {
        shards = (0..<16).map { _ in Shard() }
        half = max(1, capacity / 32)
    }

    /// How many windows are held.
    var count: Int { shards.reduce(0) { $0 + $1.windows.withLock { $0.newer.count + $0.older.count } } }

    /// Counts one try, unless the window is full already. Where it `locks`, the window begins anew with the try that
    /// fills it.
    func count(_ key: Key, _ limit: RateLimit, now: Int64, locks: Bool = false) -> State {
        let shard = shards[Int(UInt(bitPattern: key.hashValue) % UInt(shards.count))]
        return shard.windows.withLock { windows in
            let known = windows.newer[key]
            var window = known ?? windows.older[key] ?? Window(start: now, count: 0)
            if now < window.start || now &- window.start >= limit.seconds { window = Window(start: now, count: 0) }
            let isRefused = window.count >= limit.limit
            if !isRefused { window.count += 1 }
            if locks, !isRefused, window.count == limit.limit { window.start = now }
            if known == nil, windows.newer.count >= half { windows = Windows(older: windows.newer) }
            windows.newer[key] = window
            let (end, isTooLate) = window.start.addingReportingOverflow(limit.seconds)
            return State(
                limit: limit.limit,
                remaining: max(0, limit.limit - window.count),
                reset: isTooLate ? .max : end,
                isRefused: isRefused
            )
        }
    }

    /// Takes back one try, or all: it was no failure after all.
    func takeBack(_ key: Key, all: Bool) {
        let shard = shards[Int(UInt(bitPattern: key.hashValue) % UInt(shards.count))]
        shard.windows.withLock { windows in
            if all {
                windows.newer[key] = nil
                windows.older[key] = nil
            } else if let count = windows.newer[key]?.count {
                windows.newer[key]?.count = max(0, count - 1)
            } else if let count = windows.older[key]?.count {
                windows.older[key]?.count = max(0, count - 1)
            }
        }
    }
}
