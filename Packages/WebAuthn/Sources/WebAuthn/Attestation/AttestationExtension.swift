internal import Cryptography

/// The FIDO Alliance's extensions of attestation certificates (WebAuthn L3 §8.2.1 and §8.2.2). None of them may be
/// critical.
enum AttestationExtension: String, CaseIterable {
    /// `id-fido-gen-ce-sernum`: which device it is, for enterprises.
    case serialNumber = "1.3.6.1.4.1.45724.1.1.2"
    /// `id-fido-gen-ce-aaguid`: which model it is.
    case model = "1.3.6.1.4.1.45724.1.1.4"
    /// `id-fido-gen-ce-fw-version`: which firmware it had.
    case firmwareVersion = "1.3.6.1.4.1.45724.1.1.5"

    private var name: String {
        switch self {
        case .serialNumber: "serial number"
        case .model: "AAGUID"
        case .firmwareVersion: "firmware version"
        }
    }

    /// A certificate that says which AAGUID it is for says this one: an OCTET STRING in the extension's own.
    static func checkModel(_ leaf: Certificate, aaguid: AAGUID) throws(AttestationFault) {
        guard let value = try Self.model.value(in: leaf) else { return }
        guard let certified = Self.aaguid(in: value) else {
            throw AttestationFault("the certificate's AAGUID extension is no OCTET STRING of 16 bytes")
        }
        guard certified == aaguid else {
            throw AttestationFault("the certificate is for AAGUID \(certified), and the credential for \(aaguid)")
        }
    }

    /// A firmware version is an INTEGER from 0.
    static func checkFirmwareVersion(_ leaf: Certificate) throws(AttestationFault) {
        guard let value = try Self.firmwareVersion.value(in: leaf) else { return }
        guard (try? DERReader.single(value[...]).unsignedInteger()) != nil else {
            throw AttestationFault("the certificate's firmware version extension is no INTEGER from 0")
        }
    }

    /// A serial number is an OCTET STRING. That only enterprise attestations may carry one binds their makers.
    static func checkSerialNumber(_ leaf: Certificate) throws(AttestationFault) {
        guard let value = try Self.serialNumber.value(in: leaf) else { return }
        guard (try? DERReader.single(value[...]))?.tag == .octetString else {
            throw AttestationFault("the certificate's serial number extension is no OCTET STRING")
        }
    }

    /// The AAGUID in an extension's value.
    static func aaguid(in value: [UInt8]) -> AAGUID? {
        guard value.count == 18, value.starts(with: [0x04, 0x10]) else { return nil }
        return AAGUID(value.dropFirst(2))
    }

    private func value(in leaf: Certificate) throws(AttestationFault) -> [UInt8]? {
        guard let found = leaf.extensionValue(rawValue) else { return nil }
        guard !found.critical else { throw AttestationFault("the certificate's \(name) extension is critical") }
        return found.value
    }
}
