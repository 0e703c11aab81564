import CHiredis

/// Waiting on this thread.
enum Pause {
    static func sleep(milliseconds: Int32) {
        _ = poll(nil, 0, milliseconds)
    }
}
