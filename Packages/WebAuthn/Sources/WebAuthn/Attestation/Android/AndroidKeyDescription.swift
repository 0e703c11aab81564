internal import Cryptography

/// The extension data of an Android key attestation certificate (WebAuthn L3 §8.4.1), as far as a relying party judges
/// it. Its schema has grown with Android; these members stand in every version of it.
struct AndroidKeyDescription {
    let attestationChallenge: ArraySlice<UInt8>
    let softwareEnforced: AuthorizationList
    /// `teeEnforced`, or what the secure element enforces.
    let hardwareEnforced: AuthorizationList

    /// `KM_ORIGIN_GENERATED`: made where it lives, and never outside.
    static let originGenerated: Int64 = 0
    /// `KM_PURPOSE_SIGN`.
    static let purposeSign: Int64 = 2
    private static let oid = "1.3.6.1.4.1.11129.2.1.17"

    init(_ certificate: Certificate) throws(AttestationFault) {
        guard let found = certificate.extensionValue(Self.oid) else {
            throw AttestationFault("the certificate has no key description")
        }
        do throws(CryptographyError) {
            try self.init(der: found.value)
        } catch {
            throw AttestationFault("the certificate's key description: \(error)")
        }
    }

    /// `KeyDescription ::= SEQUENCE { attestationVersion, attestationSecurityLevel, keymasterVersion,
    /// keymasterSecurityLevel, attestationChallenge, uniqueId, softwareEnforced, teeEnforced }`.
    private init(der: [UInt8]) throws(CryptographyError) {
        var outer = DERReader(der[...])
        var fields = try outer.sequence()
        try outer.finish()
        for tag in [DERTag.integer, .enumerated, .integer, .enumerated] { _ = try fields.next(tag) }
        attestationChallenge = try fields.next(.octetString).content
        _ = try fields.next(.octetString)
        softwareEnforced = try AuthorizationList(&fields)
        hardwareEnforced = try AuthorizationList(&fields)
        try fields.finish()
    }

    /// What one side of the device enforces. Each member is tagged explicitly with its number.
    struct AuthorizationList {
        private(set) var purposes: Set<Int64> = []
        private(set) var origin: Int64?
        private(set) var hasAllApplications = false

        fileprivate init(_ fields: inout DERReader) throws(CryptographyError) {
            var members = try fields.sequence()
            while !members.isAtEnd {
                let member = try members.next()
                switch member.tag {
                case .context(1):
                    var inner = member.elements
                    var purposes = try inner.set()
                    try inner.finish()
                    while !purposes.isAtEnd { self.purposes.insert(try purposes.next(.integer).integer()) }
                case .context(600): hasAllApplications = true
                case .context(702): origin = try DERReader.single(member.content).integer()
                default: break
                }
            }
        }
    }
}
