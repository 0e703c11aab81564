import Synchronization

/// Counts how long things took, in the classes that a monitoring system asks for.
public final class DurationHistogram: Sendable {
    /// What the classes reach to, in milliseconds, rising; what took longer is counted in the last, which has no bound.
    public static let bounds: [Int64] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]

    private let counts = (0...bounds.count).map { _ in Counter() }
    private let microseconds = Atomic<Int64>(0)

    public init() {}

    /// Counts one.
    public func note(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        // Nobody waits for a store for a day.
        let whole = min(max(0, seconds), 86_400) * 1_000_000
        let spent = whole + max(0, attoseconds) / 1_000_000_000_000
        let place = Self.bounds.firstIndex { spent <= $0 * 1000 } ?? Self.bounds.count
        counts[place].value.add(1, ordering: .relaxed)
        microseconds.add(spent, ordering: .relaxed)
    }

    /// What was counted so far.
    public var snapshot: Snapshot {
        Snapshot(
            counts: counts.map { $0.value.load(ordering: .relaxed) },
            microseconds: microseconds.load(ordering: .relaxed)
        )
    }

    /// The counts of one moment.
    public struct Snapshot: Hashable, Sendable {
        /// One for each of ``DurationHistogram/bounds``, in their order and not added up, and one for what took longer.
        public let counts: [Int]
        /// What all took together.
        public let microseconds: Int64

        public init(counts: [Int], microseconds: Int64) {
            self.counts = counts
            self.microseconds = microseconds
        }

        /// How many there were.
        public var total: Int { counts.reduce(0, +) }
    }

    /// An atomic cannot lie in an array, a reference to one can.
    private final class Counter: Sendable {
        let value = Atomic(0)
    }
}
