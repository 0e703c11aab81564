import Cryptography
import Glibc

/// The cryptography that one sign-in cannot do without, in a hot loop: the limit that the server is compared with.
struct RawCrypto {
    private let passkey: SigningKey
    private let verifying: VerifyingKey
    private let tokenKey: SigningKey
    private let identityKey: SigningKey
    private let identityAlgorithm: SignatureAlgorithm
    private let message: [UInt8]
    private let signature: [UInt8]
    private let claims: [UInt8]

    /// - Parameter identityAlgorithm: of the ID token; access tokens are ES256.
    /// - Throws: when libcrypto fails.
    init(idTokens identityAlgorithm: String) throws {
        passkey = try SigningKey.generate(.p256)
        verifying = passkey.publicKey
        tokenKey = try SigningKey.generate(.p256)
        self.identityAlgorithm = identityAlgorithm == "RS256" ? .rs256 : .es256
        identityKey = try SigningKey.generate(identityAlgorithm == "RS256" ? .rsa(bits: 2048) : .p256)
        message = Random.bytes(69)
        signature = try passkey.sign(message, .es256)
        claims = Random.bytes(600)
    }

    /// Microseconds of CPU for one sign-in: a verification with a kept key, two signatures, the hashes of client data,
    /// session and refresh token, and the random values. The best of some rounds, as what else runs here only adds.
    ///
    /// - Throws: when libcrypto fails.
    func measure() throws -> Double {
        let rounds = identityAlgorithm == .rs256 ? 20 : 40
        let repetitions = identityAlgorithm == .rs256 ? 25 : 100
        var best = Double.infinity
        for _ in 0..<rounds {
            let start = Self.cpuNanoseconds()
            for _ in 0..<repetitions { try signIn() }
            best = min(best, Double(Self.cpuNanoseconds() - start) / 1000 / Double(repetitions))
        }
        return best
    }

    private func signIn() throws {
        guard verifying.isValid(signature[...], over: message[...], .es256) else {
            throw LoadError.failed("a good signature was refused")
        }
        for _ in 0..<3 { _ = SHA256.hash(message) }
        for _ in 0..<3 { _ = Random.bytes(32) }
        _ = try tokenKey.sign(claims, .es256, form: .raw)
        _ = try identityKey.sign(claims, identityAlgorithm, form: .raw)
    }

    private static func cpuNanoseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
