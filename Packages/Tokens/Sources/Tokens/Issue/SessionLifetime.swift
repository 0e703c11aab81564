internal import Identity

extension TenantSettings {
    /// When a session that begins at `now` is over, whatever happens (HTTP contract 7.6).
    func sessionEnd(from now: UnixTime) -> UnixTime {
        now.adding(milliseconds: Self.milliseconds(hours: sessionLifetime))
    }

    /// When a session that was used at `now` is over unless it is used again; never later than `end`.
    func sessionIdleEnd(from now: UnixTime, end: UnixTime) -> UnixTime {
        min(now.adding(milliseconds: Self.milliseconds(hours: idleSessionLifetime)), end)
    }

    /// Hours may be fractional; what is no number counts as none.
    private static func milliseconds(hours: Double) -> Int64 {
        Int64(exactly: (hours * 3_600_000).rounded()) ?? (hours > 0 ? .max : 0)
    }
}
