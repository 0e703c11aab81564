/// Counts tries in windows of time, shared by all servers of a deployment.
public protocol RateCounter: Sendable {
    /// Counts one try of `key`. A window begins with its first try and lasts `window` seconds.
    func count(_ key: String, window: Int64) async throws(StoreError) -> RateCount
    /// The same for what locks: the window begins anew with the try that is the `limit`th, so that the lock has its whole
    /// length.
    func count(_ key: String, window: Int64, lockingAt limit: Int) async throws(StoreError) -> RateCount
    /// Takes back one try of `key`, or all: it was no failure after all.
    func takeBack(_ key: String, all: Bool) async throws(StoreError)
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
