/// A certificate revocation list (RFC 5280 §5), read from strict DER: what an authority took back before its time.
///
/// That there is a value says that it could be read. Whether it is its authority's and current, `status(of:by:at:)` says.
public struct CertificateRevocationList: Sendable {
    /// Who issued the list, and so the certificates in it.
    public let issuerName: DistinguishedName
    /// When it was made, as Unix time.
    public let thisUpdate: Int64
    /// When there is a newer one at the latest, as Unix time; nil when the list does not say.
    public let nextUpdate: Int64?
    /// Whether it is a whole list of its issuer's own certificates: no list of changes, of other issuers or of some
    /// reasons only. Only from such a one can be read that a certificate is not revoked.
    public let isComplete: Bool
    /// The contents of the serial numbers' INTEGERs.
    private let serials: Set<[UInt8]>
    private let signatureAlgorithm: CertificateSignatureAlgorithm
    private let signedBytes: ArraySlice<UInt8>
    private let signature: ArraySlice<UInt8>

    /// What a list says of one certificate.
    public enum Status: Hashable, Sendable {
        case good
        case revoked
        /// The list is not for this certificate: another issuer's, not signed by it, or none that says enough.
        case notCovered
        /// The list is right but its time is over, or not yet come.
        case outdated
    }

    /// More entries than this are not read: lists of authorities for security keys have a few.
    private static let limit = 100_000

    /// Reads one list, with nothing after it.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public init(der bytes: ArraySlice<UInt8>) throws(CryptographyError) {
        let der = Array(bytes)
        var outer = try DERReader.single(der[...], .sequence).elements
        let signed = try outer.next(.sequence)
        let algorithm = try outer.next(.sequence)
        signature = try outer.next(.bitString).wholeBitString()
        try outer.finish()
        signedBytes = signed.encoded

        var body = signed.elements
        // Version 2 is written as 1, version 1 left out.
        let version = try body.nextIfPresent(.integer)?.integer() ?? 0
        guard version == 0 || version == 1 else { throw .malformed(what: "a list's version", offset: body.offset) }
        let innerAlgorithm = try body.next(.sequence)
        guard innerAlgorithm.encoded == algorithm.encoded else {
            throw .malformed(what: "two signature algorithms", offset: innerAlgorithm.encoded.startIndex)
        }
        signatureAlgorithm = try CertificateSignatureAlgorithm(algorithm)
        issuerName = try DistinguishedName(der: try body.next(.sequence).encoded)
        thisUpdate = try CertificateTime.decode(try body.next())
        nextUpdate = try Self.time(&body)
        let (serials, hasOddEntries) = try Self.entries(&body)
        self.serials = serials
        isComplete = try Self.hasOnlyPlainExtensions(&body) && !hasOddEntries
        try body.finish()
    }

    /// What the list says of `certificate`, whose issuer has the key `issuer`, at `time` (Unix seconds).
    public func status(of certificate: Certificate, by issuer: Certificate, at time: Int64) -> Status {
        guard issuerName.encoded == certificate.issuerName.encoded, issuerName.encoded == issuer.subjectName.encoded,
            issuer.keyUsage?.contains(Certificate.KeyUsage.cRLSign.rawValue) ?? true,
            let scheme = signatureAlgorithm.scheme, !signatureAlgorithm.usesSHA1,
            issuer.publicKey.isValid(signature, over: signedBytes, scheme: scheme, form: .der)
        else { return .notCovered }
        // What is revoked stays so, whatever the list's age, and however partial it is.
        if serials.contains(certificate.serial) { return .revoked }
        guard isComplete else { return .notCovered }
        guard thisUpdate <= time, nextUpdate.map({ time <= $0 }) ?? true else { return .outdated }
        return .good
    }

    private static func time(_ body: inout DERReader) throws(CryptographyError) -> Int64? {
        if let element = try body.nextIfPresent(.utcTime) { return try CertificateTime.decode(element) }
        return try body.nextIfPresent(.generalizedTime).map { (element) throws(CryptographyError) in
            try CertificateTime.decode(element)
        }
    }

    /// The serial numbers, and whether an entry has a critical extension, which may make it another issuer's.
    private static func entries(_ body: inout DERReader) throws(CryptographyError) -> (Set<[UInt8]>, Bool) {
        guard let list = try body.nextIfPresent(.sequence) else { return ([], false) }
        var reader = list.elements
        var serials: Set<[UInt8]> = []
        var hasOddEntries = false
        while !reader.isAtEnd {
            guard serials.count < limit else { throw .malformed(what: "too many entries", offset: reader.offset) }
            var entry = try reader.sequence()
            let serial = try entry.next(.integer)
            try serial.requireShortestInteger()
            _ = try CertificateTime.decode(try entry.next())
            if let extensions = try entry.nextIfPresent(.sequence), try hasCritical(extensions) { hasOddEntries = true }
            try entry.finish()
            serials.insert(Array(serial.content))
        }
        return (serials, hasOddEntries)
    }

    /// Whether no extension of the list narrows what it is about: those that do are critical (RFC 5280 §5.2).
    private static func hasOnlyPlainExtensions(_ body: inout DERReader) throws(CryptographyError) -> Bool {
        guard let explicit = try body.nextIfPresent(.context(0)) else { return true }
        return try !hasCritical(DERReader.single(explicit.content, .sequence))
    }

    private static func hasCritical(_ extensions: DERElement) throws(CryptographyError) -> Bool {
        var reader = extensions.elements
        var hasCritical = false
        while !reader.isAtEnd {
            var fields = try reader.sequence()
            _ = try fields.objectIdentifier()
            if try fields.nextIfPresent(.boolean)?.boolean() == true { hasCritical = true }
            _ = try fields.next(.octetString)
            try fields.finish()
        }
        return hasCritical
    }
}
