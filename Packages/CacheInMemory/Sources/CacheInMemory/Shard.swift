import Identity
import Synchronization

/// One part of the table. Not safe by itself: it lies behind a lock.
struct Shard: Sendable {
    /// By the session's hash.
    private var entries: [[UInt8]: Entry] = [:]
    /// Every entry once, in the order in which they are looked at; those that were taken meanwhile are still in it.
    private var queue = Queue()

    /// - Returns: the entry that had the same hash, which is gone now.
    mutating func insert(_ entry: Entry) -> Entry? {
        queue.append(entry)
        let replaced = entries.updateValue(entry, forKey: entry.key.sessionHash)
        replaced?.isGone.store(true, ordering: .relaxed)
        return replaced
    }

    /// Takes out the entry of exactly this tenant, client and session.
    mutating func remove(_ key: ChallengeKey) -> Entry? {
        guard let place = entries.index(forKey: key.sessionHash) else { return nil }
        let entry = entries.values[place]
        guard entry.key.tenant == key.tenant, entry.key.client.text.utf8.elementsEqual(key.client.text.utf8) else {
            return nil
        }
        entries.remove(at: place)
        entry.isGone.store(true, ordering: .relaxed)
        return entry
    }

    /// Looks at the next `limit` entries, each once at most, and takes out those that are over.
    ///
    /// Ceremonies live for different times, so one that is not over yet goes to the end of the queue. Looking at more
    /// entries than come in keeps the queue about as long as the table.
    mutating func sweep(atMost limit: Int, now: UnixTime) -> [Entry] {
        var over: [Entry] = []
        for _ in 0..<min(limit, queue.count) {
            guard let entry = queue.popFirst() else { break }
            guard !entry.isGone.load(ordering: .relaxed) else { continue }
            if now < entry.expiry {
                queue.append(entry)
            } else {
                over.append(entry)
                entries[entry.key.sessionHash] = nil
            }
        }
        return over
    }
}

/// First in, first out.
struct Queue: Sendable {
    private var entries: [Entry?] = []
    /// What lies before it was popped.
    private var start = 0

    var count: Int { entries.count - start }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
    }

    mutating func popFirst() -> Entry? {
        guard start < entries.count else { return nil }
        let first = entries[start]
        entries[start] = nil
        start += 1
        // Moving the rest costs no more than the pops that made room.
        if start >= 32, start * 2 >= entries.count {
            entries.removeFirst(start)
            start = 0
        }
        return first
    }
}
