/// What a descriptor is, or should be, ready for.
public struct Readiness: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A read returns at once: bytes, the end, or an error.
    public static let readable = Readiness(rawValue: 1)
    /// A write takes at least one byte.
    public static let writable = Readiness(rawValue: 2)
    /// The other side has gone or the descriptor is in error. Reported whatever was asked for.
    public static let closed = Readiness(rawValue: 4)
}

/// An event loop that watches descriptors which are not its own: a libpq or hiredis socket, a signal descriptor.
///
/// Everything it calls back, it calls on its one thread, one after another. Work that a callback does there delays all
/// else on that loop, so it reads, writes and resumes; it never waits.
public protocol DescriptorWatcher: Sendable {
    /// Watches a descriptor until the returned watch is cancelled.
    ///
    /// Level-triggered: as long as the descriptor is ready for what was asked, `onReady` is called again. May be called
    /// from any thread. The descriptor stays the caller's, who cancels before closing it.
    func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ onReady: @escaping @Sendable (Readiness) -> Void
    ) -> any DescriptorWatch

    /// Calls `body` once on the loop's thread, not before `delay` is over; at once when it is zero.
    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledCall

    /// The loop as an executor: a task that prefers it runs on the loop's thread.
    var executor: any TaskExecutor { get }
}

/// One watched descriptor.
public protocol DescriptorWatch: Sendable {
    /// Waits for something else from now on; for nothing but ``Readiness/closed`` when `interest` is empty.
    func change(to interest: Readiness)

    /// Ends the watch. On the loop's own thread no callback comes after it; from another thread one may still be
    /// under way.
    func cancel()
}

/// A call that is due later.
public protocol ScheduledCall: Sendable {
    /// Takes the call back. On the loop's own thread it is then never made; from another thread it may be under way.
    func cancel()
}
