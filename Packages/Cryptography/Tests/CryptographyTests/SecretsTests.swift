import Cryptography
import Testing

@Suite("Random bytes and secrets")
struct SecretsTests {
    @Test("As many bytes as asked for, and others each time", arguments: [1, 16, 32, 256, 257, 100_000])
    func random(_ count: Int) {
        let bytes = Random.bytes(count)
        #expect(bytes.count == count)
        #expect(count < 16 || bytes != Random.bytes(count))
    }

    @Test("No bytes for a count of zero or less")
    func noBytes() {
        #expect(Random.bytes(0).isEmpty)
        #expect(Random.bytes(-1).isEmpty)
    }

    @Test("Each value of a byte comes up about as often as another")
    func distribution() {
        var counts = [Int](repeating: 0, count: 256)
        for byte in Random.bytes(256 * 1000) { counts[Int(byte)] += 1 }
        // A thousand expected, with a deviation of 32: nine deviations to either side.
        #expect(counts.allSatisfy { (700...1300).contains($0) })
    }

    @Test("The comparison in constant time says what == says")
    func comparison() {
        let bytes = Array("0123456789".utf8)
        #expect(constantTimeEqual(bytes, bytes))
        #expect(constantTimeEqual(bytes.shifted, bytes[...]))
        #expect(constantTimeEqual([], []))
        #expect(!constantTimeEqual(bytes, []))
        for spoilt in bytes.flips { #expect(!constantTimeEqual(spoilt, bytes)) }
        for cut in bytes.truncations { #expect(!constantTimeEqual(cut, bytes[...])) }
    }

    @Test("An erased secret is empty")
    func erasing() {
        var secret = Array("secret".utf8)
        erase(&secret)
        #expect(secret.isEmpty)
        erase(&secret)
        #expect(secret.isEmpty)
    }

    @Test("Secret bytes are lent")
    func lending() {
        let secret = SecretBytes(Array("secret".utf8))
        #expect(secret.count == 6)
        #expect(secret.withBytes { Array($0) } == Array("secret".utf8))
        let random = SecretBytes(random: 32)
        #expect(random.count == 32)
        let isEqual = random.withBytes { random in secret.withBytes { constantTimeEqual($0, random) } }
        #expect(!isEqual)
    }
}
