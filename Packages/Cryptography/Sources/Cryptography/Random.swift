internal import CCrypto
internal import Glibc

/// Random bytes from the kernel.
public enum Random {
    /// `count` bytes that nobody can predict, from `getrandom`.
    ///
    /// There is no buffer in the process, so nothing is shared after a `fork` and nothing stays in memory.
    public static func bytes(_ count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            while filled < count {
                // Up to 256 bytes come whole; more may be cut short by a signal.
                let got = unsafe getrandom(output.baseAddress.map { unsafe $0 + filled }, count - filled, 0)
                if got > 0 {
                    filled += got
                } else if errno != EINTR {
                    fatalError("the kernel gives no random bytes: errno \(errno)")
                }
            }
        }
    }
}
