internal import Cryptography
public import Identity
public import Threads

/// Computes and compares password hashes on a pool of its own.
public struct PasswordHasher: Sendable {
    private let pool: BlockingPool
    private let random: RandomSource
    private let decoy: PasswordHash

    /// Hashes that wait for a thread before more are refused: what a second or two computes.
    public static let queueLimit = 48

    /// Computes one hash at once, to have something that nobody's password is compared with.
    ///
    /// - Parameters:
    ///   - pool: where hashes are computed; a thread of lowest priority and a queue of ``queueLimit``.
    ///   - random: gives salts.
    /// - Throws: when there is no memory for a hash.
    public init(pool: BlockingPool, random: @escaping RandomSource) throws(AccountError) {
        self.pool = pool
        self.random = random
        do throws(CryptographyError) {
            decoy = try PasswordHash(of: random(32), salt: random(16))
        } catch { throw .busy }
    }

    /// What comparing a password gives.
    struct Verdict: Hashable, Sendable {
        let isRight: Bool
        /// The right password hashed as new ones are, where the stored hash was made in another way.
        let newHash: String?
    }

    /// Compares; with nothing to compare with the work is the same, and the answer no.
    ///
    /// - Throws: `.busy`, or `.store(.corrupt)` for a stored hash that cannot be read.
    func verify(_ password: PasswordText?, against stored: String?) async throws(AccountError) -> Verdict {
        var hash: PasswordHash?
        if let stored {
            do throws(PasswordHash.Refusal) { hash = try PasswordHash(stored) } catch {
                throw .store(.corrupt(reason: "a stored password hash is not one that is taken: \(error)"))
            }
        }
        let salt = random(16)
        return try await run { [hash, decoy] () throws(CryptographyError) in
            guard let hash, let password else {
                _ = try decoy.verify(password?.bytes ?? [])
                return Verdict(isRight: false, newHash: nil)
            }
            guard try hash.verify(password.bytes) else { return Verdict(isRight: false, newHash: nil) }
            let newHash = hash.isCurrent ? nil : try PasswordHash(of: password.bytes, salt: salt).text
            return Verdict(isRight: true, newHash: newHash)
        }
    }

    /// The text of a new hash.
    ///
    /// - Throws: `.busy`.
    func hash(_ password: PasswordText) async throws(AccountError) -> String {
        let salt = random(16)
        return try await run { () throws(CryptographyError) in try PasswordHash(of: password.bytes, salt: salt).text }
    }

    /// Whether `password` has one of `hashes`.
    ///
    /// - Throws: `.busy`.
    func isAmong(_ hashes: [String], _ password: PasswordText) async throws(AccountError) -> Bool {
        try await run { () throws(CryptographyError) in
            for text in hashes {
                if let hash = try? PasswordHash(text), try hash.verify(password.bytes) { return true }
            }
            return false
        }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CryptographyError) -> Value
    ) async throws(AccountError) -> Value {
        let result: Result<Value, CryptographyError> = try await pool.run(refused: { _ in AccountError.busy }) {
            Result { () throws(CryptographyError) in try body() }
        }
        // Only memory can be wanting here.
        guard case .success(let value) = result else { throw .busy }
        return value
    }
}
