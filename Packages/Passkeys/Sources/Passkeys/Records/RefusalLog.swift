public import Identity
internal import Synchronization

/// Writes refused ceremonies down, without any answer waiting for it: a bounded queue that ``run()`` empties.
public final class RefusalLog: Sendable {
    private let log: any AuditLog
    private let capacity: Int
    private let waiting = Mutex(Waiting())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// How many go into one transaction.
    private static let batch = 256

    private struct Waiting {
        var ceremonies: [CeremonyRecord] = []
        var events: [AuditEvent] = []
        var dropped = 0

        var count: Int { ceremonies.count + events.count }
    }

    /// - Parameters:
    ///   - log: where they are kept.
    ///   - capacity: how many records and events may wait; further ones are counted and dropped.
    public init(_ log: any AuditLog, capacity: Int = 8192) {
        self.log = log
        self.capacity = capacity
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes a record and its event, and returns at once.
    public func add(_ ceremony: CeremonyRecord, _ event: AuditEvent) {
        enqueue([ceremony], [event])
    }

    /// Takes an event that belongs to no transaction, and returns at once.
    public func add(_ event: AuditEvent) {
        enqueue([], [event])
    }

    /// How many records and events were dropped because too many were waiting.
    public var droppedCount: Int { waiting.withLock { $0.dropped } }

    /// How many records and events wait.
    public var waitingCount: Int { waiting.withLock { $0.count } }

    /// Writes what waits, and what comes, until the task is cancelled; what waits then is written last. While the store
    /// does not take them, they wait, and it is asked again each second.
    public func run() async {
        for await _ in wakes {
            while await !flush() {
                do {
                    try await Task.sleep(for: .seconds(1))
                } catch {
                    break  // Cancelled: once more below, and no longer.
                }
            }
        }
        _ = await flush()
    }

    /// Writes all that waits.
    ///
    /// - Returns: false when the store did not take it; then it waits on.
    func flush() async -> Bool {
        while true {
            let (ceremonies, events) = waiting.withLock { waiting in
                (Array(waiting.ceremonies.prefix(Self.batch)), Array(waiting.events.prefix(Self.batch)))
            }
            if ceremonies.isEmpty, events.isEmpty { return true }
            do throws(StoreError) {
                try await log.append(ceremonies: ceremonies, events: events)
            } catch {
                return false
            }
            waiting.withLock { waiting in
                waiting.ceremonies.removeFirst(min(ceremonies.count, waiting.ceremonies.count))
                waiting.events.removeFirst(min(events.count, waiting.events.count))
            }
        }
    }

    private func enqueue(_ ceremonies: [CeremonyRecord], _ events: [AuditEvent]) {
        let more = ceremonies.count + events.count
        let isTaken = waiting.withLock { waiting in
            guard waiting.count + more <= capacity else {
                waiting.dropped += more
                return false
            }
            waiting.ceremonies += ceremonies
            waiting.events += events
            return true
        }
        if isTaken { wake.yield() }
    }
}
