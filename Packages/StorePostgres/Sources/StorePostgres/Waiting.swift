import Identity

/// The transactions that wait for a connection, by what may go out with what.
struct Waiting {
    enum Kind: CaseIterable {
        /// Those that read: they share a snapshot.
        case reads
        /// Those that write without a decision in between: they share a commit.
        case commits
        /// One at a time.
        case alone
    }

    private var queues: [Kind: [any QueuedTransaction]] = [:]
    private(set) var count = 0

    /// Puts one at the end of its queue.
    mutating func append(_ transaction: any QueuedTransaction) {
        queues[Self.kind(of: transaction), default: []].append(transaction)
        count += 1
    }

    /// Puts one at the head: it has waited before. `alone` when its group failed.
    mutating func prepend(_ transaction: any QueuedTransaction, alone: Bool) {
        queues[alone ? .alone : Self.kind(of: transaction), default: []].insert(transaction, at: 0)
        count += 1
    }

    /// Of the `eligible` kinds that somebody waits in, the one whose head has waited longest.
    func oldest(of eligible: [Kind]) -> Kind? {
        eligible.compactMap { kind in queues[kind]?.first.map { (kind, $0.queuedAt) } }.min { $0.1 < $1.1 }?.0
    }

    mutating func take(_ kind: Kind) -> [any QueuedTransaction] {
        guard var queue = queues[kind] else { return [] }
        let taken = Array(queue.prefix(kind.groupLimit))
        queue.removeFirst(taken.count)
        queues[kind] = queue
        count -= taken.count
        return taken
    }

    /// Takes out those whose time to wait is over.
    mutating func takeLate(_ now: ContinuousClock.Instant) -> [any QueuedTransaction] {
        guard count > 0 else { return [] }
        var late: [any QueuedTransaction] = []
        for kind in Kind.allCases {
            guard let queue = queues[kind], queue.contains(where: { $0.poolEnd <= now }) else { continue }
            late += queue.filter { $0.poolEnd <= now }
            queues[kind] = queue.filter { $0.poolEnd > now }
        }
        count -= late.count
        return late
    }

    /// When the next one has waited too long.
    var nextEnd: ContinuousClock.Instant? { queues.values.flatMap { $0.map(\.poolEnd) }.min() }

    private static func kind(of transaction: any QueuedTransaction) -> Kind {
        guard transaction.isWrite else { return .reads }
        return switch transaction.round.ending {
        case .value, .commit, .commitIfChanged: .commits
        case .decision, .rollBack: .alone
        }
    }
}

extension Waiting.Kind {
    /// How many go out together at most.
    fileprivate var groupLimit: Int {
        switch self {
        case .reads: 32
        case .commits: 64
        case .alone: 1
        }
    }
}
