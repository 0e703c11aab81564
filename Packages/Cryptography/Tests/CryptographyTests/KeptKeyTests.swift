@testable import Cryptography
import Testing

@Suite("Keys for RSA and EdDSA that are kept for a while")
struct KeptKeyTests {
    private static let message: [UInt8] = [1, 2, 3]

    @Test("More keys than are kept verify their own signatures and no others, again and again")
    func many() throws {
        let keys = try (0..<KeptKeys.maximum + 40).map { _ in try SigningKey.generate(.ed25519) }
        let signatures = try keys.map { try $0.sign(Self.message, .ed25519) }
        for _ in 0..<2 {
            for (index, key) in keys.enumerated() {
                let again = try VerifyingKey(key.publicKey.components)
                #expect(again.isValid(signatures[index], over: Self.message, .ed25519))
                #expect(!again.isValid(signatures[(index + 1) % keys.count], over: Self.message, .ed25519))
            }
        }
    }

    @Test("A key outlives its place among those that are kept")
    func outlives() throws {
        let signer = try Key.rsa.make()
        let signature = try signer.sign(Self.message, .rs256)
        let key = try VerifyingKey(signer.publicKey.components)
        for _ in 0...KeptKeys.maximum { _ = try VerifyingKey.ed25519(SigningKey.generate(.ed25519).rawEd25519) }
        #expect(key.isValid(signature, over: Self.message, .rs256))
        #expect(try VerifyingKey(signer.publicKey.components).isValid(signature, over: Self.message, .rs256))
    }

    @Test("Numbers that are refused are refused each time, also beside a key that is kept")
    func refused() throws {
        guard case .rsa(let modulus, let exponent) = try Key.rsa.make().publicKey.components else {
            Issue.record("no RSA key")
            return
        }
        for _ in 0..<3 {
            _ = try VerifyingKey.rsa(modulus: modulus, exponent: exponent)
            #expect(throws: CryptographyError.self) { try VerifyingKey.rsa(modulus: modulus, exponent: [1]) }
            #expect(throws: CryptographyError.self) { try VerifyingKey.rsa(modulus: [0] + modulus, exponent: exponent) }
            #expect(throws: CryptographyError.self) { try VerifyingKey.ed25519(Array(modulus.prefix(31))) }
        }
    }

    @Test("The same numbers are not a key for another algorithm")
    func kinds() throws {
        let raw = try SigningKey.generate(.ed448).publicKey
        guard case .ed448(let bytes) = raw.components else {
            Issue.record("no Ed448 key")
            return
        }
        #expect(throws: CryptographyError.self) { try VerifyingKey.ed25519(bytes) }
        #expect(try VerifyingKey.ed448(bytes) == raw)
    }

    @Test("Many at once, from many tasks, stay apart")
    func concurrent() async throws {
        let keys = try (0..<8).map { _ in try SigningKey.generate(.ed25519) }
        let signatures = try keys.map { try $0.sign(Self.message, .ed25519) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<64 {
                group.addTask {
                    let own = task % keys.count
                    let key = try VerifyingKey(keys[own].publicKey.components)
                    // Other keys push this one out meanwhile.
                    for _ in 0..<8 { _ = try VerifyingKey(SigningKey.generate(.ed25519).publicKey.components) }
                    return (0..<keys.count).allSatisfy { other in
                        key.isValid(signatures[other], over: Self.message, .ed25519) == (other == own)
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}

extension SigningKey {
    fileprivate var rawEd25519: [UInt8] {
        if case .ed25519(let raw) = publicKey.components { raw } else { [] }
    }
}
