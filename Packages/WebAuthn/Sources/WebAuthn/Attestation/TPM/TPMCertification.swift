/// What a TPM certified: a `TPMS_ATTEST` over a key (TPM 2.0 Part 2 §10.12.8 with §10.12.3).
struct TPMCertification {
    /// What the caller of the TPM had it sign along.
    let extraData: ArraySlice<UInt8>
    /// Which key it certified.
    private let name: ArraySlice<UInt8>

    /// `TPM_GENERATED_VALUE`: made by the TPM itself, and nothing that it was merely given to sign.
    private static let generated: UInt32 = 0xff54_4347
    /// `TPM_ST_ATTEST_CERTIFY`.
    private static let certify: UInt16 = 0x8017

    init(decoding bytes: [UInt8]) throws(AttestationFault) {
        var reader = TPMReader(bytes, "certInfo")
        guard try reader.uint32() == Self.generated else {
            throw AttestationFault("magic of certInfo is not TPM_GENERATED_VALUE")
        }
        guard try reader.uint16() == Self.certify else {
            throw AttestationFault("type of certInfo is not TPM_ST_ATTEST_CERTIFY")
        }
        // qualifiedSigner is not looked at.
        _ = try reader.buffer()
        extraData = try reader.buffer()
        // Nor are clockInfo (8, 4, 4 and 1 bytes) and firmwareVersion (8).
        _ = try reader.take(25)
        name = try reader.buffer()
        // Nor is qualifiedName.
        _ = try reader.buffer()
        try reader.finish()
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
