import Identity
import Threads

/// The machine's clock. The only place that asks it.
enum SystemClock {
    @Sendable static func now() -> UnixTime { UnixTime(milliseconds: WallClock.milliseconds()) }
}
