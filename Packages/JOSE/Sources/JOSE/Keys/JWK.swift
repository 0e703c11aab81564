public import Cryptography
public import Encodings

/// A JSON Web Key (RFC 7517, RFC 7518 §6, RFC 8037 §2, draft-ietf-cose-dilithium §3): a public key, or a secret for HMAC.
///
/// Private members are not read.
public struct JWK: Hashable, Sendable {
    /// What the key consists of.
    public enum Material: Hashable, Sendable {
        case publicKey(PublicKeyComponents)
        /// `kty` `oct`: a secret that both sides know. It is read, and never written.
        case secret([UInt8])
    }

    public var material: Material
    /// `kid`.
    public var keyID: String?
    /// `use`, usually `sig`.
    public var use: String?
    /// `key_ops`.
    public var operations: [String]?
    /// `alg` as it stands, also when it is no ``JWSAlgorithm``.
    public var algorithm: String?
    /// `x5c`: certificates in DER, the key's own one first.
    public var certificates: [[UInt8]]

    /// A public key.
    ///
    /// - Parameters:
    ///   - publicKey: the key.
    ///   - keyID: `kid`.
    ///   - algorithm: `alg`.
    ///   - use: `use`.
    ///   - certificates: `x5c`, in DER; `x5t` is made of the first one.
    public init(
        publicKey: PublicKeyComponents,
        keyID: String? = nil,
        algorithm: JWSAlgorithm? = nil,
        use: String? = "sig",
        certificates: [[UInt8]] = []
    ) {
        material = .publicKey(publicKey)
        self.keyID = keyID
        self.use = use
        self.algorithm = if case .mlDSA(let set, _) = publicKey { set.rawValue } else { algorithm?.rawValue }
        self.certificates = certificates
    }

    /// Reads a key. Members that are unknown or private are ignored; whether the numbers are a good key is only known
    /// once a ``JWSKey`` is made of it.
    ///
    /// - Throws: `JOSEError.malformedKey`, `JOSEError.unsupportedKey`.
    public init(_ json: JSONObject) throws(JOSEError) {
        let members = JWKMembers(json)
        material = try Material(members)
        keyID = try members.string("kid")
        use = try members.string("use")
        operations = try members.strings("key_ops")
        algorithm = try members.string("alg")
        certificates = []
        for text in try members.strings("x5c") ?? [] {
            guard let certificate = try? Base64.decode(text) else { throw .malformedKey(member: "x5c") }
            certificates.append(certificate)
        }
    }

    /// Writes the key as one object. Of a secret, all but the secret.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        material.writeType(to: &writer)
        if let use { writer.member("use", use) }
        if let operations { writer.member("key_ops", operations) }
        if let algorithm { writer.member("alg", algorithm) }
        if let keyID { writer.member("kid", keyID) }
        material.writeNumbers(to: &writer)
        if let certificate = certificates.first {
            writer.name("x5t")
            writer.base64URL(SHA1.hash(certificate))
            writer.member("x5c", certificates.map { Base64.encode($0) })
        }
        writer.endObject()
    }

    /// The SHA-256 thumbprint (RFC 7638), 32 bytes.
    public var thumbprint: [UInt8] {
        SHA256.hash(material.thumbprintInput)
    }
}

/// Typed access to the members of a JWK. `null` counts as absent.
struct JWKMembers {
    private let json: JSONObject

    init(_ json: JSONObject) {
        self.json = json
    }

    func string(_ name: String) throws(JOSEError) -> String? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let text = value.string else { throw .malformedKey(member: name) }
        return text
    }

    func strings(_ name: String) throws(JOSEError) -> [String]? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let elements = value.array else { throw .malformedKey(member: name) }
        var strings: [String] = []
        for element in elements {
            guard let text = element.string else { throw .malformedKey(member: name) }
            strings.append(text)
        }
        return strings
    }

    /// A member that has to be there, in base64url without padding.
    func bytes(_ name: String) throws(JOSEError) -> [UInt8] {
        guard let text = try string(name), let bytes = try? Base64URL.decode(text) else {
            throw .malformedKey(member: name)
        }
        return bytes
    }
}

extension JSONWriter {
    mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    mutating func member(_ name: String, _ values: [String]) {
        self.name(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    mutating func member(_ name: String, base64URL value: [UInt8]) {
        self.name(name)
        base64URL(value)
    }
}
