internal import Cryptography
internal import WebAuthn

/// What an attestation certificate says, but for its key and its issuer.
struct AttestationLeaf {
    /// Empty: the names say it.
    var subject: [DistinguishedName.Attribute]
    /// `nil`: basic constraints are left out.
    var isCA: Bool? = false
    var validity = Validity.now
    /// The AAGUID that the certificate is for; `nil`: it does not say.
    var model: AAGUID?
    var modelIsCritical = false
    /// Object identifiers of extended key usages.
    var purposes: [String] = []
    /// Subject alternative names.
    var names: [GeneralName] = []
    var extensions: [(oid: String, value: [UInt8])] = []

    enum Validity: Sendable {
        case now, notYet, over
    }

    /// `id-fido-gen-ce-aaguid`.
    static let modelExtension = "1.3.6.1.4.1.45724.1.1.4"

    /// By the rules of WebAuthn L3 §8.2.1.
    static func packed(_ aaguid: AAGUID) -> AttestationLeaf {
        var leaf = AttestationLeaf(subject: maker("Latchkey software authenticator"))
        leaf.subject.append(
            DistinguishedName.Attribute(oid: DistinguishedName.organizationalUnit, value: "Authenticator Attestation")
        )
        leaf.model = aaguid
        return leaf
    }

    /// A subject of this maker.
    static func maker(_ name: String) -> [DistinguishedName.Attribute] {
        [
            DistinguishedName.Attribute(oid: DistinguishedName.country, value: "XX"),
            DistinguishedName.Attribute(
                oid: DistinguishedName.organization,
                value: "Latchkey software authenticators"
            ),
            DistinguishedName.Attribute(oid: DistinguishedName.commonName, value: name),
        ]
    }

    mutating func spoil(_ fault: Fault?) {
        switch fault {
        case .attestationCertificateForOtherModel: model = AAGUID(Random.bytes(16)[...])
        case .attestationCertificateOfAuthority: isCA = true
        case .attestationCertificateUnconstrained: isCA = nil
        case .attestationCertificateModelCritical: modelIsCritical = true
        case .attestationCertificateExpired: validity = .over
        case .attestationCertificateNotYetValid: validity = .notYet
        // For packed another unit, for tpm a subject where there must be none.
        case .attestationCertificateSubjectWrong: subject = Self.maker("Another")
        default: break
        }
    }
}
