/// Makes certificate revocation lists of version 2 (RFC 5280 §5).
public struct RevocationListBuilder: Sendable {
    /// When it is made, as Unix time.
    public var thisUpdate: Int64
    /// When there is a newer one at the latest, as Unix time.
    public var nextUpdate: Int64
    /// What is on it: the issuer's own certificates.
    public var revoked: [Certificate] = []
    /// Extensions of the list, in their order. `value` is the content of the OCTET STRING.
    public var extensions: [(oid: String, critical: Bool, value: [UInt8])] = []

    public init(thisUpdate: Int64, nextUpdate: Int64) {
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
    }

    /// The list in DER, by the authority `issuer`, whose private key is `key`.
    ///
    /// - Throws: `CryptographyError.unsupported` for a time that cannot be written.
    public func signed(by issuer: Certificate, key: SigningKey) throws(CryptographyError) -> [UInt8] {
        let algorithm = CertificateBuilder.usualAlgorithm(key.publicKey)
        let identifier = try CertificateBuilder.algorithmIdentifier(algorithm)
        var body = DERWriter()
        try body.sequence { (body) throws(CryptographyError) in
            body.integer(1)
            body.encoded(identifier)
            body.encoded(issuer.subjectName.encoded)
            try CertificateTime.encode(thisUpdate, into: &body)
            try CertificateTime.encode(nextUpdate, into: &body)
            if !revoked.isEmpty { try appendEntries(to: &body) }
            if !extensions.isEmpty { try appendExtensions(to: &body) }
        }
        let signature = try key.sign(body.bytes, algorithm)
        var list = DERWriter()
        list.sequence { fields in
            fields.encoded(body.bytes)
            fields.encoded(identifier)
            fields.append(.bitString, [0] + signature)
        }
        return list.bytes
    }

    private func appendEntries(to body: inout DERWriter) throws(CryptographyError) {
        try body.sequence { (entries) throws(CryptographyError) in
            for certificate in revoked {
                try entries.sequence { (entry) throws(CryptographyError) in
                    entry.append(.integer, certificate.serial)
                    try CertificateTime.encode(thisUpdate, into: &entry)
                }
            }
        }
    }

    private func appendExtensions(to body: inout DERWriter) throws(CryptographyError) {
        try body.append(.context(0)) { (explicit) throws(CryptographyError) in
            try explicit.sequence { (list) throws(CryptographyError) in
                for item in extensions {
                    try list.sequence { (fields) throws(CryptographyError) in
                        try fields.objectIdentifier(item.oid)
                        if item.critical { fields.append(.boolean, [0xff]) }
                        fields.append(.octetString, item.value)
                    }
                }
            }
        }
    }
}
