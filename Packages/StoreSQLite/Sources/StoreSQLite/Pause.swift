import CSQLite

/// A sleep of the thread, for threads that are this package's own.
enum Pause {
    static func sleep(milliseconds: Int32) {
        _ = poll(nil, 0, milliseconds)
    }
}
