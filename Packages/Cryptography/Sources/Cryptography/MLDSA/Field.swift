/// Arithmetic modulo the prime of ML-DSA, without branches (FIPS 204 §2.4, appendix A).
enum Field {
    /// `2^23 - 2^13 + 1`.
    static let q: Int32 = 8_380_417
    /// How many bits `power2Round` takes off.
    static let d: Int32 = 13

    /// `q` to the power of -1, modulo 2^32.
    private static let inverse: Int32 = 58_728_449

    /// A number of the same class as `a / 2^32`, between `-q` and `q`, for `a` between `-2^31 * q` and `2^31 * q`.
    @inline(__always)
    static func montgomery(_ a: Int64) -> Int32 {
        let quotient = Int32(truncatingIfNeeded: a) &* inverse
        return Int32(truncatingIfNeeded: (a &- Int64(quotient) &* Int64(q)) >> 32)
    }

    /// A number of the same class between `-6283008` and `6283008`, for `a` below `2^31 - 2^22`.
    @inline(__always)
    static func reduced(_ a: Int32) -> Int32 {
        a &- ((a &+ (1 << 22)) >> 23) &* q
    }

    /// The number of the same class from 0 to `q - 1`, for `a` between `-q` and `q`.
    @inline(__always)
    static func standard(_ a: Int32) -> Int32 {
        let positive = a &+ ((a >> 31) & q)
        let below = positive &- q
        return below &+ ((below >> 31) & q)
    }

    /// Splits `a`, from 0 to `q - 1`, into `high * 2^d + low` with `low` between `-2^(d-1)` and `2^(d-1)` (algorithm 35).
    @inline(__always)
    static func power2Round(_ a: Int32) -> (high: Int32, low: Int32) {
        let high = (a &+ (1 << (d - 1)) &- 1) >> d
        return (high, a &- (high << d))
    }

    /// Splits `a`, from 0 to `q - 1`, into `high * 2 * gamma2 + low`, but for the last interval, which counts as the first
    /// (algorithm 36).
    ///
    /// The quotient comes from a multiplication, since a division takes a time that depends on the numbers.
    @inline(__always)
    static func decompose(_ a: Int32, _ gamma2: Int32) -> (high: Int32, low: Int32) {
        var high = (a &+ 127) >> 7
        if gamma2 == (q - 1) / 32 {
            high = (high &* 1025 &+ (1 << 21)) >> 22
            high &= 15
        } else {
            high = (high &* 11275 &+ (1 << 23)) >> 24
            high ^= ((43 &- high) >> 31) & high
        }
        let low = a &- high &* 2 &* gamma2
        return (high, low &- ((((q - 1) / 2 &- low) >> 31) & q))
    }

    /// The high part of `a` as the hint corrects it (algorithm 40).
    @inline(__always)
    static func highBits(of a: Int32, hint: Bool, _ gamma2: Int32) -> Int32 {
        let (high, low) = decompose(a, gamma2)
        guard hint else { return high }
        let count = (q - 1) / (2 * gamma2)
        if low > 0 { return high == count - 1 ? 0 : high + 1 }
        return high == 0 ? count - 1 : high - 1
    }
}
