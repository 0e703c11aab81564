import Identity
import Synchronization

/// What one server knows of how many ceremonies are pending: a count from the store, and what it did itself since.
final class ChallengeTally: Sendable {
    enum Key: Hashable {
        case all
        case client(TenantID, ClientID)
    }

    private struct Count {
        var count: Int
        let countedAt: UnixTime
    }

    private let counts = Mutex<[Key: Count]>([:])

    /// How long, in milliseconds, a count is gone by.
    private static let freshness: Int64 = 1000
    /// Clients that are remembered; when there are more, all are counted anew.
    private static let capacity = 10_000

    /// Whether the store has to be asked again.
    func isDue(_ key: Key, now: UnixTime) -> Bool {
        counts.withLock { counts in
            guard let count = counts[key] else { return true }
            let passed = now.milliseconds(since: count.countedAt)
            return passed >= Self.freshness || passed < 0
        }
    }

    func count(_ key: Key) -> Int {
        counts.withLock { $0[key]?.count ?? 0 }
    }

    func set(_ key: Key, to count: Int, now: UnixTime) {
        counts.withLock { counts in
            if counts.count >= Self.capacity { counts.removeAll() }
            counts[key] = Count(count: count, countedAt: now)
        }
    }

    func add(_ change: Int, to keys: [Key]) {
        counts.withLock { counts in
            for key in keys {
                guard let count = counts[key]?.count else { continue }
                counts[key]?.count = max(0, count + change)
            }
        }
    }
}
