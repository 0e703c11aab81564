internal import CCrypto

/// A public key that has been checked: on its curve, of the right length, strong enough.
///
/// Making one costs a few microseconds, so that it need not be kept beside the bytes it came from.
///
/// `@unchecked Sendable`: the key is not changed after `init`, and libcrypto lets any number of threads read it.
@safe public final class VerifyingKey: @unchecked Sendable {
    /// The numbers of the key.
    public let components: PublicKeyComponents
    /// `nil` where libcrypto does not know such keys: ML-DSA.
    private let key: OpaquePointer?

    deinit {
        if case .ec(let curve, _, _) = components, let key = unsafe key {
            unsafe ECPublicKey.giveBack(key, curve)
        } else {
            unsafe EVP_PKEY_free(key)
        }
    }

    /// A key from its numbers.
    ///
    /// EC: both coordinates have the curve's length and the point lies on the curve. RSA: a modulus of 2048 to 8192
    /// bits, odd; an exponent of at most 32 bits, odd and at least 3; no leading zeros. Any bytes of the right
    /// length are a key of ML-DSA.
    ///
    /// - Throws: `CryptographyError.invalidKey`.
    public init(_ components: PublicKeyComponents) throws(CryptographyError) {
        self.components = components
        switch components {
        case .ec(let curve, let x, let y):
            unsafe key = try ECPublicKey.load(curve, x: x, y: y)
        case .ed25519(let raw):
            unsafe key = try KeptKeys.load(components) { () throws(CryptographyError) in
                try unsafe EdwardsPublicKey.load("ED25519", raw, byteCount: 32)
            }
        case .ed448(let raw):
            unsafe key = try KeptKeys.load(components) { () throws(CryptographyError) in
                try unsafe EdwardsPublicKey.load("ED448", raw, byteCount: 57)
            }
        case .rsa(let modulus, let exponent):
            unsafe key = try KeptKeys.load(components) { () throws(CryptographyError) in
                try unsafe RSAPublicKey.load(modulus: modulus, exponent: exponent)
            }
        case .mlDSA(let set, let encoded):
            guard encoded.count == set.publicKeyByteCount else {
                throw .invalidKey(
                    "\(set.rawValue) key of \(encoded.count) bytes instead of \(set.publicKeyByteCount)"
                )
            }
            unsafe key = nil
        }
    }

    /// A key from a SubjectPublicKeyInfo in DER, with nothing after it (RFC 5280 §4.1.2.7).
    ///
    /// - Throws: `CryptographyError.malformed`, `.unsupported`, `.invalidLength` or `.invalidKey`.
    public convenience init(subjectPublicKeyInfo: ArraySlice<UInt8>) throws(CryptographyError) {
        try self.init(try PublicKeyComponents(subjectPublicKeyInfo: subjectPublicKeyInfo))
    }

    /// A key from a SubjectPublicKeyInfo in DER, with nothing after it (RFC 5280 §4.1.2.7).
    ///
    /// - Throws: `CryptographyError.malformed`, `.unsupported`, `.invalidLength` or `.invalidKey`.
    public convenience init(subjectPublicKeyInfo: [UInt8]) throws(CryptographyError) {
        try self.init(subjectPublicKeyInfo: subjectPublicKeyInfo[...])
    }

    /// An ECDSA key from the coordinates of its point, each of the curve's length, big-endian.
    ///
    /// - Throws: `CryptographyError.invalidKey`.
    public static func ec(_ curve: EllipticCurve, x: [UInt8], y: [UInt8]) throws(CryptographyError) -> VerifyingKey {
        try VerifyingKey(.ec(curve, x: x, y: y))
    }

    /// An Ed25519 key from its 32 bytes.
    ///
    /// - Throws: `CryptographyError.invalidKey`.
    public static func ed25519(_ raw: [UInt8]) throws(CryptographyError) -> VerifyingKey {
        try VerifyingKey(.ed25519(raw))
    }

    /// An Ed448 key from its 57 bytes.
    ///
    /// - Throws: `CryptographyError.invalidKey`.
    public static func ed448(_ raw: [UInt8]) throws(CryptographyError) -> VerifyingKey {
        try VerifyingKey(.ed448(raw))
    }

    /// An RSA key from its two numbers, big-endian without leading zeros.
    ///
    /// - Throws: `CryptographyError.invalidKey`.
    public static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) -> VerifyingKey {
        try VerifyingKey(.rsa(modulus: modulus, exponent: exponent))
    }

    /// An ML-DSA key from its encoding (FIPS 204 algorithm 22).
    ///
    /// - Throws: `CryptographyError.invalidKey`.
    public static func mlDSA(_ set: MLDSAParameterSet, _ encoded: [UInt8]) throws(CryptographyError) -> VerifyingKey {
        try VerifyingKey(.mlDSA(set, encoded))
    }

    /// The key as a SubjectPublicKeyInfo in DER.
    public var subjectPublicKeyInfo: [UInt8] { components.subjectPublicKeyInfo }

    /// The usual name of the key: SHA-1 of the public key in its SubjectPublicKeyInfo, 20 bytes (RFC 5280 §4.2.1.2,
    /// method 1). It finds a key and proves nothing.
    ///
    /// - Throws: `CryptographyError.malformed`, for no key that could be loaded.
    public func keyIdentifier() throws(CryptographyError) -> [UInt8] {
        var info = try DERReader.single(subjectPublicKeyInfo[...], .sequence).elements
        _ = try info.next()
        return SHA1.hash(try info.next(.bitString).wholeBitString())
    }

    /// Whether `signature` is the key's over `message`.
    ///
    /// False as well when the key does not fit the algorithm (ES256 wants P-256, and so on). `form` matters to ECDSA
    /// only; DER must be strict, raw must have exactly twice the coordinate's length.
    public func isValid(
        _ signature: ArraySlice<UInt8>,
        over message: ArraySlice<UInt8>,
        _ algorithm: SignatureAlgorithm,
        form: SignatureForm = .der
    ) -> Bool {
        guard algorithm.fits(components) else { return false }
        return isValid(signature, over: message, scheme: algorithm.scheme, form: form)
    }

    /// Whether `signature` is the key's over `message`.
    ///
    /// False as well when the key does not fit the algorithm (ES256 wants P-256, and so on). `form` matters to ECDSA
    /// only; DER must be strict, raw must have exactly twice the coordinate's length.
    public func isValid(
        _ signature: [UInt8],
        over message: [UInt8],
        _ algorithm: SignatureAlgorithm,
        form: SignatureForm = .der
    ) -> Bool {
        isValid(signature[...], over: message[...], algorithm, form: form)
    }

    /// The same for any curve with any hash function, as certificates have them.
    func isValid(
        _ signature: ArraySlice<UInt8>,
        over message: ArraySlice<UInt8>,
        scheme: SignatureScheme,
        form: SignatureForm
    ) -> Bool {
        if case (.mlDSA(let set, let encoded), .mlDSA(let wanted)) = (components, scheme) {
            return set == wanted && MLDSAVerification.isValid(signature, over: message, encoded, set)
        }
        guard let key = unsafe key else { return false }
        switch (components, scheme) {
        case (.ec(let curve, _, _), .ecdsa(let digest)):
            guard form == .raw else {
                return unsafe Verification.isValid(signature, over: message, digest, key, scheme)
            }
            guard let der = try? ECDSASignature.der(fromRaw: signature, on: curve) else { return false }
            return unsafe Verification.isValid(der[...], over: message, digest, key, scheme)
        case (.rsa, .pkcs1(let digest)), (.rsa, .pss(let digest)):
            return unsafe Verification.isValid(signature, over: message, digest, key, scheme)
        case (.ed25519, .ed25519), (.ed448, .ed448):
            return unsafe Verification.isValidWhole(signature, over: message, key)
        default:
            return false
        }
    }
}

extension VerifyingKey: Hashable {
    public static func == (a: VerifyingKey, b: VerifyingKey) -> Bool { a.components == b.components }

    public func hash(into hasher: inout Hasher) { hasher.combine(components) }
}
