import CThreads

/// The machine's own clock.
public enum WallClock {
    /// Milliseconds since 1970-01-01T00:00:00Z. It can jump when the clock is set.
    public static func milliseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
