/// The fingerprint of RSA moduli from the chips of CVE-2017-15361, whose factors can be computed.
///
/// Such a modulus is a power of 65537 modulo each of the small primes, which one in 2^27 others is by chance
/// (Nemec et al., "The Return of Coppersmith's Attack", §2.2).
enum ROCA {
    private static let primes: [Int] = [
        2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107,
        109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
    ]

    /// For each prime, which remainders are powers of 65537.
    private static let powers: [[Bool]] = primes.map { prime in
        var isPower = [Bool](repeating: false, count: prime)
        var power = 1
        while !isPower[power % prime] {
            isPower[power % prime] = true
            power = power % prime * (65537 % prime)
        }
        return isPower
    }

    /// Whether `modulus`, big-endian, has the fingerprint.
    static func hasFingerprint(_ modulus: [UInt8]) -> Bool {
        for (prime, isPower) in zip(primes, powers) {
            let remainder = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
            guard isPower[remainder] else { return false }
        }
        return true
    }
}
