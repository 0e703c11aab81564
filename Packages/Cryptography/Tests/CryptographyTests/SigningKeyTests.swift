import Cryptography
import Testing

@Suite("Private keys: signing, PKCS#8")
struct SigningKeyTests {
    private static let message = Array("a message".utf8)

    @Test("A signature is valid over its message and nothing else", arguments: Key.all)
    func signing(_ kind: Key) throws {
        let key = try kind.make()
        for algorithm in kind.algorithms {
            for form in [SignatureForm.der, .raw] {
                let signature = try key.sign(Self.message, algorithm, form: form)
                #expect(key.publicKey.isValid(signature, over: Self.message, algorithm, form: form))
                #expect(key.publicKey.isValid(signature.shifted, over: Self.message.shifted, algorithm, form: form))
                #expect(!key.publicKey.isValid(signature, over: Self.message + [0], algorithm, form: form))
                #expect(!key.publicKey.isValid(signature, over: [], algorithm, form: form))
                #expect(!key.publicKey.isValid([], over: Self.message, algorithm, form: form))
            }
        }
    }

    @Test("An empty message can be signed", arguments: Key.all)
    func emptyMessage(_ kind: Key) throws {
        let key = try kind.make()
        for algorithm in kind.algorithms {
            #expect(key.publicKey.isValid(try key.sign([], algorithm), over: [], algorithm))
        }
    }

    @Test("A signature that was cut or changed in one bit is not valid", arguments: Key.all)
    func spoiltSignatures(_ kind: Key) throws {
        let key = try kind.make()
        let algorithm = try #require(kind.algorithms.min { $0.rawValue < $1.rawValue })
        for form in [SignatureForm.der, .raw] {
            let signature = try key.sign(Self.message, algorithm, form: form)
            for cut in signature.truncations {
                #expect(!key.publicKey.isValid(cut, over: Self.message[...], algorithm, form: form))
            }
            #expect(!key.publicKey.isValid(signature + [0], over: Self.message, algorithm, form: form))
            // Every bit of a short signature, one bit of each byte of a long one, some of a very long one: they take
            // long to verify.
            let step = signature.count > 1000 ? 517 : signature.count > 80 ? 8 : 1
            let flips = signature.flips.enumerated().filter { $0.offset % step == 0 }.map(\.element)
            for spoilt in flips {
                #expect(!key.publicKey.isValid(spoilt, over: Self.message, algorithm, form: form))
            }
        }
    }

    @Test("A key verifies and signs by no algorithm of another kind", arguments: Key.all)
    func otherAlgorithms(_ kind: Key) throws {
        let key = try kind.make()
        let first = try #require(kind.algorithms.min { $0.rawValue < $1.rawValue })
        let signature = try key.sign(Self.message, first)
        for algorithm in SignatureAlgorithm.allCases where !kind.algorithms.contains(algorithm) {
            #expect(!algorithm.fits(key.publicKey.components))
            #expect(!key.publicKey.isValid(signature, over: Self.message, algorithm))
            #expect(throws: CryptographyError.self) { try key.sign(Self.message, algorithm) }
        }
    }

    @Test("RSA signatures of one padding or hash are none of another")
    func paddings() throws {
        let key = try Key.rsa.make()
        for made in Key.rsa.algorithms {
            let signature = try key.sign(Self.message, made)
            for read in Key.rsa.algorithms where read != made {
                #expect(!key.publicKey.isValid(signature, over: Self.message, read), "\(made) read as \(read)")
            }
        }
    }

    @Test("A raw ECDSA signature has twice the length of a coordinate", arguments: EllipticCurve.allCases)
    func rawLength(_ curve: EllipticCurve) throws {
        let key = try SigningKey.generate(curve.kind)
        let algorithm = try #require(SignatureAlgorithm.allCases.first { $0.curve == curve })
        for _ in 0..<32 {
            let raw = try key.sign(Self.message, algorithm, form: .raw)
            #expect(raw.count == 2 * curve.coordinateByteCount)
            let der = try ECDSASignature.der(fromRaw: raw[...], on: curve)
            #expect(key.publicKey.isValid(der, over: Self.message, algorithm, form: .der))
            #expect(try ECDSASignature.raw(fromDER: der[...], on: curve) == raw)
        }
    }

    @Test("A key comes back from its PKCS#8 form", arguments: Key.all)
    func pkcs8(_ kind: Key) throws {
        let key = try kind.make()
        let der = try key.pkcs8
        let again = try SigningKey(pkcs8: der.shifted)
        #expect(again.publicKey == key.publicKey)
        #expect(try again.pkcs8 == der)
        #expect(try SigningKey(pem: try key.pem).publicKey == key.publicKey)
        #expect(try SigningKey(trustedPKCS8: der).pkcs8 == der)
        let algorithm = try #require(kind.algorithms.first)
        #expect(key.publicKey.isValid(try again.sign(Self.message, algorithm), over: Self.message, algorithm))
    }

    @Test("A PKCS#8 form that was cut or goes on is refused, one with a flipped bit never traps", arguments: Key.all)
    func spoiltPKCS8(_ kind: Key) throws {
        let der = try kind.make().pkcs8
        for cut in der.truncations { #expect(throws: CryptographyError.self) { try SigningKey(pkcs8: cut) } }
        #expect(throws: CryptographyError.self) { try SigningKey(pkcs8: der + [0]) }
        // To check one key takes a millisecond on large curves and many with RSA and ML-DSA: fewer flips, of all bits in
        // turn.
        let step = kind.isLattice ? 29 : der.count < 150 ? 1 : der.count < 300 ? 9 : 513
        for (index, spoilt) in der.flips.enumerated() where index % step == 0 {
            guard let key = try? SigningKey(pkcs8: spoilt), let algorithm = kind.algorithms.first else { continue }
            // Where the flip hit nothing that counts, or made another good key, it still signs for its public key.
            guard algorithm.fits(key.publicKey.components) else { continue }
            #expect(key.publicKey.isValid(try key.sign(Self.message, algorithm), over: Self.message, algorithm))
        }
    }

    @Test("An EC key whose public part is another key's is refused")
    func inconsistentKey() throws {
        let der = try SigningKey.generate(.p256).pkcs8
        let other = try SigningKey.generate(.p256).pkcs8
        // The public point stands at the end.
        let mixed = der.dropLast(64) + other.suffix(64)
        #expect(throws: CryptographyError.self) { try SigningKey(pkcs8: mixed) }
        // Whoever says that the numbers are our own is believed, for the proof is dear; not the form, though.
        #expect(throws: Never.self) { try SigningKey(trustedPKCS8: Array(mixed)) }
        #expect(throws: CryptographyError.self) { try SigningKey(trustedPKCS8: Array(mixed.dropLast())) }
    }

    @Test("An RSA key of a size out of range is not generated", arguments: [0, 512, 1024, 2047, 8193, -1])
    func sizes(_ bits: Int) {
        #expect(throws: CryptographyError.invalidLength(what: "RSA modulus in bits", got: bits)) {
            try SigningKey.generate(.rsa(bits: bits))
        }
    }

    @Test("Many tasks sign with one key at once")
    func concurrency() async throws {
        for kind in [Key.p256, .ed25519, .rsa] {
            let key = try kind.make()
            let algorithm = try #require(kind.algorithms.first)
            let valid = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        let message = Array("message \(number)".utf8)
                        guard let signature = try? key.sign(message, algorithm, form: .raw) else { return false }
                        return key.publicKey.isValid(signature, over: message, algorithm, form: .raw)
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(valid == 64)
        }
    }

    @Test("RFC 8032 §7.1, test 2: Ed25519 signs as published")
    func ed25519KnownAnswer() throws {
        let seed = try hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
        let key = try SigningKey(pkcs8: try hex("302e020100300506032b657004220420") + seed)
        let signature = try hex(
            """
            92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
            085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
            """
        )
        #expect(try key.sign([0x72], .ed25519) == signature)
        let raw = try hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
        #expect(key.publicKey.components == .ed25519(raw))
    }
}

@Suite("The two forms of an ECDSA signature")
struct ECDSASignatureTests {
    @Test("Numbers lose their leading zeros in DER and get them back")
    func padding() throws {
        var raw = [UInt8](repeating: 0, count: 64)
        raw[31] = 0x80
        raw[63] = 1
        let der = try ECDSASignature.der(fromRaw: raw[...], on: .p256)
        #expect(der == [0x30, 7, 2, 2, 0, 0x80, 2, 1, 1])
        #expect(try ECDSASignature.raw(fromDER: der[...], on: .p256) == raw)
    }

    @Test("The longest signature has a length in two bytes")
    func longest() throws {
        let raw = [UInt8](repeating: 0xff, count: 132)
        let der = try ECDSASignature.der(fromRaw: raw[...], on: .p521)
        #expect(Array(der.prefix(3)) == [0x30, 0x81, 138])
        #expect(try ECDSASignature.raw(fromDER: der[...], on: .p521) == raw)
    }

    @Test("A zero is written as one zero byte")
    func zero() throws {
        let der = try ECDSASignature.der(fromRaw: [UInt8](repeating: 0, count: 64)[...], on: .p256)
        #expect(der == [0x30, 6, 2, 1, 0, 2, 1, 0])
    }

    @Test("What is not strict DER, or too long, is refused")
    func refused() throws {
        for der: [UInt8] in [
            [], [0x30], [0x30, 0], [0x30, 3, 2, 1, 1], [0x30, 6, 2, 1, 0x80, 2, 1, 1], [0x30, 7, 2, 2, 0, 1, 2, 1, 1],
            [0x30, 0x81, 6, 2, 1, 1, 2, 1, 1], [0x30, 6, 2, 1, 1, 2, 1, 1, 0], [0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1],
            [0x30, 38, 2, 33, 1] + [UInt8](repeating: 0, count: 32) + [2, 1, 1],
        ] {
            #expect(throws: CryptographyError.self) { try ECDSASignature.raw(fromDER: der[...], on: .p256) }
        }
        #expect(throws: CryptographyError.self) { try ECDSASignature.der(fromRaw: [1, 2], on: .p256) }
    }
}
