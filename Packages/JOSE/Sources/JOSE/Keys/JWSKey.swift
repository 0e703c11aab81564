public import Cryptography

/// A key that verifies, and the one algorithm that it verifies with. What a token says has no part in that choice.
public struct JWSKey: Sendable {
    /// `kid`.
    public let keyID: String?
    public let algorithm: JWSAlgorithm
    private let material: Material

    private enum Material: Sendable {
        case publicKey(VerifyingKey, SignatureAlgorithm)
        case secret([UInt8])
    }

    /// A public key for one algorithm.
    ///
    /// - Throws: `JOSEError.unusableKey` when the algorithm is for other keys.
    public init(_ key: VerifyingKey, _ algorithm: JWSAlgorithm, keyID: String? = nil) throws(JOSEError) {
        guard let signatureAlgorithm = algorithm.signatureAlgorithm(for: key.components) else {
            throw .unusableKey(member: "alg")
        }
        self.keyID = keyID
        self.algorithm = algorithm
        material = .publicKey(key, signatureAlgorithm)
    }

    /// A secret for HS256, or for another algorithm with secrets.
    ///
    /// - Throws: `JOSEError.weakKey` for fewer bytes than the hash has (RFC 7518 §3.2); `JOSEError.unusableKey` when
    ///   the algorithm is for key pairs.
    public init(
        secret: [UInt8],
        _ algorithm: JWSAlgorithm = .hs256,
        keyID: String? = nil
    ) throws(JOSEError) {
        guard let minimum = algorithm.secretByteCount else { throw .unusableKey(member: "alg") }
        guard secret.count >= minimum else {
            throw .weakKey("a secret of \(secret.count) bytes for \(algorithm.rawValue)")
        }
        self.keyID = keyID
        self.algorithm = algorithm
        material = .secret(secret)
    }

    /// A key from the other side, for the algorithm that it names, or else the only one for its kind.
    ///
    /// - Parameters:
    ///   - jwk: the key.
    ///   - algorithm: what to verify with when the key does not name it, which only RSA keys need.
    /// - Throws: `JOSEError.unusableKey` when the key is for something else, or RSA and nobody says for what;
    ///   `JOSEError.unsupportedKey` for other algorithms; `JOSEError.weakKey`.
    public init(_ jwk: JWK, algorithm: JWSAlgorithm? = nil) throws(JOSEError) {
        guard jwk.use == nil || jwk.use == "sig" else { throw .unusableKey(member: "use") }
        guard jwk.operations?.contains("verify") ?? true else { throw .unusableKey(member: "key_ops") }
        let named = try Self.algorithm(named: jwk)
        if let named, let algorithm, named != algorithm { throw .unusableKey(member: "alg") }
        switch jwk.material {
        case .secret(let secret):
            try self.init(secret: secret, named ?? algorithm ?? .hs256, keyID: jwk.keyID)
        case .publicKey(let components):
            guard let chosen = named ?? algorithm ?? JWSAlgorithm(onlyOneOf: components) else {
                throw .unusableKey(member: "alg")
            }
            if case .rsa(let modulus, _) = components, ROCA.hasFingerprint(modulus) {
                throw .weakKey("an RSA modulus made by a chip with CVE-2017-15361")
            }
            let key: VerifyingKey
            do throws(CryptographyError) {
                key = try VerifyingKey(components)
            } catch {
                throw .weakKey("\(error)")
            }
            try self.init(key, chosen, keyID: jwk.keyID)
        }
    }

    private static func algorithm(named jwk: JWK) throws(JOSEError) -> JWSAlgorithm? {
        guard let name = jwk.algorithm else { return nil }
        // Keys for P-521 are about that call themselves by the curve's size; RFC 7518 has no such name.
        if name == "ES521", case .publicKey(.ec(.p521, _, _)) = jwk.material { return .es512 }
        guard let algorithm = JWSAlgorithm(rawValue: name) else { throw .unsupportedKey(member: "alg", value: name) }
        return algorithm
    }

    /// Whether this key signed `message`.
    func isValid(_ signature: ArraySlice<UInt8>, over message: ArraySlice<UInt8>) -> Bool {
        switch material {
        case .publicKey(let key, let algorithm):
            key.isValid(signature, over: message, algorithm, form: .raw)
        case .secret(let secret):
            switch algorithm {
            case .hs384: HMACSHA384.isValid(signature, for: message, key: secret[...])
            case .hs512: HMACSHA512.isValid(signature, for: message, key: secret[...])
            default: HMACSHA256.isValid(signature, for: message, key: secret[...])
            }
        }
    }

    var isSecret: Bool {
        if case .secret = material { true } else { false }
    }
}
