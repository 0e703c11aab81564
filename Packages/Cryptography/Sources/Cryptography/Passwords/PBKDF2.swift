internal import CCrypto

/// PBKDF2 (RFC 8018 §5.2) with HMAC, for password hashes that came from elsewhere.
public enum PBKDF2 {
    /// The hash inside HMAC.
    public enum Hash: String, Hashable, Sendable, CaseIterable {
        case sha1, sha256, sha384, sha512
    }

    /// Derives `count` bytes. It computes for up to a second: never on an event loop.
    ///
    /// - Parameters:
    ///   - password: any bytes, at most 4096.
    ///   - salt: at most 64 bytes.
    ///   - rounds: 1 to 2,000,000.
    ///   - hash: which HMAC.
    ///   - count: 16 to 128 bytes.
    /// - Returns: the derived bytes.
    /// - Throws: `invalidLength`, `library`.
    public static func derive(
        _ password: [UInt8],
        salt: [UInt8],
        rounds: Int,
        hash: Hash,
        count: Int
    ) throws(CryptographyError) -> [UInt8] {
        guard password.count <= 4096 else { throw .invalidLength(what: "password", got: password.count) }
        guard salt.count <= 64 else { throw .invalidLength(what: "PBKDF2 salt", got: salt.count) }
        guard (1...2_000_000).contains(rounds) else { throw .invalidLength(what: "PBKDF2 rounds", got: rounds) }
        guard (16...128).contains(count) else { throw .invalidLength(what: "PBKDF2 hash", got: count) }
        var derived = [UInt8](repeating: 0, count: count)
        let code = unsafe password.withUnsafeBytes { password in
            unsafe salt.withUnsafeBufferPointer { salt in
                unsafe derived.withUnsafeMutableBufferPointer { derived in
                    unsafe PKCS5_PBKDF2_HMAC(
                        password.baseAddress?.assumingMemoryBound(to: CChar.self),
                        Int32(password.count),
                        salt.baseAddress,
                        Int32(salt.count),
                        Int32(rounds),
                        hash.digest.fetched.pointer,
                        Int32(derived.count),
                        derived.baseAddress
                    )
                }
            }
        }
        guard code == 1 else { throw .fromLibrary("PBKDF2") }
        return derived
    }
}

extension PBKDF2.Hash {
    fileprivate var digest: Digest {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}
