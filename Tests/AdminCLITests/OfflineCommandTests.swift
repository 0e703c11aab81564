import COSE
import Cryptography
import Encodings
import SoftwareAuthenticator
import Terminal
import Testing
import WebAuthn

@testable import AdminCLI

@Suite("latchkey-admin: vectors and decode, without a store")
struct OfflineCommandTests {
    @Test("Lines come whole, however they are cut")
    func splitter() {
        let text = Array("one\n\ntwo\nthree".utf8)
        for size in 1...text.count {
            var splitter = LineSplitter(limit: 100)
            var lines: [[UInt8]] = []
            for start in stride(from: 0, to: text.count, by: size) {
                lines += splitter.add(Array(text[start..<min(start + size, text.count)]))
            }
            if let last = splitter.end() { lines.append(last) }
            #expect(lines == ["one", "", "two", "three"].map { Array($0.utf8) })
            #expect(splitter.end() == nil)
        }
    }

    @Test("Of a line that is too long the beginning is kept, and the next one is whole")
    func longLine() {
        var splitter = LineSplitter(limit: 4)
        #expect(splitter.add(Array("abcdefgh".utf8)).isEmpty)
        #expect(splitter.add(Array("ij\nxy\n".utf8)) == [Array("abcd".utf8), Array("xy".utf8)])
    }

    @Test("Every line is answered by one line, also one that is wrong or too long")
    func vectors() async throws {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1_100_000)
        let run = try AdminRun(input: [
            Array(#"{"id":"hello","op":"hello"}"#.utf8) + [10], Array("nonsense\n".utf8), long, [10],
            Array(#"{"id":1,"op":"base64url-decode","input":{"text":"AA"}}"#.utf8),
        ])
        let outcome = await run("vectors")
        #expect(outcome.exit == .done)
        let lines = try outcome.output.split(separator: "\n").map { try JSON.parse(String($0)).object }
        #expect(lines.count == 4)
        #expect(lines.first??["protocol"] == 1)
        #expect(lines[1]?["verdict"] == "reject" && lines[2]?["verdict"] == "reject" && lines[3]?["id"] == 1)
    }

    @Test("--capabilities prints what hello announces")
    func capabilities() async throws {
        let run = try AdminRun()
        #expect(await run("vectors", "--capabilities").output.contains("fmt:packed\n"))
        let object = try await run("vectors", "--capabilities", "-o", "json").json().object
        #expect(object?["capabilities"]?.array?.contains("alg:-7") == true)
    }

    private static let clientData = #"{"type":"webauthn.get","challenge":"AA","origin":"https://a.example"}"#
    private static let noneAttestation =
        "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVgl"
        + Base64URL.encode([UInt8](repeating: 1, count: 32) + [1, 0, 0, 0, 5])

    @Test("What is pasted is known by its form")
    func decodes() async throws {
        let run = try AdminRun()
        let jwt = [#"{"alg":"RS256"}"#, #"{"sub":"a","iat":0}"#, "sig"].map { Base64URL.encode(Array($0.utf8)) }
        let cases: [(String, String)] = [
            (jwt.joined(separator: "."), "jwt"), (Self.clientData, "client-data"),
            (Base64URL.encode(Array(Self.clientData.utf8)), "client-data"),
            (Base64.encode(Array(Self.clientData.utf8)), "client-data"),
            (Hex.encode(Array(Self.clientData.utf8)), "client-data"), (Self.noneAttestation, "attestation-object"),
            (Base64URL.encode([UInt8](repeating: 0x31, count: 32) + [5, 0, 0, 0, 9]), "authenticator-data"),
            ("a1 61 61 01", "key"),
        ]
        for (text, part) in cases {
            let outcome = await run("decode", "--", text)
            #expect(outcome.output.contains(part), "\(text): \(outcome.errors)")
            let fromInput = await run("decode", "-o", "json", input: text + "\n")
            #expect(try fromInput.json().object?["part"] == .string(part))
        }
    }

    @Test("A certificate, in PEM too, and a metadata entry are taken apart, each field with its clause")
    func certificatesAndEntries() async throws {
        let run = try AdminRun()
        let maker = try AttestationAuthority(aaguid: .zero, validAt: 1_800_000_000)
        for text in [maker.certificate.pem, Base64.encode(maker.certificate.der), Hex.encode(maker.certificate.der)] {
            let object = try #require(try await run("decode", "-o", "json", input: text).json().object)
            #expect(object["part"] == "certificate", "\(text)")
            #expect(object["value"]?.object?["isCA"] == false && object["value"]?.object?["version"] == 3)
            #expect(object["clauses"]?.object?["subject"]?.string?.contains("8.2.1") == true)
        }
        let entry = MetadataAuthority.entry(for: .zero, name: "Model", roots: [maker.root])
        let text = String(decoding: entry.serialized(), as: UTF8.self)
        let object = try #require(try await run("decode", "-o", "json", input: text).json().object)
        #expect(object["part"] == "mds-entry")
        let roots = object["value"]?.object?["metadataStatement"]?.object?["attestationRootCertificates"]?.array
        #expect(roots?.first?.object?["isCA"] == true)
        #expect(object["clauses"]?.object?["statusReports"]?.string?.contains("MDS3") == true)
    }

    @Test("A whole credential is taken apart")
    func credential() async throws {
        let run = try AdminRun()
        let credential: JSONValue = [
            "id": "AA",
            "response": [
                "clientDataJSON": .string(Base64URL.encode(Array(Self.clientData.utf8))),
                "attestationObject": .string(Self.noneAttestation), "userHandle": "AAEC",
            ],
        ]
        let text = String(decoding: credential.serialized(), as: UTF8.self)
        let object = try await run("decode", "-o", "json", text).json().object
        #expect(object?["part"] == "credential" && object?["userHandle"] == "AAEC")
        #expect(object?["attestationObject"]?.object?["fmt"] == "none")
        #expect(object?["clientDataJSON"]?.object?["clientData"]?.object?["origin"] == "https://a.example")
    }

    @Test("What can be one thing alone and is broken is refused with its fault")
    func broken() async throws {
        let run = try AdminRun()
        let cut = String(Self.noneAttestation.dropLast(20))
        let credential: JSONValue = [
            "id": "AA", "type": "webauthn.create", "challenge": "AA", "origin": "https://a.example",
            "response": [
                "clientDataJSON": .string(Base64URL.encode(Array(Self.clientData.utf8))),
                "attestationObject": .string(cut),
            ],
        ]
        for (text, fault) in [
            (String(decoding: credential.serialized(), as: UTF8.self), "attestationObject is malformed"),
            (#"{"response":{}}"#, "none of the parts"), ("e30.W10.", "the JWT's claims"),
        ] {
            let outcome = await run("decode", input: text)
            #expect(outcome.exit != .done && outcome.output.isEmpty, "\(text): \(outcome.output)")
            #expect(outcome.errors.contains(fault), "\(text): \(outcome.errors)")
        }
    }

    @Test("A registration of each format is explained, with the outcome of each check and its clause")
    func attestations() async throws {
        let run = try AdminRun()
        let maker = try AttestationAuthority(aaguid: .zero, validAt: 1_800_000_000)
        let makes: [(AuthenticatorProfile.Attestation, String)] = [
            (.none, "§8.7: the statement is empty"), (.packedSelf, "§8.2 step 3: sig is the credential key's"),
            (.packed(maker), "§8.2 step 2: sig is the attestation key's"),
            (.tpm(maker, try SoftwareTPM(algorithm: .rs256)), "§8.3: extraData is of this ceremony"),
            (.androidKey(maker, enforcedBy: .hardware), "§8.4: attestationChallenge is of this ceremony"),
            (
                .androidSafetyNet(maker, try SafetyNetService(answeringAt: 1_800_000_000)),
                "§8.5: nonce is of this ceremony"
            ), (.apple(maker), "§8.8 step 4: the nonce is of this ceremony"),
            (.fidoU2F(maker), "§8.6 step 6: sig is the attestation key's"),
            (.compound([.packed(maker), .apple(maker)]), "§8.8 step 4: attStmt[1], the nonce is of this ceremony"),
        ]
        let options: JSONObject = [
            "challenge": "AAAAAAAAAAAAAAAAAAAAAA", "rp": ["id": "a.example", "name": "A"],
            "user": ["id": "AA", "name": "a", "displayName": "a"], "attestation": "direct",
            "pubKeyCredParams": [["type": "public-key", "alg": -7]],
        ]
        for (attestation, check) in makes {
            var authenticator = Authenticator(AuthenticatorProfile(algorithms: [.es256], attestation: attestation))
            let response = try authenticator.create(options, origin: "https://a.example")
            let text = String(decoding: JSONValue.object(response).serialized(), as: UTF8.self)
            let object = try #require(try await run("decode", "-o", "json", input: text).json().object)
            #expect(object["part"] == "credential")
            #expect(object["checks"]?.object?[check] == "holds", "\(object["checks"] ?? .null)")
            // As a table too, and alone.
            #expect(await run("decode", input: text).output.contains(check))
            let alone = try #require(response["response"]?.object?["attestationObject"]?.string)
            let part = try #require(try await run("decode", "-o", "json", input: alone).json().object)
            #expect(part["part"] == "attestation-object")
            #expect(part["clauses"]?.object?["attStmt"]?.string?.contains("§8") == true)
            let needs = part["checks"]?.object?[check]?.string
            #expect(needs == "holds" || needs?.contains("client data") == true)
        }
    }

    @Test("A key and extension outputs are explained")
    func keys() async throws {
        let run = try AdminRun()
        let good = try COSEKey(SigningKey.generate(.p256).publicKey).encoded()
        let check = "RFC 9052 §7, RFC 9053 §7: it is a good key for its algorithm"
        let key = try #require(try await run("decode", "-o", "json", Hex.encode(good)).json().object)
        #expect(key["part"] == "key" && key["checks"]?.object?[check] == "holds")
        var bad = good
        bad[bad.count - 1] ^= 1
        let wrong = try #require(try await run("decode", "-o", "json", Hex.encode(bad)).json().object)
        #expect(wrong["checks"]?.object?[check]?.string?.hasPrefix("fails: ") == true)

        // {"credProtect": 2, "x": 1}
        let extensions: [UInt8] = [0xa2, 0x61, 0x78, 0x01, 0x6b] + Array("credProtect".utf8) + [0x02]
        let data = [UInt8](repeating: 0x31, count: 32) + [0x81, 0, 0, 0, 1] + extensions
        let text = Base64URL.encode(data)
        let object = try #require(
            try await run("decode", "--as", "authenticator-data", "-o", "json", text).json().object
        )
        let meanings = object["value"]?.object?["extensionMeanings"]?.object
        #expect(meanings?["credProtect"]?.string?.contains("level 2") == true)
        #expect(meanings?["x"]?.string?.contains("not known") == true)
    }

    @Test("What cannot be read is wrong use, with the place when it was said what it is")
    func refuses() async throws {
        let run = try AdminRun()
        #expect(await run("decode", "%%%").exit == .wrongUse)
        let outcome = await run("decode", "--as", "attestation-object", "AAAA")
        #expect(outcome.exit == .wrongUse && outcome.errors.contains("cannot be read"))
    }

    @Test("Whatever is pasted, nothing traps")
    func survives() {
        let whole = Array(Self.noneAttestation)
        for length in 0...whole.count {
            for part in [nil] + PastedPart.allCases.map(Optional.some) {
                _ = try? Paste(String(whole[..<length])).decoded(as: part)
            }
        }
    }
}
