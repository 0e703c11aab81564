/// What a TPM certified: a `TPMS_ATTEST` over a key (TPM 2.0 Part 2 §10.12.8 with §10.12.3).
struct TPMCertification {
    let magic: UInt32
    let type: UInt16
    /// The name of the attestation key.
    let qualifiedSigner: ArraySlice<UInt8>
    /// What the caller of the TPM had it sign along.
    let extraData: ArraySlice<UInt8>
    /// Which key it certified.
    let name: ArraySlice<UInt8>
    let qualifiedName: ArraySlice<UInt8>
    /// `TPMS_CLOCK_INFO`: 8 bytes of clock, 4 of resets, 4 of restarts, and whether the clock is safe.
    let clockInfo: ArraySlice<UInt8>
    /// 8 bytes that the maker chooses.
    let firmwareVersion: ArraySlice<UInt8>

    /// `TPM_GENERATED_VALUE`: made by the TPM itself, and nothing that it was merely given to sign.
    static let generated: UInt32 = 0xff54_4347
    /// `TPM_ST_ATTEST_CERTIFY`.
    static let certify: UInt16 = 0x8017

    /// Reads a certification. qualifiedSigner, clockInfo, firmwareVersion and qualifiedName are for people to look at.
    /// With `checking`, another magic or type than those of a certification is a fault.
    init(decoding bytes: [UInt8], checking: Bool = true) throws(AttestationFault) {
        var reader = TPMReader(bytes, "certInfo")
        magic = try reader.uint32()
        if checking { try Self.checkMagic(magic) }
        type = try reader.uint16()
        if checking { try Self.checkType(type) }
        qualifiedSigner = try reader.buffer()
        extraData = try reader.buffer()
        clockInfo = try reader.take(17)
        firmwareVersion = try reader.take(8)
        name = try reader.buffer()
        qualifiedName = try reader.buffer()
        try reader.finish()
    }

    static func checkMagic(_ magic: UInt32) throws(AttestationFault) {
        guard magic == generated else { throw AttestationFault("magic of certInfo is not TPM_GENERATED_VALUE") }
    }

    static func checkType(_ type: UInt16) throws(AttestationFault) {
        guard type == certify else { throw AttestationFault("type of certInfo is not TPM_ST_ATTEST_CERTIFY") }
    }

    /// The name is that of a public area: the number of a hash function, and the hash (TPM 2.0 Part 1 §16).
    ///
    /// The function is read from the name, which the TPM signed, and need not be the public area's `nameAlg`: whichever
    /// it is, the hash covers all of the public area.
    ///
    /// - Returns: the hash function.
    func nameHash(of area: TPMPublicArea) throws(AttestationFault) -> TPMHash {
        let number = name.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
        guard name.count > 2, let hash = TPMHash(rawValue: number), name.dropFirst(2) == hash.digest(area.bytes)[...]
        else {
            throw AttestationFault("the name in certInfo is not that of pubArea")
        }
        return hash
    }
}
