internal import CCrypto
internal import Synchronization

/// A private key. libcrypto erases its numbers when the last reference goes.
///
/// A context for each algorithm is initialised once and then lent to one signer at a time.
///
/// `@unchecked Sendable`: the key is not changed after `init`, libcrypto lets any number of threads read it, and the
/// contexts are behind a lock.
@safe public final class SigningKey: @unchecked Sendable {
    /// The kinds of keys that can be generated.
    public enum Kind: Hashable, Sendable {
        case p256, p384, p521, secp256k1, ed25519, ed448
        /// `bits` is 2048 to 8192.
        case rsa(bits: Int)
        case mlDSA(MLDSAParameterSet)
    }

    /// The public key that belongs to it.
    public let publicKey: VerifyingKey
    private let key: Key
    private let idle = Mutex<[SignatureAlgorithm: [SigningContext]]>([:])

    deinit {
        let contexts = idle.withLock { $0 }
        for context in contexts.values.joined() { unsafe EVP_PKEY_CTX_free(context.pointer) }
        if case .library(let key) = key { unsafe EVP_PKEY_free(key) }
    }

    /// Who computes with it.
    @safe private enum Key {
        case library(OpaquePointer)
        case mlDSA(MLDSAPrivateKey)
    }

    /// Takes over `key`, also when it throws.
    private init(owning key: OpaquePointer) throws(CryptographyError) {
        self.key = unsafe .library(key)
        do throws(CryptographyError) {
            publicKey = try VerifyingKey(subjectPublicKeyInfo: try unsafe Self.publicKeyInfo(of: key))
        } catch {
            unsafe EVP_PKEY_free(key)
            throw error
        }
    }

    private init(_ key: MLDSAPrivateKey) throws(CryptographyError) {
        self.key = .mlDSA(key)
        publicKey = try VerifyingKey(.mlDSA(key.set, key.publicKey))
    }

    /// The ML-DSA key of a seed of 32 bytes, a secret (FIPS 204 algorithm 6).
    ///
    /// - Throws: `CryptographyError.invalidLength`.
    public convenience init(seed: [UInt8], _ set: MLDSAParameterSet) throws(CryptographyError) {
        try self.init(MLDSAPrivateKey(seed: seed, set))
    }

    /// Makes a new key.
    ///
    /// - Throws: `CryptographyError.invalidLength` for an RSA key of another size.
    public static func generate(_ kind: Kind) throws(CryptographyError) -> SigningKey {
        if case .mlDSA(let set) = kind {
            return try SigningKey(seed: Random.bytes(MLDSAParameterSet.seedByteCount), set)
        }
        let key: OpaquePointer? =
            switch kind {
            case .p256: unsafe latchkey_generate_ec(EllipticCurve.p256.libraryName)
            case .p384: unsafe latchkey_generate_ec(EllipticCurve.p384.libraryName)
            case .p521: unsafe latchkey_generate_ec(EllipticCurve.p521.libraryName)
            case .secp256k1: unsafe latchkey_generate_ec(EllipticCurve.secp256k1.libraryName)
            case .ed25519: unsafe latchkey_generate("ED25519")
            case .ed448: unsafe latchkey_generate("ED448")
            case .rsa(let bits) where (2048...8192).contains(bits): unsafe latchkey_generate_rsa(bits)
            case .rsa(let bits): throw .invalidLength(what: "RSA modulus in bits", got: bits)
            case .mlDSA: nil
            }
        guard let key = unsafe key else { throw .fromLibrary("generating a key") }
        return try unsafe SigningKey(owning: key)
    }

    /// A key from its PKCS#8 form in DER, unencrypted, with nothing after it (RFC 5958). Those of ML-DSA are their seed
    /// (RFC 9881 §6).
    ///
    /// - Throws: `CryptographyError.malformed`, `.invalidKey` or `.unsupported`.
    public convenience init(pkcs8: ArraySlice<UInt8>) throws(CryptographyError) {
        if let key = try PKCS8.decodeMLDSA(pkcs8) {
            try self.init(key)
        } else {
            try unsafe self.init(owning: try PKCS8.decode(pkcs8))
        }
    }

    /// A key from its PKCS#8 form in DER, unencrypted, with nothing after it (RFC 5958).
    ///
    /// - Throws: `CryptographyError.malformed`, `.invalidKey` or `.unsupported`.
    public convenience init(pkcs8: [UInt8]) throws(CryptographyError) {
        try self.init(pkcs8: pkcs8[...])
    }

    /// A key from what ``pkcs8`` gave, and a seal has kept since. Whether its numbers fit each other is not looked at:
    /// for RSA that means to prove two primes, which takes a hundred times as long as a signature.
    ///
    /// - Throws: `CryptographyError.malformed` or `.unsupported`.
    public convenience init(trustedPKCS8 bytes: [UInt8]) throws(CryptographyError) {
        if let key = try PKCS8.decodeMLDSA(bytes[...]) {
            try self.init(key)
        } else {
            try unsafe self.init(owning: try PKCS8.decode(bytes[...], isTrusted: true))
        }
    }

    /// The key in PKCS#8, DER, unencrypted: a secret. `erase` it after use.
    public var pkcs8: [UInt8] {
        get throws(CryptographyError) {
            switch key {
            case .library(let key): try unsafe PKCS8.encode(key)
            case .mlDSA(let key): PKCS8.encode(key)
            }
        }
    }

    /// Signs `message`.
    ///
    /// - Parameters:
    ///   - message: the message itself, not its hash.
    ///   - algorithm: one that fits the key (ES256 wants P-256, and so on).
    ///   - form: how ECDSA writes its two numbers; the other algorithms have one form.
    /// - Returns: the signature.
    /// - Throws: `CryptographyError.unsupported` when the key does not fit the algorithm.
    public func sign(
        _ message: ArraySlice<UInt8>,
        _ algorithm: SignatureAlgorithm,
        form: SignatureForm = .der
    ) throws(CryptographyError) -> [UInt8] {
        guard algorithm.fits(publicKey.components) else {
            throw .unsupported(what: "\(algorithm.rawValue) with a key of another kind")
        }
        let key: OpaquePointer
        switch self.key {
        case .library(let held): unsafe key = held
        case .mlDSA(let key): return try key.sign(message, randomness: Random.bytes(32))
        }
        switch algorithm.scheme {
        case .ed25519, .ed448, .mlDSA:
            return try unsafe Signing.signWhole(message, key)
        case .ecdsa(let digest), .pkcs1(let digest), .pss(let digest):
            let signature = try unsafe signHash(of: message, digest, algorithm, key)
            guard form == .raw, let curve = algorithm.curve else { return signature }
            return try ECDSASignature.raw(fromDER: signature[...], on: curve)
        }
    }

    /// Signs `message`.
    ///
    /// - Parameters:
    ///   - message: the message itself, not its hash.
    ///   - algorithm: one that fits the key (ES256 wants P-256, and so on).
    ///   - form: how ECDSA writes its two numbers; the other algorithms have one form.
    /// - Returns: the signature.
    /// - Throws: `CryptographyError.unsupported` when the key does not fit the algorithm.
    public func sign(
        _ message: [UInt8],
        _ algorithm: SignatureAlgorithm,
        form: SignatureForm = .der
    ) throws(CryptographyError) -> [UInt8] {
        try sign(message[...], algorithm, form: form)
    }

    private func signHash(
        of message: ArraySlice<UInt8>,
        _ digest: Digest,
        _ algorithm: SignatureAlgorithm,
        _ key: OpaquePointer
    ) throws(CryptographyError) -> [UInt8] {
        let context = try unsafe borrowContext(algorithm, key)
        let signature = unsafe Signing.sign(message, digest, context.pointer)
        guard let signature else {
            // A context that failed is not lent again.
            unsafe EVP_PKEY_CTX_free(context.pointer)
            throw .fromLibrary("signing")
        }
        idle.withLock { $0[algorithm, default: []].append(context) }
        return signature
    }

    private func borrowContext(
        _ algorithm: SignatureAlgorithm,
        _ key: OpaquePointer
    ) throws(CryptographyError) -> SigningContext {
        if let context = idle.withLock({ $0[algorithm]?.popLast() }) { return context }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { throw .fromLibrary("signing") }
        guard unsafe EVP_PKEY_sign_init(context) == 1, unsafe algorithm.scheme.configure(context) else {
            unsafe EVP_PKEY_CTX_free(context)
            throw .fromLibrary("signing with \(algorithm.rawValue)")
        }
        return unsafe SigningContext(pointer: context)
    }

    private static func publicKeyInfo(of key: OpaquePointer) throws(CryptographyError) -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_PUBKEY(key, &start)
        guard count > 0, let start = unsafe start else { throw .fromLibrary("writing a public key") }
        defer { unsafe latchkey_free(start) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }
}

/// A context that is initialised for one key and one algorithm.
///
/// `@unchecked Sendable`: whoever took it from the list owns it alone until it goes back.
@safe private struct SigningContext: @unchecked Sendable {
    let pointer: OpaquePointer
}
