/// Counts tries in windows of time, shared by all servers of a deployment.
public protocol RateCounter: Sendable {
    /// Counts one try of `key`. A window begins with its first try and lasts `window` seconds.
    func count(_ key: String, window: Int64) async throws(StoreError) -> RateCount
}

/// Where a window stands.
public struct RateCount: Hashable, Sendable {
    /// Tries in the window, this one too.
    public let tries: Int
    /// Until the window ends.
    public let millisecondsLeft: Int64

    public init(tries: Int, millisecondsLeft: Int64) {
        self.tries = tries
        self.millisecondsLeft = millisecondsLeft
    }
}
