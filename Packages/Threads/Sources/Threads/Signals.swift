import CThreads

/// Signals as values: blocked in every thread, and waited for by one.
public enum Signals {
    /// Keeps `signals` from interrupting this thread and every thread that it starts from now on. Call it before the
    /// first thread is started.
    public static func block(_ signals: [Int32]) {
        var set = emptySet(adding: signals)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Each of `signals` as it comes. They must be blocked (``block(_:)``).
    ///
    /// - Returns: a stream that does not end; it keeps one thread waiting.
    /// - Throws: when the system has no thread left.
    public static func stream(of signals: [Int32]) throws(ThreadError) -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        _ = try WorkerThread(name: "signals", stackSize: 256 << 10) {
            while true {
                var set = emptySet(adding: signals)
                var signal: Int32 = 0
                guard unsafe sigwait(&set, &signal) == 0 else { continue }
                continuation.yield(signal)
            }
        }
        return stream
    }

    private static func emptySet(adding signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        return set
    }
}
