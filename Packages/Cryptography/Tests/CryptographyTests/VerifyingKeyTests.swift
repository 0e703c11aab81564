import Cryptography
import Testing

@Suite("Public keys: SEC 1, RFC 8032, RFC 8017")
struct VerifyingKeyTests {
    private static let curves = EllipticCurve.allCases

    private static func point(_ curve: EllipticCurve) throws -> (x: [UInt8], y: [UInt8]) {
        let key = try SigningKey.generate(curve.kind).publicKey
        guard case .ec(_, let x, let y) = key.components else {
            Issue.record("not an EC key")
            return ([], [])
        }
        return (x, y)
    }

    @Test("A point on the curve is a key, and comes back as it was", arguments: curves)
    func point(on curve: EllipticCurve) throws {
        let (x, y) = try Self.point(curve)
        let key = try VerifyingKey.ec(curve, x: x, y: y)
        #expect(key.components == .ec(curve, x: x, y: y))
        #expect(try VerifyingKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo) == key)
    }

    @Test("A point beside the curve is refused", arguments: curves)
    func pointBeside(_ curve: EllipticCurve) throws {
        let (x, y) = try Self.point(curve)
        for (badX, badY) in [
            (x, y.dropLast() + [(y.last ?? 0) ^ 1]), (x.dropLast() + [(x.last ?? 0) ^ 1], y),
            (Array(repeating: 0, count: x.count), Array(repeating: 0, count: x.count)),
            (Array(repeating: 0xff, count: x.count), y), (y, x),
        ] {
            #expect(throws: CryptographyError.invalidKey("a point that is not on \(curve.rawValue)")) {
                try VerifyingKey.ec(curve, x: badX, y: badY)
            }
        }
    }

    @Test("Coordinates of another length are refused", arguments: curves)
    func coordinateLengths(_ curve: EllipticCurve) throws {
        let (x, y) = try Self.point(curve)
        for (x, y) in [(Array(x.dropFirst()), y), (x, [0] + y), ([], []), (x, []), (x + y, [])] {
            #expect(throws: CryptographyError.self) { try VerifyingKey.ec(curve, x: x, y: y) }
        }
    }

    @Test("A point of one curve is no key of another")
    func otherCurve() throws {
        let (x, y) = try Self.point(.p256)
        #expect(throws: CryptographyError.self) { try VerifyingKey.ec(.secp256k1, x: x, y: y) }
    }

    @Test("Infinity and compressed points are refused in a SubjectPublicKeyInfo")
    func pointForms() throws {
        let (x, y) = try Self.point(.p256)
        let compressed = [2 + (y.last ?? 0) % 2] + x
        for point in [[0], compressed, [4], [4] + x, [6 + (y.last ?? 0) % 2] + x + y, [4] + x + y + [0], []] {
            var writer = DERWriter()
            try writer.sequence { (info) throws(CryptographyError) in
                try info.sequence { (algorithm) throws(CryptographyError) in
                    try algorithm.objectIdentifier("1.2.840.10045.2.1")
                    try algorithm.objectIdentifier("1.2.840.10045.3.1.7")
                }
                info.bitString(point)
            }
            #expect(throws: CryptographyError.self) { try VerifyingKey(subjectPublicKeyInfo: writer.bytes) }
        }
    }

    @Test("Ed25519 keys have 32 bytes, Ed448 keys 57")
    func edwardsLengths() throws {
        for count in [0, 31, 33, 64] {
            #expect(throws: CryptographyError.invalidKey("ED25519 key of \(count) bytes instead of 32")) {
                try VerifyingKey.ed25519(Array(repeating: 1, count: count))
            }
        }
        for count in [0, 56, 58] {
            #expect(throws: CryptographyError.invalidKey("ED448 key of \(count) bytes instead of 57")) {
                try VerifyingKey.ed448(Array(repeating: 1, count: count))
            }
        }
    }

    @Test("An RSA key has 2048 to 8192 bits")
    func modulusLength() throws {
        func modulus(bits: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0xff, count: (bits + 7) / 8)
            bytes[0] = 0xff >> UInt8((8 - bits % 8) % 8)
            return bytes
        }
        for bits in [2048, 2049, 3072, 4096, 8192] {
            let key = try VerifyingKey.rsa(modulus: modulus(bits: bits), exponent: [1, 0, 1])
            #expect(try VerifyingKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo) == key)
        }
        for bits in [8, 512, 1024, 2047, 8193, 16384, 65536] {
            #expect(throws: CryptographyError.invalidKey("RSA modulus of \(bits) bits")) {
                try VerifyingKey.rsa(modulus: modulus(bits: bits), exponent: [1, 0, 1])
            }
        }
    }

    @Test("An RSA modulus is odd and has no leading zeros")
    func modulusForm() throws {
        let odd = [UInt8](repeating: 0xff, count: 256)
        for modulus in [[0] + odd, odd.dropLast() + [0xfe], []] {
            #expect(throws: CryptographyError.self) { try VerifyingKey.rsa(modulus: modulus, exponent: [1, 0, 1]) }
        }
    }

    @Test("An RSA exponent is odd, at least 3, short and has no leading zeros")
    func exponents() throws {
        let modulus = [UInt8](repeating: 0xff, count: 256)
        for exponent: [UInt8] in [[3], [17], [1, 0, 1], Array(repeating: 0xff, count: 4)] {
            _ = try VerifyingKey.rsa(modulus: modulus, exponent: exponent)
        }
        for exponent: [UInt8] in [
            [], [0], [1], [2], [0, 3], [0, 1, 0, 1], [1, 0, 0], Array(repeating: 0xff, count: 5),
        ] {
            #expect(throws: CryptographyError.self) { try VerifyingKey.rsa(modulus: modulus, exponent: exponent) }
        }
    }

    @Test("A SubjectPublicKeyInfo that was cut is refused, one with a flipped bit never traps", arguments: Key.all)
    func spoiltInfo(_ kind: Key) throws {
        let info = try kind.make().publicKey.subjectPublicKeyInfo
        for cut in info.truncations {
            #expect(throws: CryptographyError.self) { try VerifyingKey(subjectPublicKeyInfo: cut) }
        }
        #expect(throws: CryptographyError.self) { try VerifyingKey(subjectPublicKeyInfo: info + [0]) }
        for spoilt in info.flips {
            guard let key = try? VerifyingKey(subjectPublicKeyInfo: spoilt) else { continue }
            #expect(key.subjectPublicKeyInfo == spoilt)
        }
        #expect(try VerifyingKey(subjectPublicKeyInfo: info.shifted).subjectPublicKeyInfo == info)
    }
}

extension EllipticCurve {
    var kind: SigningKey.Kind {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .secp256k1: .secp256k1
        }
    }
}

/// The kinds of keys, with the algorithms they fit. RSA keys are made once, since that takes long.
enum Key: Sendable, CaseIterable {
    case p256, p384, p521, secp256k1, ed25519, ed448, rsa, mlDSA44, mlDSA65, mlDSA87

    static let all = allCases
    private static let sharedRSA = Result { () throws(CryptographyError) in try SigningKey.generate(.rsa(bits: 2048)) }

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

    var isLattice: Bool { self == .mlDSA44 || self == .mlDSA65 || self == .mlDSA87 }

    var algorithms: Set<SignatureAlgorithm> {
        switch self {
        case .p256: [.es256]
        case .p384: [.es384]
        case .p521: [.es512]
        case .secp256k1: [.es256k]
        case .ed25519: [.ed25519]
        case .ed448: [.ed448]
        case .rsa: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .rs1]
        case .mlDSA44: [.mlDSA44]
        case .mlDSA65: [.mlDSA65]
        case .mlDSA87: [.mlDSA87]
        }
    }
}
