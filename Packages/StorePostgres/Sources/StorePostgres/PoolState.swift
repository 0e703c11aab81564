import Identity
import Synchronization

/// What the thread that speaks with the database tells others of its connections.
final class PoolState: Sendable {
    private let open = Atomic(0)
    private let busy = Atomic(0)
    private let waiting = Atomic(0)
    private let waits = DurationHistogram()

    /// - Parameters:
    ///   - open: connections that are there.
    ///   - busy: those of them with a transaction.
    ///   - waiting: transactions without a connection.
    func note(open: Int, busy: Int, waiting: Int) {
        self.open.store(open, ordering: .relaxed)
        self.busy.store(busy, ordering: .relaxed)
        self.waiting.store(waiting, ordering: .relaxed)
    }

    /// Counts what a transaction waited until it had a connection.
    func note(wait: Duration) { waits.note(wait) }

    var vitals: StoreVitals {
        var vitals = StoreVitals()
        vitals.openConnections = open.load(ordering: .relaxed)
        vitals.busyConnections = busy.load(ordering: .relaxed)
        vitals.waiting = waiting.load(ordering: .relaxed)
        vitals.connectionWaits = waits.snapshot
        return vitals
    }
}
