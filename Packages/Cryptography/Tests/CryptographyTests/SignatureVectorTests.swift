import Cryptography
import Testing

@Suite("Verifying signatures: the published vectors", .enabled(if: Vectors.folder != nil, Vectors.skipped))
struct SignatureVectorTests {
    @Test("Every case of every file has its verdict", arguments: Vectors.files(startingWith: "sig-"))
    func verdicts(_ name: String) throws {
        let file = try Vectors.decode(name, as: SignatureFile.self)
        let (algorithm, form) = try #require(Self.algorithm(of: file), "an unknown algorithm or form in \(name)")
        try #require(!file.cases.isEmpty)
        for vector in file.cases {
            try #require(vector.operation == "signature", "\(vector.id)")
            let spki = try hex(#require(file.keys[vector.key], "\(vector.id)").spki)
            let key = try VerifyingKey(subjectPublicKeyInfo: spki)
            #expect(key.subjectPublicKeyInfo == spki)
            let isValid = key.isValid(try hex(vector.signature), over: try hex(vector.message), algorithm, form: form)
            switch vector.verdict {
            case "accept": #expect(isValid, "\(vector.id) \(vector.flags)")
            case "reject": #expect(!isValid, "\(vector.id) \(vector.flags)")
            // A policy: the one here is strict.
            case "either": #expect(!isValid, "\(vector.id) \(vector.flags)")
            default: Issue.record("an unknown verdict in \(vector.id)")
            }
        }
    }

    @Test("A valid signature in the other form is refused", arguments: ["sig-es256-der.json", "sig-es256-p1363.json"])
    func otherForm(_ name: String) throws {
        let file = try Vectors.decode(name, as: SignatureFile.self)
        let (algorithm, form) = try #require(Self.algorithm(of: file))
        for vector in file.cases where vector.verdict == "accept" {
            let key = try VerifyingKey(subjectPublicKeyInfo: try hex(#require(file.keys[vector.key]).spki))
            let other: SignatureForm = form == .der ? .raw : .der
            #expect(!key.isValid(try hex(vector.signature), over: try hex(vector.message), algorithm, form: other))
        }
    }

    private static func algorithm(of file: SignatureFile) -> (SignatureAlgorithm, SignatureForm)? {
        switch (file.algorithm, file.signatureForm) {
        case (-7, "der"): (.es256, .der)
        case (-7, "p1363"): (.es256, .raw)
        case (-35, "der"): (.es384, .der)
        case (-35, "p1363"): (.es384, .raw)
        case (-36, "der"): (.es512, .der)
        case (-36, "p1363"): (.es512, .raw)
        case (-8, "raw 64 bytes"): (.ed25519, .raw)
        case (-8, "raw 114 bytes"): (.ed448, .raw)
        case (-257, "raw"): (.rs256, .raw)
        default: nil
        }
    }
}
