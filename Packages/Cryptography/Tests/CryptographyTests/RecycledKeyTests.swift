import Cryptography
import Testing

@Suite("Keys on P-256 are used again with other points")
struct RecycledKeyTests {
    private static let message: [UInt8] = [1, 2, 3]

    @Test("A key is never the one that was let go before it")
    func apart() throws {
        let one = try SigningKey.generate(.p256)
        let other = try SigningKey.generate(.p256)
        let signature = try one.sign(Self.message, .es256)
        for _ in 0..<200 {
            #expect(try VerifyingKey(one.publicKey.components).isValid(signature, over: Self.message, .es256))
            #expect(try !VerifyingKey(other.publicKey.components).isValid(signature, over: Self.message, .es256))
        }
    }

    @Test("A point off the curve is refused, and leaves nothing of the key before it")
    func offCurve() throws {
        let key = try SigningKey.generate(.p256)
        let signature = try key.sign(Self.message, .es256)
        guard case .ec(let curve, let x, let y) = key.publicKey.components else {
            Issue.record("no EC key")
            return
        }
        var wrong = y
        wrong[31] ^= 1
        for _ in 0..<100 {
            _ = try VerifyingKey(key.publicKey.components)
            #expect(throws: CryptographyError.self) { try VerifyingKey(.ec(curve, x: x, y: wrong)) }
            #expect(try VerifyingKey(key.publicKey.components).isValid(signature, over: Self.message, .es256))
        }
    }

    @Test("Many at once, from many tasks, stay apart")
    func concurrent() async throws {
        let keys = try (0..<8).map { _ in try SigningKey.generate(.p256) }
        let signatures = try keys.map { try $0.sign(Self.message, .es256) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    try (0..<200).allSatisfy { round in
                        let chosen = (task + round) % 8
                        let held = try (0..<12).map { try VerifyingKey(keys[($0 + chosen) % 8].publicKey.components) }
                        return held.enumerated().allSatisfy { index, key in
                            key.isValid(signatures[chosen], over: Self.message, .es256) == (index % 8 == 0)
                        }
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
