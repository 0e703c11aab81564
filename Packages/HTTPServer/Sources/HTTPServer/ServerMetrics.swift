import Synchronization

/// What a server has done and is doing, over all its loops.
public struct ServerMetrics: Hashable, Sendable {
    public var connectionsOpen = 0
    public var connectionsAccepted = 0
    /// Connections that were closed, and requests that got 503, because as many as may be were there.
    public var refusedByCap = 0
    /// Requests that were handed to the handler.
    public var requests = 0
    public var requestsInFlight = 0
    /// Requests that broke the grammar or a limit: 400, 413, 414, 417, 431, 501, 505.
    public var requestsRefused = 0
    /// Connections and requests that were not complete in time, and handlers that had not answered.
    public var timeouts = 0
    public var bytesReceived = 0
    public var bytesSent = 0
}

/// One loop's share of the metrics. Written by that loop alone, read by all.
final class LoopCounters: Sendable {
    let connectionsOpen = Counter()
    let connectionsAccepted = Counter()
    let refusedByCap = Counter()
    let requests = Counter()
    let requestsInFlight = Counter()
    let requestsRefused = Counter()
    let timeouts = Counter()
    let bytesReceived = Counter()
    let bytesSent = Counter()

    func add(to sum: inout ServerMetrics) {
        sum.connectionsOpen += connectionsOpen.value
        sum.connectionsAccepted += connectionsAccepted.value
        sum.refusedByCap += refusedByCap.value
        sum.requests += requests.value
        sum.requestsInFlight += requestsInFlight.value
        sum.requestsRefused += requestsRefused.value
        sum.timeouts += timeouts.value
        sum.bytesReceived += bytesReceived.value
        sum.bytesSent += bytesSent.value
    }
}

/// A number with one writer, so that adding needs no locked instruction.
struct Counter: ~Copyable, Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .relaxed) }

    func add(_ amount: Int) {
        number.store(number.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }
}
