import CThreads

/// Signals as values: caught by a handler that does nothing but pass them on, and read by one thread.
public enum Signals {
    /// Each of `signals` as it comes, from now on; none of them ends the process any more.
    ///
    /// Call it once: the process has one such stream.
    ///
    /// - Returns: a stream that does not end; it keeps one thread waiting.
    /// - Throws: when the system has no thread or descriptor left.
    public static func stream(of signals: [Int32]) throws(ThreadError) -> AsyncStream<Int32> {
        let code = latchkey_open_signal_pipe()
        guard code == 0 else { throw ThreadError(code: -code) }
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        _ = try WorkerThread(name: "signals", stackSize: 256 << 10) {
            while true {
                let signal = latchkey_next_signal()
                if signal != 0 { continuation.yield(signal) }
            }
        }
        for signal in signals { latchkey_catch_signal(signal) }
        return stream
    }
}
