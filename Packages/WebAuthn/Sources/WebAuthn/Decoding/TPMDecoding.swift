internal import Encodings

/// The structures of a TPM, field by field (TPM 2.0 Part 2 §10.12.8 and §12.2.4).
enum TPMDecoding {
    /// `certInfo`; `nil` when it cannot be read.
    static func certification(_ bytes: [UInt8]) -> JSONValue? {
        guard let info = try? TPMCertification(decoding: bytes, checking: false) else { return nil }
        let clock = Array(info.clockInfo)
        return [
            "magic": .string(
                hex(info.magic) + (info.magic == TPMCertification.generated ? " TPM_GENERATED_VALUE" : "")
            ),
            "type": .string(
                hex(info.type) + (info.type == TPMCertification.certify ? " TPM_ST_ATTEST_CERTIFY" : "")
            ),
            "qualifiedSigner": name(info.qualifiedSigner),
            "extraData": .string(Base64URL.encode(info.extraData)),
            "clockInfo": [
                "clock": .string(Hex.encode(clock.prefix(8))), "resetCount": number(clock.dropFirst(8).prefix(4)),
                "restartCount": number(clock.dropFirst(12).prefix(4)), "safe": .bool(clock.last == 1),
            ],
            "firmwareVersion": .string(Hex.encode(info.firmwareVersion)),
            "attested": ["name": name(info.name), "qualifiedName": name(info.qualifiedName)],
        ]
    }

    /// `pubArea`; `nil` when it cannot be read.
    static func publicArea(_ bytes: [UInt8]) -> JSONValue? {
        guard let area = try? TPMPublicArea(decoding: bytes) else { return nil }
        return [
            "nameAlg": .string(hash(area.nameAlgorithm)),
            "objectAttributes": .array(attributes(area.objectAttributes)),
            "authPolicy": .string(Hex.encode(area.authPolicy)),
            "key": Decoding.key(area.key),
        ]
    }

    private static func hash(_ number: UInt16) -> String {
        switch TPMHash(rawValue: number) {
        case .sha1: "SHA-1"
        case .sha256: "SHA-256"
        case .sha384: "SHA-384"
        case .sha512: "SHA-512"
        case nil: hex(number)
        }
    }

    /// A name: the number of its hash function, and the hash.
    private static func name(_ bytes: ArraySlice<UInt8>) -> JSONValue {
        guard bytes.count > 2 else { return .string(Hex.encode(bytes)) }
        let number = bytes.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
        return .string("\(hash(number)) \(Hex.encode(bytes.dropFirst(2)))")
    }

    /// The bits of `TPMA_OBJECT` that are set (TPM 2.0 Part 2 §8.3).
    private static func attributes(_ bits: UInt32) -> [JSONValue] {
        let names: [(Int, String)] = [
            (1, "fixedTPM"), (2, "stClear"), (4, "fixedParent"), (5, "sensitiveDataOrigin"), (6, "userWithAuth"),
            (7, "adminWithPolicy"), (10, "noDA"), (11, "encryptedDuplication"), (16, "restricted"), (17, "decrypt"),
            (18, "sign"),
        ]
        return names.filter { bits >> UInt32($0.0) & 1 == 1 }.map { .string($0.1) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> JSONValue {
        .integer(bytes.reduce(0) { $0 << 8 | Int64($1) })
    }

    private static func hex(_ number: UInt32) -> String {
        Hex.encode((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) })
    }

    private static func hex(_ number: UInt16) -> String {
        Hex.encode([UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)])
    }
}
