import COSE
import Testing

@Suite("COSE: the published vectors", .enabled(if: Vectors.folder != nil, Vectors.skipped))
struct COSEVectorTests {
    /// Where the vectors leave it to policy, this is ours.
    private static let policy: [String: Bool] = [
        "cosekey-bad-alg-esp256": true,
        "cosekey-bad-rsa-leading-zero": false,
        "cosekey-bad-order": true,
        "cosekey-bad-nonminimal": true,
        "cosekey-bad-private": false,
    ]

    @Test("Every key has its verdict, its algorithm and its SubjectPublicKeyInfo")
    func keys() throws {
        let file = try Vectors.decode("cose-keys.json", as: KeyFile.self)
        try #require(!file.cases.isEmpty)
        for vector in file.cases {
            try #require(vector.operation == "cose-key", "\(vector.id)")
            let bytes = try hex(vector.key)
            let key = try? COSEKey(decoding: bytes)
            switch vector.verdict {
            case "accept": #expect(key != nil, "\(vector.id)")
            case "reject": #expect(key == nil, "\(vector.id)")
            case "either":
                let isAccepted = try #require(Self.policy[vector.id] as Bool?, "\(vector.id)")
                #expect((key != nil) == isAccepted, "\(vector.id)")
            default: Issue.record("an unknown verdict in \(vector.id)")
            }
            guard let key else { continue }
            #expect(key.encoded() == bytes, "\(vector.id)")
            if let algorithm = vector.algorithm { #expect(key.algorithm.rawValue == algorithm, "\(vector.id)") }
            guard let spki = vector.spki else { continue }
            let info = try hex(spki)
            #expect(key.subjectPublicKeyInfo == info, "\(vector.id)")
            let again = try COSEKey(subjectPublicKeyInfo: info[...], algorithm: key.algorithm)
            #expect(again.verifyingKey == key.verifyingKey, "\(vector.id)")
            // The published keys are canonical and have no other members, but for the ones made to be odd.
            if !vector.id.contains("-bad-"), vector.id != "cosekey-es256-kid" {
                #expect(again.encoded() == bytes, "\(vector.id)")
            }
        }
    }

    @Test("Every message has its verdict and its Sig_structure")
    func messages() throws {
        let file = try Vectors.decode("cose-sign.json", as: MessageFile.self)
        try #require(!file.cases.isEmpty)
        for vector in file.cases {
            try #require(vector.operation == "cose-verify", "\(vector.id)")
            let key = try COSEKey(decoding: try hex(vector.input.key))
            let message = try hex(vector.input.message)
            let externalAAD = try hex(vector.input.externalAAD)
            var toBeSigned: [UInt8]?
            let result = Result { () throws(COSEError) in
                switch vector.input.structure {
                case "COSE_Sign1":
                    let message = try COSESign1(decoding: message[...])
                    toBeSigned = try message.toBeSigned(externalAAD: externalAAD)
                    try message.verify(with: key, externalAAD: externalAAD)
                case "COSE_Sign":
                    let message = try COSESign(decoding: message[...])
                    guard let first = message.signatures.first else { throw .malformedMessage("signatures") }
                    toBeSigned = try message.toBeSigned(by: first, externalAAD: externalAAD)
                    try message.verify(first, with: key, externalAAD: externalAAD)
                case let other:
                    Issue.record("an unknown structure \(other) in \(vector.id)")
                }
            }
            switch (vector.verdict, result) {
            case ("accept", .success):
                if let expected = vector.input.toBeSigned {
                    let bytes = try hex(expected)
                    #expect(toBeSigned == bytes, "\(vector.id)")
                }
            case ("reject", .failure): break
            case ("accept", .failure(let error)): Issue.record("\(vector.id): \(error)")
            case ("reject", .success): Issue.record("\(vector.id) was accepted")
            default: Issue.record("an unknown verdict in \(vector.id)")
            }
        }
    }
}
