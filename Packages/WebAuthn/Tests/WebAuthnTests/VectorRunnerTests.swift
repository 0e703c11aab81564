import Encodings
import Testing
import WebAuthn

@Suite("The vector runner")
struct VectorRunnerTests {
    private func answer(_ line: String) throws -> JSONObject {
        try #require(try JSON.parse(VectorRunner().answer(line: Array(line.utf8)[...])).object)
    }

    @Test("It says hello with its operations and what it can")
    func hello() throws {
        let hello = try answer(#"{"id":"hello","op":"hello"}"#)
        #expect(hello["id"]?.string == "hello")
        #expect(hello["protocol"]?.integer == 1)
        let capabilities = try #require(hello["capabilities"]?.array).compactMap(\.string)
        for capability in [
            "fmt:none", "fmt:packed", "fmt:tpm", "fmt:android-key", "fmt:android-safetynet", "fmt:apple",
            "fmt:fido-u2f", "fmt:compound", "alg:-7", "alg:-8", "alg:-257", "attAlg:-7", "attAlg:-65535",
        ] {
            #expect(capabilities.contains(capability))
        }
        // RS1 signs statements of TPMs, and no credential's key may be for it.
        #expect(!capabilities.contains("alg:-65535"))
        #expect(try #require(hello["ops"]?.array).compactMap(\.string).contains("ceremony"))
    }

    @Test(
        "A malformed line is answered by a reject on one line",
        arguments: [
            "", "{", "[]", "null", "\"\"", "{}", #"{"id":1}"#, #"{"id":1,"op":2}"#, #"{"id":1,"op":"none"}"#,
            #"{"id":1,"op":"registration"}"#, #"{"id":1,"op":"registration","input":[]}"#,
            #"{"id":1,"op":"registration","input":{}}"#, #"{"id":1,"op":"cbor","input":{"hex":"0"}}"#,
            #"{"id":1,"op":"cbor","input":{"hex":7}}"#, #"{"id":1,"op":"jws","input":{"jws":"a","keys":[1]}}"#,
            #"{"id":1,"op":"cbor","input":{"hex":"00"},"requires":{}}"#, "\u{0}", "{\"id\":\"\u{7f}\"}",
        ]
    )
    func malformed(_ line: String) throws {
        let bytes = VectorRunner().answer(line: Array(line.utf8)[...])
        #expect(!bytes.contains(UInt8(ascii: "\n")))
        #expect(try JSON.parse(bytes).object?["verdict"]?.string == "reject")
    }

    @Test("A line over 1 MB is answered by a reject")
    func tooLong() throws {
        let line = [UInt8](repeating: UInt8(ascii: " "), count: VectorRunner.maximumLineLength + 1)
        #expect(try JSON.parse(VectorRunner().answer(line: line[...])).object?["verdict"]?.string == "reject")
    }

    @Test("What it was not built for is unsupported, and only when it is required")
    func unsupported() throws {
        let required = try answer(#"{"id":1,"op":"cbor","input":{"hex":"00"},"requires":["fmt:ecdaa"]}"#)
        #expect(required["verdict"]?.string == "unsupported")
        let notRequired = try answer(#"{"id":1,"op":"cbor","input":{"hex":"00"},"requires":[]}"#)
        #expect(notRequired["ctap2Canonical"]?.bool == true)
    }
}

@Suite("Vectors of keys, signatures and encodings", .enabled(if: SharedVectors.areThere, SharedVectors.skipped))
struct PrimitiveVectorTests {
    @Test(
        "Every case is answered as it says",
        arguments: ["base64url", "cose-keys", "cose-sign", "jose-jws", "jose-thumbprint", "webauthn-prf"]
    )
    func answers(_ file: String) throws {
        for vector in try SharedVectors.cases(file) {
            let id = try vector.text("id")
            let answer = try VectorRunner().answer(
                try vector.text("operation"),
                id,
                try vector.object("input"),
                requires: vector["requires"]
            )
            let expected = try vector.object("expected")
            let verdict = try answer.text("verdict")
            guard verdict != "unsupported" else {
                #expect(vector["requires"]?.array?.contains("json") == true, "\(id)")
                continue
            }
            switch try expected.text("verdict") {
            case "either": #expect(["accept", "reject"].contains(verdict), "\(id)")
            case "match": #expect(verdict == "accept", "\(id)")
            case let wanted: #expect(verdict == wanted, "\(id): \(answer)")
            }
            guard verdict == "accept" else { continue }
            for name in ["alg", "spki", "payload", "sha256", "hex", "salt1", "salt2"] {
                guard let value = expected[name], !value.isNull else { continue }
                #expect(answer[name] == value, "\(id): \(name)")
            }
        }
    }

    /// The files disagree about simple values without a meaning, which are taken for not canonical here.
    private static let unassignedSimpleValues: Set<String> = ["rfc8949-044", "rfc8949-046"]

    @Test("Every CBOR case is inspected as it says", arguments: ["cbor-ctap2", "cbor-rfc8949-appendix-a"])
    func inspections(_ file: String) throws {
        for vector in try SharedVectors.cases(file) {
            let id = try vector.text("id")
            let answer = try VectorRunner().answer("cbor", id, ["hex": .string(try vector.text("hex"))])
            let expected = try vector.object("expected")
            for name in ["wellFormed", "valid", "ctap2Canonical"] {
                if name == "ctap2Canonical", Self.unassignedSimpleValues.contains(id) { continue }
                #expect(answer[name] == expected[name], "\(id): \(name)")
            }
        }
    }

    @Test(
        "Every signature is judged as it says, by either form of its key",
        arguments: [
            "sig-ed25519", "sig-ed448", "sig-es256-der", "sig-es256-p1363", "sig-es384-der", "sig-es384-p1363",
            "sig-es512-der", "sig-es512-p1363", "sig-rs256-2048", "sig-rs256-3072",
        ]
    )
    func signatures(_ file: String) throws {
        let document = try SharedVectors.file(file)
        let keys = try document.object("keys")
        let algorithm = try #require(
            document["algorithm"]?.string.flatMap { Int64($0) } ?? document["algorithm"]?.integer
        )
        for vector in try SharedVectors.cases(file) {
            let id = try vector.text("id")
            let key = try keys.object(try vector.text("key"))
            let answer = try VectorRunner().answer(
                "signature",
                id,
                [
                    "alg": .integer(algorithm),
                    "form": .string(try document.text("signatureForm")),
                    "cose": key["cose"] ?? .null,
                    "spki": key["spki"] ?? .null,
                    "message": .string(try vector.text("message")),
                    "signature": .string(try vector.text("signature")),
                ]
            )
            let wanted = try vector.object("expected").text("verdict")
            #expect(wanted == "either" || answer["verdict"]?.string == wanted, "\(id): \(answer)")
        }
    }
}
