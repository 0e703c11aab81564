public import Cryptography
internal import Encodings

/// Signs JSON Web Tokens (RFC 7519) with one key. Its headers are written once.
public struct JWTSigner: Sendable {
    /// `kid`, which no HS256 signer has.
    public let keyID: String?
    public let algorithm: JWSAlgorithm
    private let key: Key
    /// The header segments with their dots, for the two types of RFC 7519 §5.1 and RFC 9068 §2.1.
    private let jwtHeader: [UInt8]
    private let accessTokenHeader: [UInt8]

    private enum Key: Sendable {
        case signing(SigningKey, SignatureAlgorithm)
        case secret([UInt8])
    }

    /// A signer whose tokens the public half of `key` verifies.
    ///
    /// - Throws: `JOSEError.unusableKey` when the algorithm is for other keys.
    public init(keyID: String, algorithm: JWSAlgorithm, key: SigningKey) throws(JOSEError) {
        guard let signatureAlgorithm = algorithm.signatureAlgorithm(for: key.publicKey.components) else {
            throw .unusableKey(member: "alg")
        }
        self.init(keyID: keyID, algorithm, .signing(key, signatureAlgorithm))
    }

    /// A signer with HS256, whose tokens are verified with the same secret.
    ///
    /// - Throws: `JOSEError.weakKey` for less than 32 bytes (RFC 7518 §3.2).
    public init(secret: [UInt8]) throws(JOSEError) {
        guard secret.count >= 32 else { throw .weakKey("a secret of \(secret.count) bytes for HS256") }
        self.init(keyID: nil, .hs256, .secret(secret))
    }

    private init(keyID: String?, _ algorithm: JWSAlgorithm, _ key: Key) {
        self.keyID = keyID
        self.algorithm = algorithm
        self.key = key
        jwtHeader = Self.header(algorithm, type: "JWT", keyID)
        accessTokenHeader = Self.header(algorithm, type: "at+jwt", keyID)
    }

    /// The token with these claims, a JSON object in UTF-8, and `type` as the header's `typ`.
    ///
    /// - Throws: `JOSEError.signing` when libcrypto fails.
    public func sign(claims: [UInt8], type: String = "JWT") throws(JOSEError) -> String {
        var text: [UInt8] = []
        // Room for the signature too: 342 characters for RSA 2048, 86 for P-256.
        text.reserveCapacity(jwtHeader.count + claims.count * 4 / 3 + 360)
        switch type {
        case "JWT": text.append(contentsOf: jwtHeader)
        case "at+jwt": text.append(contentsOf: accessTokenHeader)
        default: text.append(contentsOf: Self.header(algorithm, type: type, keyID))
        }
        Base64URL.append(claims[...], to: &text)
        let signature = try signature(over: text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature[...], to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private func signature(over text: [UInt8]) throws(JOSEError) -> [UInt8] {
        switch key {
        case .signing(let key, let algorithm):
            do throws(CryptographyError) {
                return try key.sign(text, algorithm, form: .raw)
            } catch {
                throw .signing("\(error)")
            }
        case .secret(let secret):
            return HMACSHA256.authenticate(text, key: secret)
        }
    }

    private static func header(_ algorithm: JWSAlgorithm, type: String, _ keyID: String?) -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.member("alg", algorithm.rawValue)
        writer.member("typ", type)
        if let keyID { writer.member("kid", keyID) }
        writer.endObject()
        var header: [UInt8] = []
        Base64URL.append(writer.bytes[...], to: &header)
        header.append(UInt8(ascii: "."))
        return header
    }
}
