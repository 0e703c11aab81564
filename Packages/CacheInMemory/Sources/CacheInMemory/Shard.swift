import Identity

/// One part of the table. Not safe by itself: it lies behind a lock.
struct Shard: Sendable {
    /// By the session's hash.
    private var entries: [[UInt8]: Numbered] = [:]
    /// Every entry once, in the order in which they are looked at; those that were taken meanwhile are still in it.
    private var queue = Queue()
    private var lastNumber: UInt64 = 0

    private struct Numbered: Sendable {
        let number: UInt64
        let entry: Entry
    }

    /// - Returns: the entry that had the same hash, which is gone now.
    mutating func insert(_ entry: Entry) -> Entry? {
        lastNumber += 1
        queue.append(Queue.Ticket(hash: entry.key.sessionHash, number: lastNumber))
        return entries.updateValue(Numbered(number: lastNumber, entry: entry), forKey: entry.key.sessionHash)?.entry
    }

    /// Takes out the entry of exactly this tenant, client and session.
    mutating func remove(_ key: ChallengeKey) -> Entry? {
        guard let found = entries[key.sessionHash]?.entry.key, found.tenant == key.tenant,
            found.client.text.utf8.elementsEqual(key.client.text.utf8)
        else { return nil }
        return entries.removeValue(forKey: key.sessionHash)?.entry
    }

    /// Looks at the next `limit` entries, each once at most, and takes out those that are over.
    ///
    /// Ceremonies live for different times, so one that is not over yet goes to the end of the queue. Looking at more
    /// entries than come in keeps the queue about as long as the table.
    mutating func sweep(atMost limit: Int, now: UnixTime) -> [Entry] {
        var over: [Entry] = []
        for _ in 0..<min(limit, queue.count) {
            guard let ticket = queue.popFirst() else { break }
            guard let found = entries[ticket.hash], found.number == ticket.number else { continue }
            if now < found.entry.expiry {
                queue.append(ticket)
            } else {
                over.append(found.entry)
                entries[ticket.hash] = nil
            }
        }
        return over
    }
}

/// First in, first out.
struct Queue: Sendable {
    struct Ticket: Sendable {
        let hash: [UInt8]
        let number: UInt64
    }

    private var tickets: [Ticket] = []
    /// What lies before it was popped.
    private var start = 0

    var count: Int { tickets.count - start }

    mutating func append(_ ticket: Ticket) {
        tickets.append(ticket)
    }

    mutating func popFirst() -> Ticket? {
        guard start < tickets.count else { return nil }
        defer {
            start += 1
            // Moving the rest costs no more than the pops that made room.
            if start >= 32, start * 2 >= tickets.count {
                tickets.removeFirst(start)
                start = 0
            }
        }
        return tickets[start]
    }
}
