import Synchronization

/// Keeps a store that does not answer from being asked by every request.
///
/// After five calls in a row that the store did not answer it opens: calls are refused at once, and the store is probed
/// every 500 ms until it answers. An answer of any kind, a refusal too, closes it again.
public final class StoreBreaker: Sendable {
    /// Why the breaker refuses, in words for the operator's log.
    public let store: String
    private let probe: @Sendable () async throws(StoreError) -> Void
    private let limit: Int
    private let interval: Duration
    /// Calls in a row that were not answered.
    private let failures = Atomic(0)
    private let open = Atomic(false)
    private let opened = Atomic(0)
    private let unanswered = Atomic(0)
    private let latencies = DurationHistogram()

    /// - Parameters:
    ///   - store: its name, as `Redis`.
    ///   - limit: calls in a row without an answer that open it.
    ///   - interval: between probes.
    ///   - probe: asks the store whether it answers, within its own deadline.
    public init(
        of store: String,
        opensAfter limit: Int = 5,
        probesEach interval: Duration = .milliseconds(500),
        probe: @escaping @Sendable () async throws(StoreError) -> Void
    ) {
        self.store = store
        self.limit = max(1, limit)
        self.interval = interval
        self.probe = probe
    }

    /// Whether calls are refused.
    public var isOpen: Bool { open.load(ordering: .relaxed) }

    /// How often it has opened.
    public var timesOpened: Int { opened.load(ordering: .relaxed) }

    /// What it has seen of the store.
    public var vitals: StoreVitals {
        var vitals = StoreVitals()
        vitals.isBreakerOpen = isOpen
        vitals.breakerOpenings = timesOpened
        vitals.unanswered = unanswered.load(ordering: .relaxed)
        vitals.calls = latencies.snapshot
        return vitals
    }

    /// Calls the store, unless the breaker is open or the request's budget is spent, and counts what the call took.
    ///
    /// - Throws: what `body` throws; ``StoreError/unavailable(reason:)`` when it was not called.
    public func call<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        guard !isOpen else {
            throw .unavailable(reason: "\(store) has not answered \(limit) times in a row; it is being probed")
        }
        let budget = StoreBudget.current
        if let budget, budget.remaining == .zero {
            throw .unavailable(reason: "\(store) was not asked: the request's time for stores is spent")
        }
        let start = ContinuousClock.now
        defer {
            let time = ContinuousClock.now - start
            budget?.spend(time)
            latencies.note(time)
        }
        do throws(StoreError) {
            let value = try await body()
            note(answered: true)
            return value
        } catch {
            note(answered: error.isAnswer)
            throw error
        }
    }

    private func note(answered: Bool) {
        guard !answered else {
            if failures.load(ordering: .relaxed) != 0 { failures.store(0, ordering: .relaxed) }
            return
        }
        unanswered.add(1, ordering: .relaxed)
        guard failures.add(1, ordering: .relaxed).newValue >= limit,
            open.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
        else { return }
        opened.add(1, ordering: .relaxed)
        startProbing()
    }

    /// Probes until the store answers or nobody holds the breaker any more.
    private func startProbing() {
        let (interval, probe) = (interval, probe)
        // Not in the name of the request that opened it, whose time is spent.
        StoreBudget.$current.withValue(nil) {
            _ = Task { [weak self] in
                while self != nil {
                    try? await Task.sleep(for: interval)
                    do throws(StoreError) {
                        try await probe()
                    } catch {
                        guard error.isAnswer else { continue }
                    }
                    self?.failures.store(0, ordering: .relaxed)
                    self?.open.store(false, ordering: .relaxed)
                    return
                }
            }
        }
    }
}

extension StoreError {
    /// Whether the store said something, be it a refusal. What it never answered counts towards the breaker.
    public var isAnswer: Bool {
        switch self {
        case .unavailable, .unknownOutcome: false
        case .busy, .full, .overQuota, .readOnly, .io, .corrupt, .unique, .constraint: true
        }
    }
}
