import CBOR
import COSE
import Cryptography
import Testing

@Suite("RFC 9052 §4: signed messages")
struct COSEMessageTests {
    private static let payload = Array("the payload".utf8)

    @Test("A message of one signature is verified by the signer's key alone", arguments: COSEKeyTests.Kind.allCases)
    func sign1(_ kind: COSEKeyTests.Kind) throws {
        let signer = try kind.make()
        var unprotected = CBORMap()
        unprotected[4] = .bytes([1, 2])
        for algorithm in kind.algorithms {
            let key = try COSEKey(signer.publicKey, algorithm: algorithm)
            let message = try COSESign1(
                signing: Self.payload,
                by: signer,
                algorithm: algorithm,
                headers: COSEHeaders(unprotected: unprotected),
                externalAAD: [9]
            )
            for tagged in [true, false] {
                let again = try COSESign1(decoding: message.encoded(tagged: tagged).shifted)
                #expect(again == message)
                #expect(again.payload == Self.payload)
                #expect(again.headers.algorithm == algorithm)
                #expect(again.headers.keyID == [1, 2])
                try again.verify(with: key, externalAAD: [9])
                #expect(throws: COSEError.invalidSignature) { try again.verify(with: key) }
            }
            let other = try COSEKey(try SigningKey.generate(.p256).publicKey)
            let expected: COSEError = algorithm == .es256 ? .invalidSignature : .algorithmMismatch
            #expect(throws: expected) { try message.verify(with: other, externalAAD: [9]) }
        }
    }

    @Test("A detached payload is given once")
    func detached() throws {
        let signer = try SigningKey.generate(.p256)
        let key = try COSEKey(signer.publicKey)
        let message = try COSESign1(signing: Self.payload, by: signer, algorithm: .es256, isDetached: true)
        let again = try COSESign1(decoding: message.encoded()[...])
        #expect(again.payload == nil)
        try again.verify(with: key, detachedPayload: Self.payload)
        #expect(throws: COSEError.invalidSignature) { try again.verify(with: key, detachedPayload: [1]) }
        #expect(throws: COSEError.detachedPayload) { try again.verify(with: key) }
        let attached = try COSESign1(signing: Self.payload, by: signer, algorithm: .es256)
        #expect(throws: COSEError.detachedPayload) { try attached.verify(with: key, detachedPayload: Self.payload) }
    }

    @Test("Each signer of a message has a signature of their own")
    func sign() throws {
        let one = try SigningKey.generate(.p256)
        let two = try SigningKey.generate(.ed25519)
        var message = try COSESign(signing: Self.payload, by: one, algorithm: .es256)
        try message.addSignature(by: two, algorithm: .edDSA, externalAAD: [7])
        let again = try COSESign(decoding: message.encoded().shifted)
        #expect(again == message)
        try #require(again.signatures.count == 2)
        try again.verify(again.signatures[0], with: try COSEKey(one.publicKey))
        try again.verify(again.signatures[1], with: try COSEKey(two.publicKey), externalAAD: [7])
        #expect(throws: COSEError.algorithmMismatch) {
            try again.verify(again.signatures[1], with: try COSEKey(one.publicKey), externalAAD: [7])
        }
        #expect(throws: COSEError.invalidSignature) {
            try again.verify(again.signatures[0], with: try COSEKey(one.publicKey), externalAAD: [7])
        }
    }

    @Test("A key does not sign by an algorithm of another kind")
    func mismatch() throws {
        let key = try SigningKey.generate(.p384)
        #expect(throws: COSEError.algorithmMismatch) {
            try COSESign1(signing: Self.payload, by: key, algorithm: .es256)
        }
    }

    @Test("The algorithm counts only where the signature covers it")
    func unprotectedAlgorithm() throws {
        let signer = try SigningKey.generate(.p256)
        let body: CBORValue = ["Signature1", .bytes([]), .bytes([]), .bytes(Self.payload)]
        let signature = try signer.sign(CBOR.encode(body), .es256, form: .raw)
        let bytes = CBOR.encode([.bytes([]), [1: -7], .bytes(Self.payload), .bytes(signature)])
        let message = try COSESign1(decoding: bytes[...])
        #expect(throws: COSEError.algorithmMismatch) { try message.verify(with: try COSEKey(signer.publicKey)) }
    }

    @Test("Headers that are in both places, or critical and unknown, are refused")
    func headers() throws {
        func message(_ protected: CBORValue, _ unprotected: CBORValue) -> [UInt8] {
            CBOR.encode([.bytes(CBOR.encode(protected)), unprotected, .bytes([]), .bytes([])])
        }
        _ = try COSESign1(decoding: message([1: -7, 2: [4], 4: .bytes([])], [:])[...])
        #expect(throws: COSEError.malformedMessage("a header that is protected and unprotected")) {
            try COSESign1(decoding: message([1: -7], [1: -7])[...])
        }
        for (protected, unprotected): (CBORValue, CBORValue) in [
            ([1: -7, 2: [99], 99: 1], [:]), ([1: -7, 2: [4]], [4: .bytes([])]), ([1: -7], [2: [1]]),
        ] {
            #expect(throws: COSEError.criticalHeader) {
                try COSESign1(decoding: message(protected, unprotected)[...])
            }
        }
        #expect(throws: COSEError.malformedMessage("crit header")) {
            try COSESign1(decoding: message([1: -7, 2: []], [:])[...])
        }
    }

    @Test("A message with another tag, structure or nothing at all is refused")
    func structures() throws {
        for message: CBORValue in [
            [], [.bytes([]), [:], nil], [.bytes([]), [:], nil, .bytes([]), nil], [[:], [:], nil, .bytes([])],
            [.bytes([]), .bytes([]), nil, .bytes([])], [.bytes([]), [:], 1, .bytes([])], [.bytes([]), [:], nil, nil],
            [:],
            [.bytes([0xff]), [:], nil, .bytes([])], [.bytes([0x80]), [:], nil, .bytes([])],
        ] {
            #expect(throws: COSEError.self) { try COSESign1(decoding: CBOR.encode(message)[...]) }
            #expect(throws: COSEError.self) { try COSESign(decoding: CBOR.encode(message)[...]) }
        }
        let signer = try SigningKey.generate(.p256)
        let one = try COSESign1(signing: [], by: signer, algorithm: .es256).encoded()
        #expect(throws: COSEError.self) { try COSESign(decoding: one[...]) }
        #expect(throws: COSEError.self) { try COSESign1(decoding: [0xd1] + one.dropFirst()) }
        #expect(throws: COSEError.self) { try COSESign1(decoding: [0xd2] + one) }
    }

    @Test("A message that was cut is refused, one with a flipped bit is never valid and never traps")
    func spoilt() throws {
        let signer = try SigningKey.generate(.ed25519)
        let key = try COSEKey(signer.publicKey)
        let bytes = try COSESign1(signing: Self.payload, by: signer, algorithm: .edDSA).encoded()
        for cut in bytes.truncations { #expect(throws: COSEError.self) { try COSESign1(decoding: cut) } }
        for spoilt in bytes.flips {
            guard let message = try? COSESign1(decoding: spoilt[...]) else { continue }
            #expect(throws: COSEError.self) { try message.verify(with: key) }
        }
        let several = try COSESign(signing: Self.payload, by: signer, algorithm: .edDSA).encoded()
        for cut in several.truncations { #expect(throws: COSEError.self) { try COSESign(decoding: cut) } }
        for spoilt in several.flips {
            guard let message = try? COSESign(decoding: spoilt[...]), let first = message.signatures.first else {
                continue
            }
            #expect(throws: COSEError.self) { try message.verify(first, with: key) }
        }
    }
}
