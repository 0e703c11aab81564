public import Identity

/// Writes refused ceremonies down, without any answer waiting for it: a bounded queue that ``run()`` empties.
public final class RefusalLog: Sendable {
    private let log: any AuditLog
    private let capacity: Int

    /// - Parameters:
    ///   - log: where they are kept.
    ///   - capacity: how many may wait; further ones are counted and dropped.
    public init(_ log: any AuditLog, capacity: Int = 4096) {
        self.log = log
        self.capacity = capacity
    }

    /// Writes what waits, and what comes, until the task is cancelled; what waits then is written last.
    public func run() async {
    }
}
