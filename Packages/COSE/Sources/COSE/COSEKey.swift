public import CBOR
public import Cryptography

/// A public key for signatures, as an authenticator sends it (RFC 9052 §7, RFC 9053 §7, RFC 8230 §4,
/// draft-ietf-cose-dilithium §3).
///
/// That there is a value says that the key is a good one: its type and curve are those of its algorithm, its numbers
/// have the right lengths, its point lies on the curve.
public struct COSEKey: Hashable, Sendable {
    /// The algorithm that the key is for, and no other.
    public let algorithm: COSEAlgorithm
    /// The same with the curve, where the algorithm leaves it open.
    public let signatureAlgorithm: SignatureAlgorithm
    /// The key, ready to verify with.
    public let verifyingKey: VerifyingKey
    private let bytes: [UInt8]

    /// Decodes one `COSE_Key` map, with nothing after it.
    ///
    /// Members that are not known, any order of the members and integers of any width are taken, because authenticators
    /// send them; the bytes are kept as they are.
    ///
    /// - Throws: `COSEError` with the member at fault.
    public init(decoding bytes: ArraySlice<UInt8>) throws(COSEError) {
        try self.init(COSEMap(decoding: bytes), bytes)
    }

    /// The key of a map that was decoded already, from exactly `bytes`. It is judged as bytes are.
    ///
    /// - Throws: `COSEError` with the member at fault.
    public init(_ map: CBORMap, decodedFrom bytes: ArraySlice<UInt8>) throws(COSEError) {
        try self.init(COSEMap(map), bytes)
    }

    private init(_ map: COSEMap, _ bytes: ArraySlice<UInt8>) throws(COSEError) {
        let type = try map.integer(.kty)
        let number = try map.integer(.alg)
        guard let algorithm = Int(exactly: number).map(COSEAlgorithm.init(rawValue:)) else {
            throw .unsupported(.alg, value: number)
        }
        try map.checkUse()
        let components = try map.components(type: type, algorithm: algorithm)
        guard let signatureAlgorithm = algorithm.signatureAlgorithm(for: components) else {
            throw .unsupported(.alg, value: number)
        }
        self.algorithm = algorithm
        self.signatureAlgorithm = signatureAlgorithm
        verifyingKey = try COSEError.wrap { () throws(CryptographyError) in try VerifyingKey(components) }
        self.bytes = Array(bytes)
    }

    /// Decodes one `COSE_Key` map, with nothing after it.
    ///
    /// - Throws: `COSEError` with the member at fault.
    public init(decoding bytes: [UInt8]) throws(COSEError) {
        try self.init(decoding: bytes[...])
    }

    /// The key of `verifyingKey` for one algorithm; nil stands for ES256 on P-256, EdDSA, RS256 and so on.
    ///
    /// - Throws: `COSEError.unsupported` when the two do not go together.
    public init(_ verifyingKey: VerifyingKey, algorithm chosen: COSEAlgorithm? = nil) throws(COSEError) {
        let algorithm = chosen ?? Self.usualAlgorithm(verifyingKey.components)
        guard let signatureAlgorithm = algorithm.signatureAlgorithm(for: verifyingKey.components) else {
            throw .unsupported(.alg, value: Int64(algorithm.rawValue))
        }
        self.algorithm = algorithm
        self.signatureAlgorithm = signatureAlgorithm
        self.verifyingKey = verifyingKey
        bytes = Self.encode(verifyingKey.components, algorithm)
    }

    /// The key in a SubjectPublicKeyInfo, for one algorithm.
    ///
    /// - Throws: `COSEError.key`, or `COSEError.unsupported` when key and algorithm do not go together.
    public init(
        subjectPublicKeyInfo: ArraySlice<UInt8>,
        algorithm: COSEAlgorithm? = nil
    ) throws(COSEError) {
        let key = try COSEError.wrap { () throws(CryptographyError) in
            try VerifyingKey(subjectPublicKeyInfo: subjectPublicKeyInfo)
        }
        try self.init(key, algorithm: algorithm)
    }

    /// The `COSE_Key`: byte for byte what was decoded, or else in CTAP2 canonical form.
    public func encoded() -> [UInt8] { bytes }

    /// The key as a SubjectPublicKeyInfo in DER.
    public var subjectPublicKeyInfo: [UInt8] { verifyingKey.subjectPublicKeyInfo }

    /// Whether `signature` is the key's over `message`, by the key's own algorithm.
    ///
    /// - Parameters:
    ///   - signature: what to verify.
    ///   - message: what was signed.
    ///   - form: how ECDSA signatures are written: DER in WebAuthn, raw in COSE messages.
    /// - Returns: whether it is.
    public func isValid(
        _ signature: ArraySlice<UInt8>,
        over message: ArraySlice<UInt8>,
        form: SignatureForm = .der
    ) -> Bool {
        verifyingKey.isValid(signature, over: message, signatureAlgorithm, form: form)
    }

    private static func usualAlgorithm(_ components: PublicKeyComponents) -> COSEAlgorithm {
        switch components {
        case .ec(.p256, _, _): .es256
        case .ec(.p384, _, _): .es384
        case .ec(.p521, _, _): .es512
        case .ec(.secp256k1, _, _): .es256K
        case .ed25519, .ed448: .edDSA
        case .rsa: .rs256
        case .mlDSA(.mlDSA44, _): .mlDSA44
        case .mlDSA(.mlDSA65, _): .mlDSA65
        case .mlDSA(.mlDSA87, _): .mlDSA87
        }
    }

    private static func encode(_ components: PublicKeyComponents, _ algorithm: COSEAlgorithm) -> [UInt8] {
        var map = CBORMap()
        map[3] = .integer(algorithm.rawValue)
        switch components {
        case .ec(let curve, let x, let y):
            map[1] = 2
            map[-1] = .integer(Int(COSECurve(curve).rawValue))
            map[-2] = .bytes(x)
            map[-3] = .bytes(y)
        case .ed25519(let x):
            map[1] = 1
            map[-1] = .integer(Int(COSECurve.ed25519.rawValue))
            map[-2] = .bytes(x)
        case .ed448(let x):
            map[1] = 1
            map[-1] = .integer(Int(COSECurve.ed448.rawValue))
            map[-2] = .bytes(x)
        case .rsa(let modulus, let exponent):
            map[1] = 3
            map[-1] = .bytes(modulus)
            map[-2] = .bytes(exponent)
        case .mlDSA(_, let key):
            map[1] = 7
            map[-1] = .bytes(key)
        }
        return CBOR.encode(.map(map))
    }
}

extension COSEError {
    /// A fault of the key's numbers, as an error of this package.
    static func wrap<Result>(
        _ body: () throws(CryptographyError) -> Result
    ) throws(COSEError) -> Result {
        do throws(CryptographyError) {
            return try body()
        } catch {
            throw .key(error)
        }
    }
}
