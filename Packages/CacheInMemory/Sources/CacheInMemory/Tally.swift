import Threads

/// Counts by key, up to a limit; a key whose count is 0 takes no room.
final class Tally<Key: Hashable & Sendable>: Sendable {
    private let parts = (0..<16).map { _ in Lock<[Key: Int]>([:]) }

    /// Adds one.
    ///
    /// - Returns: false, with nothing added, when the key has `limit` already.
    func add(_ key: Key, limit: Int) -> Bool {
        part(of: key).withLock { counts in
            let count = counts[key, default: 0]
            guard count < limit else { return false }
            counts[key] = count + 1
            return true
        }
    }

    /// Takes one away.
    func subtract(_ key: Key) {
        part(of: key).withLock { counts in
            let count = counts[key, default: 0]
            counts[key] = count > 1 ? count - 1 : nil
        }
    }

    private func part(of key: Key) -> Lock<[Key: Int]> {
        parts[key.hashValue & 15]
    }
}
