internal import CCrypto

/// scrypt (RFC 7914), for password hashes that came from elsewhere.
public struct Scrypt: Hashable, Sendable {
    /// N, the CPU and memory cost: a power of two over 1.
    public let cost: UInt64
    /// r
    public let blockSize: UInt64
    /// p
    public let parallelization: UInt64

    /// - Throws: `invalidLength` when N is no power of two, N·r·128 is over 256 MiB, or p is over 8.
    public init(cost: UInt64, blockSize: UInt64, parallelization: UInt64) throws(CryptographyError) {
        guard (2...1 << 21).contains(cost), cost.nonzeroBitCount == 1 else {
            throw .invalidLength(what: "scrypt N", got: Int(clamping: cost))
        }
        guard (1...1 << 14).contains(blockSize), cost * blockSize * 128 <= 256 << 20 else {
            throw .invalidLength(what: "scrypt r", got: Int(clamping: blockSize))
        }
        guard (1...8).contains(parallelization) else {
            throw .invalidLength(what: "scrypt p", got: Int(clamping: parallelization))
        }
        self.cost = cost
        self.blockSize = blockSize
        self.parallelization = parallelization
    }

    /// Derives `count` bytes. It computes for up to seconds: never on an event loop.
    ///
    /// - Parameters:
    ///   - password: any bytes, at most 4096.
    ///   - salt: at most 64 bytes.
    ///   - count: 16 to 128 bytes.
    /// - Returns: the derived bytes.
    /// - Throws: `invalidLength`, or `library` when there is no memory for it.
    public func derive(_ password: [UInt8], salt: [UInt8], count: Int) throws(CryptographyError) -> [UInt8] {
        guard password.count <= 4096 else { throw .invalidLength(what: "password", got: password.count) }
        guard salt.count <= 64 else { throw .invalidLength(what: "scrypt salt", got: salt.count) }
        guard (16...128).contains(count) else { throw .invalidLength(what: "scrypt hash", got: count) }
        var derived = [UInt8](repeating: 0, count: count)
        let code = unsafe password.withUnsafeBytes { password in
            unsafe salt.withUnsafeBufferPointer { salt in
                unsafe derived.withUnsafeMutableBufferPointer { derived in
                    unsafe EVP_PBE_scrypt(
                        password.baseAddress?.assumingMemoryBound(to: CChar.self),
                        password.count,
                        salt.baseAddress,
                        salt.count,
                        cost,
                        blockSize,
                        parallelization,
                        // The blocks of N, those of p, and what libcrypto adds of its own.
                        320 << 20,
                        derived.baseAddress,
                        derived.count
                    )
                }
            }
        }
        guard code == 1 else { throw .fromLibrary("scrypt") }
        return derived
    }
}
