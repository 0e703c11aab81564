/// Makes X.509 certificates of version 3: authorities, servers, attestation keys.
public struct CertificateBuilder: Sendable {
    /// Whose key it is.
    public var subject: [DistinguishedName.Attribute]
    /// The first second of its validity, as Unix time.
    public var notBefore: Int64
    /// The last second of its validity, as Unix time.
    public var notAfter: Int64
    /// 1 to 20 bytes, big-endian, positive; random unless set.
    public var serial: [UInt8]
    /// What basicConstraints say, as a critical extension; nil leaves them out.
    public var isCA: Bool?
    /// How many intermediates may follow an authority; nil leaves it open.
    public var pathLengthConstraint: Int?
    /// What the key may be used for, as a critical extension; empty leaves it out.
    public var keyUsage: Set<Certificate.KeyUsage> = []
    /// Object identifiers of purposes, such as `serverAuthentication`; empty leaves the extension out.
    public var extendedKeyUsage: [String] = []
    /// The names of a subjectAltName extension; empty leaves it out.
    public var subjectAlternativeNames: [GeneralName] = []
    /// Further extensions in their order. `value` is the content of the OCTET STRING.
    public var extensions: [(oid: String, critical: Bool, value: [UInt8])] = []

    /// The purpose of a TLS server's certificate.
    public static let serverAuthentication = "1.3.6.1.5.5.7.3.1"

    /// A certificate with a random serial number and, but for basicConstraints and key identifiers, no extensions.
    public init(
        subject: [(oid: String, value: String)],
        notBefore: Int64,
        notAfter: Int64,
        isCA: Bool? = false
    ) {
        self.subject = subject.map { DistinguishedName.Attribute(oid: $0.oid, value: $0.value) }
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.isCA = isCA
        // 127 random bits, and positive: the top bit is clear and the next is set.
        serial = Random.bytes(16)
        serial[0] = serial[0] & 0x7f | 0x40
    }

    /// A certificate of `key` by itself.
    ///
    /// - Throws: `CryptographyError.unsupported` for a name, time or serial number that cannot be written.
    public func selfSigned(
        by key: SigningKey,
        algorithm: SignatureAlgorithm? = nil
    ) throws(CryptographyError) -> Certificate {
        let name = try DistinguishedName(subject)
        return try build(for: key.publicKey, subject: name, issuer: name, issuerKey: key, algorithm)
    }

    /// A certificate of `publicKey` by the authority `issuer`, whose private key is `issuerKey`.
    ///
    /// Whether the issuer may do so is not looked at: a path with it decides that.
    ///
    /// - Parameters:
    ///   - publicKey: the key that is certified.
    ///   - issuer: the authority's certificate.
    ///   - issuerKey: the authority's private key.
    ///   - algorithm: how to sign; nil for the usual one of the issuer's key.
    /// - Returns: the certificate.
    /// - Throws: `CryptographyError.unsupported` for a name, time or serial number that cannot be written.
    public func signed(
        for publicKey: VerifyingKey,
        by issuer: Certificate,
        key issuerKey: SigningKey,
        algorithm: SignatureAlgorithm? = nil
    ) throws(CryptographyError) -> Certificate {
        let name = try DistinguishedName(subject)
        return try build(for: publicKey, subject: name, issuer: issuer.subjectName, issuerKey: issuerKey, algorithm)
    }

    private func build(
        for publicKey: VerifyingKey,
        subject: DistinguishedName,
        issuer: DistinguishedName,
        issuerKey: SigningKey,
        _ chosen: SignatureAlgorithm?
    ) throws(CryptographyError) -> Certificate {
        let algorithm = chosen ?? Self.usualAlgorithm(issuerKey.publicKey)
        let identifier = try Self.algorithmIdentifier(algorithm)
        guard (1...20).contains(serial.count), serial.contains(where: { $0 != 0 }) else {
            throw .unsupported(what: "serial number of \(serial.count) bytes, or zero")
        }
        let subjectKeyIdentifier = try publicKey.keyIdentifier()
        let issuerKeyIdentifier = try issuerKey.publicKey.keyIdentifier()

        var body = DERWriter()
        try body.sequence { (body) throws(CryptographyError) in
            body.append(.context(0)) { $0.integer(2) }
            body.unsignedInteger(serial[...])
            body.encoded(identifier)
            body.encoded(issuer.encoded)
            try body.sequence { (validity) throws(CryptographyError) in
                try CertificateTime.encode(notBefore, into: &validity)
                try CertificateTime.encode(notAfter, into: &validity)
            }
            body.encoded(subject.encoded)
            body.encoded(publicKey.subjectPublicKeyInfo)
            try body.append(.context(3)) { (explicit) throws(CryptographyError) in
                try explicit.sequence { (list) throws(CryptographyError) in
                    try appendExtensions(to: &list, subjectKeyIdentifier, issuerKeyIdentifier)
                }
            }
        }
        let signature = try issuerKey.sign(body.bytes, algorithm, form: .der)
        var certificate = DERWriter()
        certificate.sequence { outer in
            outer.encoded(body.bytes)
            outer.encoded(identifier)
            outer.bitString(signature)
        }
        return try Certificate(der: certificate.bytes)
    }

    private func appendExtensions(
        to list: inout DERWriter,
        _ subjectKeyIdentifier: [UInt8],
        _ issuerKeyIdentifier: [UInt8]
    ) throws(CryptographyError) {
        if let isCA {
            var constraints = DERWriter()
            constraints.sequence { fields in
                if isCA { fields.boolean(true) }
                if let pathLengthConstraint { fields.integer(Int64(pathLengthConstraint)) }
            }
            try Self.append(OID.basicConstraints, critical: true, constraints.bytes, to: &list)
        }
        if !keyUsage.isEmpty {
            var usage = DERWriter()
            usage.namedBits(Set(keyUsage.map(\.rawValue)))
            try Self.append(OID.keyUsage, critical: true, usage.bytes, to: &list)
        }
        if !extendedKeyUsage.isEmpty {
            var purposes = DERWriter()
            try purposes.sequence { (list) throws(CryptographyError) in
                for purpose in extendedKeyUsage { try list.objectIdentifier(purpose) }
            }
            try Self.append(OID.extendedKeyUsage, critical: false, purposes.bytes, to: &list)
        }
        if !subjectAlternativeNames.isEmpty {
            // Critical when it is the only name there is (RFC 5280 §4.2.1.6).
            let names = GeneralName.encode(subjectAlternativeNames)
            try Self.append(OID.subjectAlternativeName, critical: subject.isEmpty, names, to: &list)
        }
        var own = DERWriter()
        own.octetString(subjectKeyIdentifier)
        try Self.append(OID.subjectKeyIdentifier, critical: false, own.bytes, to: &list)
        var authority = DERWriter()
        authority.sequence { $0.append(.contextPrimitive(0), issuerKeyIdentifier) }
        try Self.append(OID.authorityKeyIdentifier, critical: false, authority.bytes, to: &list)
        for further in extensions {
            try Self.append(further.oid, critical: further.critical, further.value, to: &list)
        }
    }

    private static func append(
        _ oid: String,
        critical: Bool,
        _ value: [UInt8],
        to list: inout DERWriter
    ) throws(CryptographyError) {
        try list.sequence { (fields) throws(CryptographyError) in
            try fields.objectIdentifier(oid)
            if critical { fields.boolean(true) }
            fields.octetString(value)
        }
    }

    static func usualAlgorithm(_ key: VerifyingKey) -> SignatureAlgorithm {
        switch key.components {
        case .ec(.p256, _, _): .es256
        case .ec(.p384, _, _): .es384
        case .ec(.p521, _, _): .es512
        case .ec(.secp256k1, _, _): .es256k
        case .ed25519: .ed25519
        case .ed448: .ed448
        case .mlDSA(.mlDSA44, _): .mlDSA44
        case .mlDSA(.mlDSA65, _): .mlDSA65
        case .mlDSA(.mlDSA87, _): .mlDSA87
        case .rsa: .rs256
        }
    }

    /// The AlgorithmIdentifier in DER.
    static func algorithmIdentifier(_ algorithm: SignatureAlgorithm) throws(CryptographyError) -> [UInt8] {
        var writer = DERWriter()
        try writer.sequence { (fields) throws(CryptographyError) in
            switch algorithm.scheme {
            case .ecdsa(.sha384): try fields.objectIdentifier(OID.ecdsaWithSHA384)
            case .ecdsa(.sha512): try fields.objectIdentifier(OID.ecdsaWithSHA512)
            case .ecdsa(.sha1): try fields.objectIdentifier(OID.ecdsaWithSHA1)
            case .ecdsa(.sha256): try fields.objectIdentifier(OID.ecdsaWithSHA256)
            case .ed25519: try fields.objectIdentifier(OID.ed25519)
            case .ed448: try fields.objectIdentifier(OID.ed448)
            case .mlDSA(let set): try fields.objectIdentifier(set.objectIdentifier)
            case .pkcs1(let digest):
                try fields.objectIdentifier(digest.identifierWithRSA)
                fields.null()
            case .pss(let digest):
                try fields.objectIdentifier(OID.rsassaPSS)
                try fields.sequence { (parameters) throws(CryptographyError) in
                    try parameters.append(.context(0)) { (explicit) throws(CryptographyError) in
                        try explicit.sequence { (hash) throws(CryptographyError) in
                            try hash.objectIdentifier(digest.identifier)
                            hash.null()
                        }
                    }
                    try parameters.append(.context(1)) { (explicit) throws(CryptographyError) in
                        try explicit.sequence { (mask) throws(CryptographyError) in
                            try mask.objectIdentifier(OID.mgf1)
                            try mask.sequence { (hash) throws(CryptographyError) in
                                try hash.objectIdentifier(digest.identifier)
                                hash.null()
                            }
                        }
                    }
                    parameters.append(.context(2)) { $0.integer(Int64(digest.byteCount)) }
                }
            }
        }
        return writer.bytes
    }
}

extension Digest {
    fileprivate var identifier: String {
        switch self {
        case .sha1: OID.sha1
        case .sha256: OID.sha256
        case .sha384: OID.sha384
        case .sha512: OID.sha512
        }
    }

    fileprivate var identifierWithRSA: String {
        switch self {
        case .sha1: OID.sha1WithRSA
        case .sha256: OID.sha256WithRSA
        case .sha384: OID.sha384WithRSA
        case .sha512: OID.sha512WithRSA
        }
    }
}
