import Cryptography
import Testing

@Suite("RFC 7468: textual encodings")
struct PEMTests {
    @Test("DER of any length comes back", arguments: 0...100)
    func roundTrip(_ count: Int) throws {
        let block = PEM(label: "CERTIFICATE", der: Random.bytes(count))
        #expect(try PEM.decode(block.text) == [block])
        #expect(block.text.split(separator: "\n").allSatisfy { $0.count <= 64 })
    }

    @Test("Blocks come in their order; text around them and either line end do not matter")
    func several() throws {
        let one = PEM(label: "CERTIFICATE", der: [1, 2, 3])
        let two = PEM(label: "PRIVATE KEY", der: [4])
        let text =
            "subject: somebody\r\n" + one.text + "\n\n" + two.text.split(separator: "\n").joined(separator: "\r\n")
        #expect(try PEM.decode(text) == [one, two])
        #expect(try PEM.decode("") == [])
    }

    @Test(
        "A block without its end, with another's, inside another, or that is not base64 is refused",
        arguments: [
            "-----BEGIN A-----\nAQID\n", "-----BEGIN A-----\nAQID\n-----END B-----", "-----END A-----",
            "-----BEGIN A-----\n-----BEGIN A-----\n-----END A-----", "-----BEGIN A-----\nAQI\n-----END A-----",
            "-----BEGIN A-----\nAQ=D\n-----END A-----", "-----BEGIN A-----\nAQ-_\n-----END A-----",
            "-----BEGIN A-----\nAR==\n-----END A-----", "-----BEGIN A-----\n====\n-----END A-----",
            "-----BEGIN A-----\nAQIDB===\n-----END A-----", "-----BEGIN A-----\nProc-Type: 4\n\nAQID\n-----END A-----",
        ]
    )
    func refused(_ text: String) {
        #expect(throws: CryptographyError.self) { try PEM.decode(text) }
    }

    @Test("A public key is written under its label")
    func publicKey() throws {
        let key = try SigningKey.generate(.p256).publicKey
        let block = try #require(try PEM.decode(key.pem).first)
        #expect(block.label == "PUBLIC KEY")
        #expect(try VerifyingKey(subjectPublicKeyInfo: block.der) == key)
    }

    @Test("Text without a private key makes none")
    func noPrivateKey() throws {
        let pem = try SigningKey.generate(.p256).publicKey.pem
        #expect(throws: CryptographyError.self) { try SigningKey(pem: pem) }
    }
}
