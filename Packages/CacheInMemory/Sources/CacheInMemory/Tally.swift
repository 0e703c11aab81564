import Threads

/// Counts by key, up to a limit; a key whose count is 0 takes no room.
final class Tally<Key: Hashable & Sendable>: Sendable {
    private let parts = (0..<16).map { _ in Lock<[Key: Int]>([:]) }

    /// Adds `weight`.
    ///
    /// - Returns: false, with nothing added, when the key would have more than `limit`.
    func add(_ key: Key, _ weight: Int, limit: Int) -> Bool {
        part(of: key).withLock { counts in
            let count = counts[key, default: 0]
            guard count <= limit - weight else { return false }
            counts[key] = count + weight
            return true
        }
    }

    /// Takes `weight` away.
    func subtract(_ key: Key, _ weight: Int) {
        part(of: key).withLock { counts in
            let count = counts[key, default: 0]
            counts[key] = count > weight ? count - weight : nil
        }
    }

    private func part(of key: Key) -> Lock<[Key: Int]> {
        parts[key.hashValue & 15]
    }
}
