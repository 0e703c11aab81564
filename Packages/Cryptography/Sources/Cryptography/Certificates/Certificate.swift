/// An X.509 certificate (RFC 5280 §4), read from strict DER.
///
/// That there is a value says that it could be read and that its public key is a good one; whom to trust is
/// `CertificatePath`'s to say.
public struct Certificate: Sendable {
    /// One extension (RFC 5280 §4.2).
    public struct Extension: Hashable, Sendable {
        /// The extension's object identifier in dotted decimal.
        public let oid: String
        /// Whether whoever does not process the extension must refuse the certificate.
        public let critical: Bool
        /// The content of the OCTET STRING, DER itself as a rule.
        public let value: [UInt8]
    }

    /// The bits of a keyUsage extension (RFC 5280 §4.2.1.3).
    public enum KeyUsage: Int, Hashable, Sendable {
        case digitalSignature, nonRepudiation, keyEncipherment, dataEncipherment, keyAgreement, keyCertSign, cRLSign
    }

    /// The certificate's own bytes.
    public let der: [UInt8]
    /// 1 or 3, and rarely 2.
    public let version: Int
    /// The content of the serial number's INTEGER, big-endian.
    public let serial: [UInt8]
    /// Whose key it is.
    public let subjectName: DistinguishedName
    /// Who says so.
    public let issuerName: DistinguishedName
    /// The first second of its validity, as Unix time.
    public let notBefore: Int64
    /// The last second of its validity, as Unix time.
    public let notAfter: Int64
    /// The key that is certified.
    public let publicKey: VerifyingKey
    /// How the issuer signed.
    public let signatureAlgorithm: CertificateSignatureAlgorithm
    /// The extensions in their order; no two have one identifier.
    public let extensions: [Extension]
    /// Whether basicConstraints say that it is an authority; nil when there are none.
    public let basicConstraintsCA: Bool?
    /// How many intermediate certificates may follow at most (basicConstraints).
    public let pathLengthConstraint: Int?
    /// What the key may be used for; nil when there is no such extension, which allows everything.
    public let keyUsage: Set<Int>?
    /// The bytes that the issuer signed.
    let signedBytes: ArraySlice<UInt8>
    let signature: ArraySlice<UInt8>

    /// Whether basicConstraints say that it is an authority.
    public var isCA: Bool { basicConstraintsCA == true }
    /// The subject's attributes in their order.
    public var subject: [DistinguishedName.Attribute] { subjectName.attributes }
    /// The issuer's attributes in their order.
    public var issuer: [DistinguishedName.Attribute] { issuerName.attributes }
    /// Whether subject and issuer are the same name. Its signature may still be another key's.
    public var isSelfIssued: Bool { subjectName.encoded == issuerName.encoded }

    /// Reads one certificate, with nothing after it.
    ///
    /// - Throws: `CryptographyError.malformed`, and what `VerifyingKey` throws for its public key.
    public init(der bytes: ArraySlice<UInt8>) throws(CryptographyError) {
        // Indices of what is kept are those of the certificate's own array.
        let der = Array(bytes)
        self.der = der
        var outer = try DERReader.single(der[...], .sequence).elements
        let signed = try outer.next(.sequence)
        let algorithm = try outer.next(.sequence)
        let signatureBits = try outer.next(.bitString)
        // Some old security keys have certificates that claim unused bits here, and so a signature that is none. They can
        // be read, since an attestation needs the key alone, but nobody is taken to have signed them.
        signature = signatureBits.content.first == 0 ? signatureBits.content.dropFirst() : []
        guard let unused = signatureBits.content.first, unused < 8 else {
            throw .malformed(what: "a signature", offset: signatureBits.encoded.startIndex)
        }
        try outer.finish()
        signedBytes = signed.encoded

        var body = signed.elements
        version = try Self.version(&body)
        let number = try body.next(.integer)
        try number.requireShortestInteger()
        serial = Array(number.content)
        let innerAlgorithm = try body.next(.sequence)
        guard innerAlgorithm.encoded == algorithm.encoded else {
            throw .malformed(what: "two signature algorithms", offset: innerAlgorithm.encoded.startIndex)
        }
        signatureAlgorithm = try CertificateSignatureAlgorithm(algorithm)
        issuerName = try DistinguishedName(der: try body.next(.sequence).encoded)
        var validity = try body.sequence()
        notBefore = try CertificateTime.decode(try validity.next())
        notAfter = try CertificateTime.decode(try validity.next())
        try validity.finish()
        subjectName = try DistinguishedName(der: try body.next(.sequence).encoded)
        publicKey = try VerifyingKey(subjectPublicKeyInfo: try body.next(.sequence).encoded)
        // issuerUniqueID and subjectUniqueID, which nobody uses.
        _ = try body.nextIfPresent(.contextPrimitive(1))
        _ = try body.nextIfPresent(.contextPrimitive(2))
        extensions = try Self.extensions(&body, version: version)
        try body.finish()
        (basicConstraintsCA, pathLengthConstraint) = try Self.basicConstraints(extensions)
        keyUsage = try extensions.value(OID.keyUsage).map { (value) throws(CryptographyError) in
            try DERReader.single(value[...], .bitString).namedBits()
        }
    }

    /// Reads one certificate, with nothing after it.
    ///
    /// - Throws: `CryptographyError.malformed`, and what `VerifyingKey` throws for its public key.
    public init(der bytes: [UInt8]) throws(CryptographyError) {
        try self.init(der: bytes[...])
    }

    /// The extension with this object identifier: whether it is critical, and the content of its OCTET STRING.
    public func extensionValue(_ oid: String) -> (critical: Bool, value: [UInt8])? {
        extensions.first { $0.oid == oid }.map { ($0.critical, $0.value) }
    }

    /// The names of the subjectAltName extension; none when there is no such extension.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public func subjectAlternativeNames() throws(CryptographyError) -> [GeneralName] {
        guard let value = extensions.value(OID.subjectAlternativeName) else { return [] }
        return try GeneralName.list(der: value[...])
    }

    /// The object identifiers of the extendedKeyUsage extension; nil when there is no such extension.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public func extendedKeyUsages() throws(CryptographyError) -> [String]? {
        guard let value = extensions.value(OID.extendedKeyUsage) else { return nil }
        var reader = try DERReader.single(value[...], .sequence).elements
        var usages: [String] = []
        while !reader.isAtEnd { usages.append(try reader.objectIdentifier()) }
        return usages
    }

    /// Whether the key of `issuer` made this certificate's signature. Names, dates and rights are not looked at.
    public func isSigned(by issuer: VerifyingKey) -> Bool {
        guard let scheme = signatureAlgorithm.scheme else { return false }
        return issuer.isValid(signature, over: signedBytes, scheme: scheme, form: .der)
    }

    private static func version(_ body: inout DERReader) throws(CryptographyError) -> Int {
        guard let explicit = try body.nextIfPresent(.context(0)) else { return 1 }
        let version = try DERReader.single(explicit.content, .integer).integer()
        // Version 1 is the default, which DER leaves out.
        guard version == 1 || version == 2 else {
            throw .malformed(what: "a certificate's version", offset: explicit.encoded.startIndex)
        }
        return Int(version) + 1
    }

    /// More extensions than any certificate has. Each is compared with those before it, and who sends a certificate must
    /// not decide how much work that is.
    private static let maximumExtensions = 64

    private static func extensions(
        _ body: inout DERReader,
        version: Int
    ) throws(CryptographyError) -> [Extension] {
        guard let explicit = try body.nextIfPresent(.context(3)) else { return [] }
        guard version == 3 else {
            throw .malformed(what: "extensions before version 3", offset: explicit.encoded.startIndex)
        }
        var list = try DERReader.single(explicit.content, .sequence).elements
        var extensions: [Extension] = []
        while !list.isAtEnd {
            let offset = list.offset
            guard extensions.count < maximumExtensions else {
                throw .malformed(what: "more than \(maximumExtensions) extensions", offset: offset)
            }
            var fields = try list.sequence()
            let oid = try fields.objectIdentifier()
            let critical = try fields.nextIfPresent(.boolean)?.boolean() ?? false
            let value = try fields.next(.octetString)
            try fields.finish()
            guard !extensions.contains(where: { $0.oid == oid }) else {
                throw .malformed(what: "extension \(oid) a second time", offset: offset)
            }
            extensions.append(Extension(oid: oid, critical: critical, value: Array(value.content)))
        }
        return extensions
    }

    private static func basicConstraints(_ extensions: [Extension]) throws(CryptographyError) -> (Bool?, Int?) {
        guard let value = extensions.value(OID.basicConstraints) else { return (nil, nil) }
        var fields = try DERReader.single(value[...], .sequence).elements
        let isCA = try fields.nextIfPresent(.boolean)?.boolean() ?? false
        var pathLength: Int?
        if let limit = try fields.nextIfPresent(.integer) {
            let count = try limit.integer()
            guard let count = Int(exactly: count), count >= 0 else {
                throw .malformed(what: "a path length", offset: limit.encoded.startIndex)
            }
            pathLength = count
        }
        try fields.finish()
        return (isCA, pathLength)
    }
}

extension Certificate: Hashable {
    public static func == (a: Certificate, b: Certificate) -> Bool { a.der == b.der }

    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension [Certificate.Extension] {
    func value(_ oid: String) -> [UInt8]? { first { $0.oid == oid }?.value }
}
