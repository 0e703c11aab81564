import CBOR
import COSE
import Cryptography
import Testing

@Suite("RFC 9052 §7, RFC 9053 §7: keys")
struct COSEKeyTests {
    /// The kinds of keys, with every algorithm that a key of the kind may have. RSA keys are made once.
    enum Kind: Sendable, CaseIterable {
        case p256, p384, p521, secp256k1, ed25519, ed448, rsa, mlDSA44, mlDSA65, mlDSA87

        private static let sharedRSA = Result { () throws(CryptographyError) in
            try SigningKey.generate(.rsa(bits: 2048))
        }

        func make() throws -> SigningKey {
            switch self {
            case .p256: try .generate(.p256)
            case .p384: try .generate(.p384)
            case .p521: try .generate(.p521)
            case .secp256k1: try .generate(.secp256k1)
            case .ed25519: try .generate(.ed25519)
            case .ed448: try .generate(.ed448)
            case .rsa: try Self.sharedRSA.get()
            case .mlDSA44: try .generate(.mlDSA(.mlDSA44))
            case .mlDSA65: try .generate(.mlDSA(.mlDSA65))
            case .mlDSA87: try .generate(.mlDSA(.mlDSA87))
            }
        }

        var algorithms: [COSEAlgorithm] {
            switch self {
            case .p256: [.es256, .esp256]
            case .p384: [.es384, .esp384]
            case .p521: [.es512, .esp512]
            case .secp256k1: [.es256K]
            case .ed25519: [.edDSA, .ed25519]
            case .ed448: [.edDSA, .ed448]
            case .rsa: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .rs1]
            case .mlDSA44: [.mlDSA44]
            case .mlDSA65: [.mlDSA65]
            case .mlDSA87: [.mlDSA87]
            }
        }
    }

    static let allAlgorithms: [COSEAlgorithm] = Kind.allCases.flatMap(\.algorithms)

    private static func map(_ key: COSEKey) throws -> CBORMap {
        try #require(try CBOR.decode(key.encoded()).map)
    }

    @Test("A key comes back from its bytes and verifies by its algorithm", arguments: Kind.allCases)
    func roundTrip(_ kind: Kind) throws {
        let signer = try kind.make()
        for algorithm in kind.algorithms {
            let key = try COSEKey(signer.publicKey, algorithm: algorithm)
            let again = try COSEKey(decoding: key.encoded().shifted)
            #expect(again == key)
            #expect(again.algorithm == algorithm)
            let signature = try signer.sign(Array("message".utf8), key.signatureAlgorithm)
            #expect(again.isValid(signature[...], over: Array("message".utf8)[...]))
            #expect(!again.isValid(signature[...], over: Array("another".utf8)[...]))
        }
        #expect(try COSEKey(signer.publicKey).algorithm == kind.algorithms.first)
    }

    @Test("A key has no algorithm of another kind", arguments: Kind.allCases)
    func otherAlgorithms(_ kind: Kind) throws {
        let signer = try kind.make()
        var map = try Self.map(try COSEKey(signer.publicKey))
        for algorithm in Self.allAlgorithms where !kind.algorithms.contains(algorithm) {
            let error = COSEError.unsupported(.alg, value: Int64(algorithm.rawValue))
            #expect(throws: error) { try COSEKey(signer.publicKey, algorithm: algorithm) }
            map[3] = .integer(algorithm.rawValue)
            // Between keys of ML-DSA the length alone tells.
            if map[1] == 7, [.mlDSA44, .mlDSA65, .mlDSA87].contains(algorithm) {
                #expect(throws: COSEError.self) { try COSEKey(decoding: CBOR.encode(.map(map))) }
            } else {
                #expect(throws: error) { try COSEKey(decoding: CBOR.encode(.map(map))) }
            }
        }
        for number: CBORValue in [0, 1, -6, -46, .unsigned(.max), .negative(.max)] {
            map[3] = number
            #expect(throws: COSEError.self) { try COSEKey(decoding: CBOR.encode(.map(map))) }
        }
    }

    @Test("A member that is missing, or of another type, is named")
    func members() throws {
        let map = try Self.map(try COSEKey(try Kind.p256.make().publicKey))
        for (label, member): (CBORValue, COSEKeyMember) in [(1, .kty), (3, .alg), (-1, .crv), (-2, .x), (-3, .y)] {
            var without = map
            without[label] = nil
            #expect(throws: COSEError.missing(member)) { try COSEKey(decoding: CBOR.encode(.map(without))) }
            var other = map
            other[label] = true
            #expect(throws: COSEError.wrongType(member)) { try COSEKey(decoding: CBOR.encode(.map(other))) }
        }
        let rsa = try Self.map(try COSEKey(try Kind.rsa.make().publicKey))
        for (label, member): (CBORValue, COSEKeyMember) in [(-1, .n), (-2, .e)] {
            var without = rsa
            without[label] = nil
            #expect(throws: COSEError.missing(member)) { try COSEKey(decoding: CBOR.encode(.map(without))) }
            var integer = rsa
            integer[label] = 65_537
            #expect(throws: COSEError.wrongType(member)) { try COSEKey(decoding: CBOR.encode(.map(integer))) }
        }
    }

    @Test("A key of ML-DSA is of type AKP, has the length of its algorithm, and no other type has its algorithm")
    func lattice() throws {
        let map = try Self.map(try COSEKey(try Kind.mlDSA44.make().publicKey))
        #expect(map[1] == 7 && map[3] == -48 && map[-1]?.bytes?.count == 1312)
        for (label, value): (CBORValue, CBORValue) in [
            (3, -49), (3, -7), (1, 1), (1, 2), (1, 3), (1, 4), (-1, true), (-1, .bytes([])),
            (-1, .bytes(Array(repeating: 0, count: 1311))), (-1, .bytes(Array(repeating: 0, count: 1313))),
        ] {
            var other = map
            other[label] = value
            #expect(throws: COSEError.self) { try COSEKey(decoding: CBOR.encode(.map(other))) }
        }
        var without = map
        without[-1] = nil
        #expect(throws: COSEError.missing(.pub)) { try COSEKey(decoding: CBOR.encode(.map(without))) }
        var elliptic = try Self.map(try COSEKey(try Kind.p256.make().publicKey))
        elliptic[3] = -48
        #expect(throws: COSEError.unsupported(.alg, value: -48)) {
            try COSEKey(decoding: CBOR.encode(.map(elliptic)))
        }
    }

    @Test("Curves of another type, and unknown ones, are refused")
    func curves() throws {
        var ec = try Self.map(try COSEKey(try Kind.p256.make().publicKey))
        for curve: Int64 in [0, 4, 5, 6, 7, 9, -1] {
            ec[-1] = CBORValue(curve)
            #expect(throws: COSEError.unsupported(.crv, value: curve)) { try COSEKey(decoding: CBOR.encode(.map(ec))) }
        }
        var okp = try Self.map(try COSEKey(try Kind.ed25519.make().publicKey))
        for curve: Int64 in [0, 1, 2, 3, 4, 5, 8] {
            okp[-1] = CBORValue(curve)
            #expect(throws: COSEError.unsupported(.crv, value: curve)) { try COSEKey(decoding: CBOR.encode(.map(okp))) }
        }
    }

    @Test("A private key is refused, whatever its type", arguments: Kind.allCases)
    func privateMembers(_ kind: Kind) throws {
        var map = try Self.map(try COSEKey(try kind.make().publicKey))
        map[map[1] == 7 ? -2 : -4] = .bytes(Array(repeating: 1, count: 32))
        #expect(throws: COSEError.privateKey) { try COSEKey(decoding: CBOR.encode(.map(map))) }
    }

    @Test("Operations, when there are any, let the key verify")
    func operations() throws {
        var map = try Self.map(try COSEKey(try Kind.p256.make().publicKey))
        for operations: CBORValue in [[2], [1, 2], ["verify"]] {
            map[4] = operations
            _ = try COSEKey(decoding: CBOR.encode(.map(map)))
        }
        for operations: CBORValue in [[], [1], ["sign"]] {
            map[4] = operations
            #expect(throws: COSEError.mayNotVerify) { try COSEKey(decoding: CBOR.encode(.map(map))) }
        }
    }

    @Test("Unknown members, another order and wider integers are kept byte for byte")
    func interoperable() throws {
        let plain = try COSEKey(try Kind.p256.make().publicKey)
        let map = try Self.map(plain)
        let x = CBOR.encode(try #require(map[-2]))
        let y = CBOR.encode(try #require(map[-3]))
        // y, x, crv, alg in two bytes, kty, and a member of somebody's own.
        let bytes = [0xa6, 0x22] + y + [0x21] + x + [0x20, 0x01, 0x03, 0x38, 0x06, 0x01, 0x02, 0x61, 0x7a, 0xf6]
        let key = try COSEKey(decoding: bytes)
        #expect(key.verifyingKey == plain.verifyingKey)
        #expect(key.encoded() == bytes)
    }

    @Test("A key that was cut or goes on is refused, one with a flipped bit never traps", arguments: Kind.allCases)
    func spoilt(_ kind: Kind) throws {
        let bytes = try COSEKey(try kind.make().publicKey).encoded()
        for cut in bytes.truncations { #expect(throws: COSEError.self) { try COSEKey(decoding: cut) } }
        #expect(throws: COSEError.cbor(.trailingBytes(offset: bytes.count))) { try COSEKey(decoding: bytes + [0]) }
        for spoilt in bytes.flips {
            guard let key = try? COSEKey(decoding: spoilt) else { continue }
            #expect(key.encoded() == spoilt)
        }
    }

    @Test("Numbers are those of the registry, and names read well")
    func registry() {
        #expect(COSEAlgorithm.es256.description == "ES256")
        #expect(COSEAlgorithm(rawValue: -257) == .rs256)
        #expect(COSEAlgorithm(rawValue: -48) == .mlDSA44 && COSEAlgorithm.mlDSA44.description == "ML-DSA-44")
        #expect(COSEAlgorithm(rawValue: -46).signatureAlgorithm == nil)
        #expect(COSEAlgorithm(rawValue: -46).description == "COSE algorithm -46")
        #expect(Set(Self.allAlgorithms.map(\.rawValue)).count == 20)
        #expect(Self.allAlgorithms.allSatisfy { $0.signatureAlgorithm != nil })
    }
}
