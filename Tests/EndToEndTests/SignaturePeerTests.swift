import Cryptography
import Encodings
import Foundation
import Programs
import Testing

/// Signatures and keys of every algorithm, from here to another implementation and back.
@Suite("Peers: signatures")
struct SignaturePeerTests {
    private static let kinds: [(SigningKey.Kind, [SignatureAlgorithm])] = [
        (.p256, [.es256]), (.p384, [.es384]), (.p521, [.es512]), (.secp256k1, [.es256k]), (.ed25519, [.ed25519]),
        (.ed448, [.ed448]), (.rsa(bits: 2048), [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]),
        (.mlDSA(.mlDSA44), [.mlDSA44]), (.mlDSA(.mlDSA65), [.mlDSA65]), (.mlDSA(.mlDSA87), [.mlDSA87]),
    ]

    @Test(
        "PyPI's cryptography verifies what is signed here, and the other way round",
        .enabled(if: Paths.hasPeers, "\(Paths.noPeers)")
    )
    func bothWays() async throws {
        let folder = try TemporaryFolder()
        let theirs = folder.file("theirs.json")
        let ours = folder.file("ours.json")

        var cases: [JSONValue] = []
        for (kind, algorithms) in Self.kinds {
            let key = try SigningKey.generate(kind)
            for algorithm in algorithms {
                let message = Random.bytes(97)
                cases.append([
                    "algorithm": .string(algorithm.rawValue), "message": .string(Hex.encode(message)),
                    "signature": .string(Hex.encode(try key.sign(message, algorithm))),
                    "spki": .string(Hex.encode(key.publicKey.subjectPublicKeyInfo)),
                ])
            }
        }
        try Data(JSONValue.array(cases).serialized()).write(to: URL(filePath: theirs))
        let result = try await run(
            Paths.python,
            ["-B", "\(Paths.peers)/signatures.py", theirs, ours],
            environment: [:],
            seconds: 120
        )
        #expect(result.exit == 0 && result.output.contains("ok \(cases.count)"), "\(result)")

        let answers = try #require(try JSON.parse(Array(Data(contentsOf: URL(filePath: ours)))).array)
        #expect(answers.count == cases.count)
        for answer in answers.compactMap(\.object) {
            func bytes(_ name: String) throws -> [UInt8] { try Hex.decode(try #require(answer[name]?.string)) }
            let algorithm = try #require(answer["algorithm"]?.string.flatMap(SignatureAlgorithm.init(rawValue:)))
            let key = try VerifyingKey(subjectPublicKeyInfo: try bytes("spki"))
            let message = try bytes("message")
            #expect(key.isValid(try bytes("signature"), over: message, algorithm), "\(algorithm)")
            #expect(!key.isValid(try bytes("signature"), over: message + [0], algorithm), "\(algorithm)")
            // libcrypto 3.0 reads the others' PKCS#8; that of ML-DSA is read here.
            #expect(try SigningKey(pkcs8: try bytes("pkcs8")).publicKey == key, "\(algorithm)")
        }
    }
}
