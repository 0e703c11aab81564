/// How a store or cache does, for whoever watches the server. What an adapter does not have is `nil`.
public struct StoreVitals: Hashable, Sendable {
    /// Whether its breaker refuses every call.
    public var isBreakerOpen: Bool?
    /// How often the breaker has opened.
    public var breakerOpenings: Int?
    /// Calls that it never answered.
    public var unanswered: Int?
    /// How long calls took, answered or not.
    public var calls: DurationHistogram.Snapshot?
    /// Connections that are there.
    public var openConnections: Int?
    /// Those of them that are in use.
    public var busyConnections: Int?
    /// Calls that wait for a connection now.
    public var waiting: Int?
    /// How long calls waited for a connection.
    public var connectionWaits: DurationHistogram.Snapshot?
    /// Ceremonies that are pending in it.
    public var pendingCeremonies: Int?

    public init() {}
}

/// A store or cache that can say how it does. None has to: what cannot is left out of the metrics.
public protocol StoreObservable: Sendable {
    /// How it does now. It is read without asking the store.
    var vitals: StoreVitals { get }
}
