internal import Cryptography

/// The extension data of an Android key attestation certificate (WebAuthn L3 §8.4.1), as far as a relying party judges
/// it. Its schema has grown with Android; these members stand in every version of it.
struct AndroidKeyDescription {
    let attestationVersion: Int64
    /// 0 software, 1 trusted environment, 2 secure element.
    let attestationSecurityLevel: Int64
    let keyMintVersion: Int64
    let keyMintSecurityLevel: Int64
    let attestationChallenge: ArraySlice<UInt8>
    let uniqueID: ArraySlice<UInt8>
    let softwareEnforced: AuthorizationList
    /// `teeEnforced`, or what the secure element enforces.
    let hardwareEnforced: AuthorizationList

    /// `KM_ORIGIN_GENERATED`: made where it lives, and never outside.
    static let originGenerated: Int64 = 0
    /// `KM_PURPOSE_SIGN`.
    static let purposeSign: Int64 = 2
    static let oid = "1.3.6.1.4.1.11129.2.1.17"

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
        attestationVersion = try fields.next(.integer).integer()
        attestationSecurityLevel = try fields.next(.enumerated).integer()
        keyMintVersion = try fields.next(.integer).integer()
        keyMintSecurityLevel = try fields.next(.enumerated).integer()
        attestationChallenge = try fields.next(.octetString).content
        uniqueID = try fields.next(.octetString).content
        softwareEnforced = try AuthorizationList(&fields)
        hardwareEnforced = try AuthorizationList(&fields)
        try fields.finish()
    }

    /// The key was made for this client data.
    func checkChallenge(_ attested: Attested) throws(AttestationFault) {
        guard attestationChallenge == attested.clientDataHash[...] else {
            throw AttestationFault("attestationChallenge is not the hash of the client data")
        }
    }

    /// One app alone may use the key: neither list has `allApplications`.
    func checkApplications() throws(AttestationFault) {
        guard !hardwareEnforced.hasAllApplications, !softwareEnforced.hasAllApplications else {
            throw AttestationFault("allApplications is present: the key is not bound to one app")
        }
    }

    /// The key was made where it lives, as both lists together or hardware's alone have it.
    func checkOrigin(hardwareOnly: Bool) throws(AttestationFault) {
        let origins = [hardwareEnforced.origin, hardwareOnly ? nil : softwareEnforced.origin].compactMap(\.self)
        guard !origins.isEmpty, origins.allSatisfy({ $0 == Self.originGenerated }) else {
            throw AttestationFault("origin is not KM_ORIGIN_GENERATED\(hardwareOnly ? " in the hardware list" : "")")
        }
    }

    /// The key signs and does nothing else, as both lists together or hardware's alone have it.
    func checkPurpose(hardwareOnly: Bool) throws(AttestationFault) {
        let purposes =
            hardwareOnly ? hardwareEnforced.purposes : hardwareEnforced.purposes.union(softwareEnforced.purposes)
        guard purposes == [Self.purposeSign] else {
            throw AttestationFault("purpose is not KM_PURPOSE_SIGN\(hardwareOnly ? " in the hardware list" : "")")
        }
    }

    /// What one side of the device enforces. Each member is tagged explicitly with its number.
    struct AuthorizationList {
        private(set) var purposes: Set<Int64> = []
        private(set) var origin: Int64?
        private(set) var hasAllApplications = false
        /// The numbers of all members, in their order.
        private(set) var tags: [UInt32] = []

        fileprivate init(_ fields: inout DERReader) throws(CryptographyError) {
            var members = try fields.sequence()
            while !members.isAtEnd {
                let member = try members.next()
                tags.append(member.tag.number)
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
