internal import CCrypto

/// Whether `a` and `b` are the same bytes, in a time that depends on their lengths only.
public func constantTimeEqual(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    guard !a.isEmpty else { return true }
    return unsafe a.withUnsafeBufferPointer { a in
        unsafe b.withUnsafeBufferPointer { b in
            unsafe CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
        }
    }
}

/// Whether `a` and `b` are the same bytes, in a time that depends on their lengths only.
public func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    constantTimeEqual(a[...], b[...])
}

/// Overwrites `secret` with zeros, which the compiler cannot leave out, and empties it.
///
/// It reaches this array alone: a copy that was written to, or that another variable still holds, keeps its bytes.
public func erase(_ secret: inout [UInt8]) {
    guard !secret.isEmpty else { return }
    unsafe secret.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    secret.removeAll()
}

/// Bytes that are overwritten when their owner lets go of them, and never copied by accident.
public struct SecretBytes: ~Copyable, Sendable {
    private var bytes: [UInt8]

    /// Takes over `bytes`, which the caller must hold no other copy of.
    public init(_ bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    /// `count` random bytes.
    public init(random count: Int) {
        bytes = Random.bytes(count)
    }

    /// How many bytes there are.
    public var count: Int { bytes.count }

    /// Lends the bytes to `body`, which must not keep them.
    public borrowing func withBytes<Result, Failure: Error>(
        _ body: (ArraySlice<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes[...])
    }

    deinit {
        // The array is held once, here, so that these are the bytes themselves and no copy.
        unsafe bytes.withUnsafeBytes { held in
            unsafe OPENSSL_cleanse(UnsafeMutableRawPointer(mutating: held.baseAddress), held.count)
        }
    }
}
