import CThreads

/// Settings of the whole process, for the app to make once, before its threads start.
public enum ProcessTuning {
    /// Keeps freed memory in the process instead of giving it back and taking it again.
    ///
    /// glibc returns the top of the heap to the kernel as soon as 128 KiB of it are free, and takes it again with the
    /// next request; each time all cores must drop their translations. A server's memory goes up and down by that much
    /// all the time, so it is told to keep up to 256 MiB and to grow by 1 MiB.
    public static func keepFreedMemory() {
        _ = latchkey_mallopt_trim_threshold(256 << 20)
        _ = latchkey_mallopt_top_pad(1 << 20)
    }
}
