import COSE
import Cryptography
import Encodings

/// A credential public key that was brought from elsewhere, judged as that of a registration is (WebAuthn L3 §5.8.5, §7.1):
/// its algorithm is known and goes with it, its point lies on the curve, its RSA modulus and exponent are safe.
public struct CredentialPublicKey: Hashable, Sendable {
    /// The `COSE_Key`: byte for byte what was given, or in CTAP2 canonical form.
    public let bytes: [UInt8]
    /// Its COSE number.
    public let algorithm: Int

    /// Why a key is not taken. The sentence is for whoever brings it.
    public struct Refusal: Error, Hashable, Sendable {
        public let sentence: String
    }

    /// Reads standard base64 of a `COSE_Key` or of a SubjectPublicKeyInfo, or a SubjectPublicKeyInfo as PEM.
    ///
    /// - Throws: what is wrong with it.
    public init(reading text: String) throws(Refusal) {
        if text.utf8.starts(with: "-----BEGIN".utf8) {
            guard let blocks = try? PEM.decode(text), blocks.count == 1, blocks[0].label == PEM.publicKey else {
                throw Refusal(sentence: "it is no single PEM block PUBLIC KEY")
            }
            try self.init(blocks[0].der)
            return
        }
        guard let bytes = try? Base64.decode(text) else { throw Refusal(sentence: "it is not standard base64") }
        try self.init(bytes)
    }

    /// Reads a `COSE_Key`, or a SubjectPublicKeyInfo in DER.
    ///
    /// - Throws: what is wrong with it.
    public init(_ bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= 8192 else { throw Refusal(sentence: "it is longer than 8192 bytes") }
        let key: COSEKey
        do throws(COSEError) {
            // A SEQUENCE in DER begins with 30, a CBOR map with A0 to BF.
            key = try bytes.first == 0x30 ? COSEKey(subjectPublicKeyInfo: bytes[...]) : COSEKey(decoding: bytes)
        } catch { throw Refusal(sentence: Self.sentence(error)) }
        guard key.algorithm != .edDSA || key.signatureAlgorithm == .ed25519, key.algorithm != .rs1 else {
            throw Refusal(sentence: "its algorithm is not one for credentials")
        }
        self.bytes = key.encoded()
        algorithm = key.algorithm.rawValue
    }

    private static func sentence(_ error: COSEError) -> String {
        switch error {
        case .key(.invalidKey(let what)): "it has a bad key: \(what)"
        case .key(.unsupported(let what)): "\(what) is not supported"
        case .unsupported(let member, let value): "its \(member.rawValue) cannot be \(value)"
        case .missing(let member): "its \(member.rawValue) is missing"
        case .wrongType(let member): "its \(member.rawValue) has the wrong type"
        case .privateKey: "it is a private key"
        case .mayNotVerify: "its key_ops do not let it verify"
        default: "it is neither a COSE_Key nor a SubjectPublicKeyInfo"
        }
    }
}
