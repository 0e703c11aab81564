internal import CBOR
internal import COSE
internal import Cryptography

/// Format `tpm` (WebAuthn L3 §8.3): a TPM certifies that the credential's key lives in it.
extension AttestationStatementWriter {
    func tpm(_ authority: AttestationAuthority, _ tpm: SoftwareTPM) throws(AuthenticatorError) -> CBORMap {
        let attested =
            fault == .tpmPublicAreaOfOtherKey ? try SigningKey.another(for: credential.algorithm) : credential.key
        let publicArea = try Self.publicArea(
            attested.publicKey.components,
            nameHash: tpm.claimedNameHash ?? tpm.nameHash
        )
        let certInfo = certification(of: publicArea, tpm)
        let signature = try signature(certInfo, by: tpm.key, tpm.algorithm)
        var statement = CBORMap()
        statement["ver"] = .text(fault == .tpmVersionWrong ? "1.2" : "2.0")
        statement["alg"] = .integer(
            fault == .attestationAlgorithmWrong ? COSEAlgorithm.edDSA.rawValue : tpm.algorithm.rawValue
        )
        statement["x5c"] = try authority.path(certificate(authority, tpm), tpm.key.publicKey, fault).x5c
        statement["sig"] = .bytes(tpm.wrapsSignature ? try wrapped(signature, tpm) : signature)
        statement["certInfo"] = .bytes(certInfo)
        statement["pubArea"] = .bytes(publicArea)
        return statement
    }

    /// By the rules of §8.3.1: no subject, and the TPM in the alternative name.
    private func certificate(_ authority: AttestationAuthority, _ tpm: SoftwareTPM) -> AttestationLeaf {
        var leaf = AttestationLeaf(subject: [])
        leaf.model = authority.aaguid
        if fault != .tpmPurposeMissing { leaf.purposes = ["2.23.133.8.3"] }
        let device = try? DistinguishedName([
            DistinguishedName.Attribute(
                oid: "2.23.133.2.1",
                value: fault == .tpmManufacturerUnknown ? "id:FFFFF1D0" : tpm.manufacturer
            ),
            DistinguishedName.Attribute(oid: "2.23.133.2.2", value: tpm.model),
            DistinguishedName.Attribute(oid: "2.23.133.2.3", value: tpm.firmwareVersion),
        ])
        if let device, fault != .tpmDeviceMissing { leaf.names = [.directory(device)] }
        return leaf
    }

    /// A `TPMT_PUBLIC` of a key that signs and never leaves the TPM.
    private static func publicArea(
        _ key: PublicKeyComponents,
        nameHash: SoftwareTPM.Hash
    ) throws(AuthenticatorError) -> [UInt8] {
        let null: UInt16 = 0x0010
        var writer = TPMWriter()
        switch key {
        case .rsa: writer.uint16(0x0001)
        default: writer.uint16(0x0023)
        }
        writer.uint16(nameHash.rawValue)
        // fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, sign; no policy, no symmetric part, any scheme.
        writer.uint32(0x0004_0072)
        writer.buffer([])
        writer.uint16(null)
        writer.uint16(null)
        switch key {
        case .rsa(let modulus, let exponent):
            let value = exponent.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            writer.uint16(UInt16(truncatingIfNeeded: modulus.count * 8))
            writer.uint32(value == 65537 ? 0 : value)
            writer.buffer(modulus)
        case .ec(let curve, let x, let y):
            switch curve {
            case .p256: writer.uint16(0x0003)
            case .p384: writer.uint16(0x0004)
            case .p521: writer.uint16(0x0005)
            case .secp256k1: throw .noUsableAlgorithm
            }
            writer.uint16(null)
            writer.buffer(x)
            writer.buffer(y)
        default: throw .noUsableAlgorithm
        }
        return writer.bytes
    }

    /// A `TPMS_ATTEST` of the public area.
    private func certification(of publicArea: [UInt8], _ tpm: SoftwareTPM) -> [UInt8] {
        func name(_ area: [UInt8]) -> [UInt8] {
            var name = TPMWriter()
            name.uint16(tpm.nameHash.rawValue)
            return name.bytes + tpm.nameHash.digest(area)
        }
        var writer = TPMWriter()
        writer.uint32(fault == .tpmMagicWrong ? 0x4743_54ff : 0xff54_4347)
        writer.uint16(fault == .tpmTypeWrong ? 0x8014 : 0x8017)
        writer.buffer(name(Random.bytes(32)))
        writer.buffer(tpm.hash.digest(fault == .tpmExtraDataWrong ? Random.bytes(32) : signed))
        // The clock, counters of restarts, whether the clock is safe, and the firmware's version.
        writer.bytes += Random.bytes(8) + [0, 0, 0, 1, 0, 0, 0, 0, 1] + Random.bytes(8)
        writer.buffer(name(fault == .tpmNameWrong ? publicArea + [0] : publicArea))
        writer.buffer(name(Random.bytes(32)))
        return writer.bytes
    }

    /// The signature as a `TPMT_SIGNATURE`.
    private func wrapped(_ signature: [UInt8], _ tpm: SoftwareTPM) throws(AuthenticatorError) -> [UInt8] {
        var writer = TPMWriter()
        switch tpm.algorithm.signatureAlgorithm {
        case .ps256, .ps384, .ps512: writer.uint16(0x0016)
        case .es256, .es384, .es512: writer.uint16(0x0018)
        default: writer.uint16(0x0014)
        }
        writer.uint16(tpm.hash.rawValue)
        guard tpm.algorithm.signatureAlgorithm?.curve != nil else {
            writer.buffer(signature)
            return writer.bytes
        }
        do throws(CryptographyError) {
            var numbers = try DERReader.single(signature[...]).elements
            for _ in 0..<2 { writer.buffer(Array(try numbers.next(.integer).unsignedInteger())) }
        } catch {
            throw .cryptography(error)
        }
        return writer.bytes
    }
}

/// Writes the structures of a TPM: big-endian, and each buffer after its length.
private struct TPMWriter {
    var bytes: [UInt8] = []

    mutating func uint16(_ value: UInt16) {
        bytes += [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    mutating func uint32(_ value: UInt32) {
        uint16(UInt16(truncatingIfNeeded: value >> 16))
        uint16(UInt16(truncatingIfNeeded: value))
    }

    /// Buffers here are far shorter than 64 KB.
    mutating func buffer(_ content: [UInt8]) {
        uint16(UInt16(truncatingIfNeeded: content.count))
        bytes += content
    }
}
