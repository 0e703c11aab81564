internal import CBOR

/// The fields of authenticator data with a credential (WebAuthn L3 §6.1), each as it is written.
struct AuthenticatorDataFields {
    var rpIDHash: [UInt8]
    var flags: UInt8
    var signCount: [UInt8]
    var aaguid: [UInt8]
    var length: [UInt8]
    var credentialID: [UInt8]
    var publicKey: [UInt8]
    var rest: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 55 else { return nil }
        rpIDHash = Array(bytes[0..<32])
        flags = bytes[32]
        signCount = Array(bytes[33..<37])
        aaguid = Array(bytes[37..<53])
        length = Array(bytes[53..<55])
        let count = Int(bytes[53]) << 8 | Int(bytes[54])
        guard count <= bytes.count - 55 else { return nil }
        credentialID = Array(bytes[55..<55 + count])
        let behind = bytes[(55 + count)...]
        guard let (_, rest) = try? CBOR.decodeFirst(behind, as: .interoperable) else { return nil }
        publicKey = Array(behind[..<rest.startIndex])
        self.rest = Array(rest)
    }

    var bytes: [UInt8] { rpIDHash + [flags] + signCount + aaguid + length + credentialID + publicKey + rest }
}

extension RegistrationMutator {
    mutating func mutatedAuthenticatorData(_ bytes: [UInt8]) -> [UInt8] {
        guard var fields = AuthenticatorDataFields(bytes) else { return mutatedBytes(bytes) }
        switch dice.below(11) {
        case 0: fields.rpIDHash = mutatedBytes(fields.rpIDHash)
        case 1: fields.flags ^= 1 << UInt8(dice.below(8))
        case 2: fields.signCount = dice.bytes(4)
        case 3: fields.aaguid = dice.below(2) == 0 ? dice.bytes(16) : [UInt8](repeating: 0, count: 16)
        case 4:
            fields.length = dice.pick([[0, 0], [3, 0xff], [4, 0], [0xff, 0xff], dice.bytes(2)]) ?? fields.length
        case 5:
            // The length goes with it.
            fields.credentialID = dice.bytes(dice.pick([0, 1, 16, 64, 1023, 1024]) ?? 1)
            let count = fields.credentialID.count
            fields.length = [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        case 6...8:
            guard let key = try? CBOR.decode(fields.publicKey, as: .interoperable) else { break }
            fields.publicKey = CBOR.encode(mutated(key))
        case 9:
            fields.flags ^= 0x80
            let rests: [[UInt8]] = [[], [0xa0], [0x80], [0xa1, 0x61, 0x61, 0x01], [0xa0, 0xa0], dice.bytes(5)]
            fields.rest = dice.pick(rests) ?? []
        default: return mutatedBytes(bytes)
        }
        return fields.bytes
    }
}
