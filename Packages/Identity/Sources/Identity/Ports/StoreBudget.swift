import Synchronization

/// The time that a request may spend waiting for stores: one budget for all its calls (design: failure rules).
///
/// Whoever handles a request begins one, and everything called from there finds it in ``current``. A guard around a
/// store counts what each call took; an adapter asks ``allowance(atMost:)`` how long the next one may take.
public final class StoreBudget: Sendable {
    /// The budget of the request that this task handles; none for work that belongs to no request.
    @TaskLocal public static var current: StoreBudget?

    /// In nanoseconds.
    private let left: Atomic<Int64>

    public init(_ total: Duration = .seconds(1)) {
        left = Atomic(total.nanoseconds)
    }

    /// What is left of it; never below zero.
    public var remaining: Duration { .nanoseconds(max(0, left.load(ordering: .relaxed))) }

    /// Takes away what a call took.
    public func spend(_ time: Duration) {
        left.subtract(max(0, time.nanoseconds), ordering: .relaxed)
    }

    /// How long the next call may take: `limit`, or less when the request's budget has less.
    public static func allowance(atMost limit: Duration) -> Duration {
        guard let current else { return limit }
        return min(limit, current.remaining)
    }
}

extension Duration {
    /// Whole nanoseconds, as far as 64 bits go.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLarge else { return seconds < 0 ? .min : .max }
        let (sum, isOver) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isOver ? (seconds < 0 ? .min : .max) : sum
    }
}
