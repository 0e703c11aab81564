import Cryptography
import Encodings
import SoftwareAuthenticator
import Testing
import WebAuthn

@Suite("Decoding attestations for people: fields and checks of every format")
struct DecodingCheckTests {
    /// The attestation object and the client data of a registration with something wrong.
    private func made(
        _ example: AttestationExample,
        fault: Fault? = nil
    ) throws -> (object: [UInt8], clientData: [UInt8]) {
        var parts: (object: [UInt8], clientData: [UInt8])?
        _ = try? example.register(
            fault: fault,
            altering: { response in
                let members = try #require(response["response"]?.object)
                parts = (
                    try Base64URL.decode(try #require(members["attestationObject"]?.string)),
                    try Base64URL.decode(try #require(members["clientDataJSON"]?.string))
                )
            }
        )
        return try #require(parts)
    }

    private func results(_ checks: JSONObject) -> [String] { checks.members.compactMap { $0.value.string } }

    @Test("Of a right attestation every check holds, or says what it needs", arguments: AttestationExample.allCases)
    func right(_ example: AttestationExample) throws {
        let (object, clientData) = try made(example)
        let whole = results(try Decoding.checks(ofAttestationObject: object, clientData: clientData))
        #expect(whole.allSatisfy { $0 == "holds" || $0.hasPrefix("needs ") }, "\(whole)")
        #expect(!whole.contains { $0.contains("client data") })
        let alone = results(try Decoding.checks(ofAttestationObject: object))
        #expect(alone.allSatisfy { $0 == "holds" || $0.hasPrefix("needs ") }, "\(alone)")
        #expect(alone.contains { $0.contains("client data") })
    }

    /// Faults of a format that its verifier refuses.
    static let faults = AttestationFormatTests.faults.filter { $0.1.reason == .attestationInvalid }

    @Test("Of a wrong one a check fails", arguments: faults)
    func wrong(_ example: AttestationExample, _ fault: Fault) throws {
        let (object, clientData) = try made(example, fault: fault)
        let whole = results(try Decoding.checks(ofAttestationObject: object, clientData: clientData))
        // How old an answer is cannot be told without a clock.
        let isOfTime = fault == .safetyNetFromFuture || fault == .safetyNetTooOld
        #expect(whole.contains { $0.hasPrefix("fails: ") } == !isOfTime, "\(whole)")
    }

    @Test("The structures of a TPM are taken apart")
    func tpm() throws {
        for example in [AttestationExample.tpm, .tpmRSA] {
            let tree = try Decoding.attestationObject(try made(example).object)
            let statement = try #require(tree.object?["attStmt"]?.object)
            let info = try #require(statement["certInfo"]?.object)
            #expect(info["magic"] == "ff544347 TPM_GENERATED_VALUE" && info["type"] == "8017 TPM_ST_ATTEST_CERTIFY")
            #expect(info["attested"]?.object?["name"]?.string?.hasPrefix("SHA-256 ") == true)
            let area = try #require(statement["pubArea"]?.object)
            #expect(area["nameAlg"] == "SHA-256" && area["objectAttributes"]?.array?.contains("sign") == true)
            #expect(area["key"]?.object?["kind"] == (example == .tpm ? "EC" : "RSA"))
            let leaf = try #require(statement["x5c"]?.array?.first?.object)
            #expect(leaf["extendedKeyUsages"] == ["2.23.133.8.3"])
            #expect(leaf["aaguid"] == .string("\(AttestationExample.authority.aaguid)"))
            #expect(leaf["subjectAlternativeNames"]?.array?.count == 1)
        }
        // What is wrong in it is still shown.
        let wrong = try Decoding.attestationObject(try made(.tpm, fault: .tpmMagicWrong).object)
        #expect(wrong.object?["attStmt"]?.object?["certInfo"]?.object?["magic"] == "474354ff")
    }

    @Test("Key descriptions, nonces and answers of services are taken apart")
    func others() throws {
        let android = try Decoding.attestationObject(try made(.androidKey).object)
        let description = try #require(
            android.object?["attStmt"]?.object?["x5c"]?.array?.first?.object?["keyDescription"]?.object
        )
        #expect(description["hardwareEnforced"]?.object?["origin"] == "GENERATED")
        #expect(description["hardwareEnforced"]?.object?["purpose"] == ["SIGN"])
        #expect(description["softwareEnforced"]?.object?["allApplications"] == false)
        #expect(description["attestationChallenge"]?.string?.utf8.count == 43)

        let apple = try Decoding.attestationObject(try made(.apple).object)
        let leaf = try #require(apple.object?["attStmt"]?.object?["x5c"]?.array?.first?.object)
        #expect(leaf["appleNonce"]?.string?.utf8.count == 43)

        let service = try Decoding.attestationObject(try made(.androidSafetyNet).object)
        let response = try #require(service.object?["attStmt"]?.object?["response"]?.object)
        #expect(response["payload"]?.object?["ctsProfileMatch"] == true)
        let names = response["header"]?.object?["x5c"]?.array?.first?.object?["subjectAlternativeNames"]
        #expect(names == ["DNS attest.android.com"])

        let compound = try Decoding.attestationObject(try made(.compound).object)
        let parts = try #require(compound.object?["attStmt"]?.array)
        #expect(parts.compactMap { $0.object?["fmt"]?.string } == ["packed", "android-key"])
    }

    @Test("A certificate says in which formats it may attest, and why not in others")
    func certificates() throws {
        let checks = try Decoding.checks(ofCertificate: AttestationExample.authority.certificate.der)
        #expect(checks["§8.2.1, §8.2.2: it may attest in format packed"] == "holds")
        #expect(checks["§8.3.1: it may attest in format tpm"] == "fails: the certificate has a subject")
        #expect(checks["§8.6 step 2: it may attest in format fido-u2f"] == "holds")
        let root = try Decoding.checks(ofCertificate: AttestationExample.authority.root.der)
        #expect(root["§8.2.1, §8.2.2: it may attest in format packed"]?.string?.hasPrefix("fails: ") == true)
    }

    @Test("An entry of metadata says what speaks against its model")
    func metadata() throws {
        let good = MetadataAuthority.entry(for: RightCeremonyTests.aaguid, name: "Good", roots: [])
        #expect(results(Decoding.checks(ofMetadataEntry: try #require(good.object))).allSatisfy { $0 == "holds" })
        let bad = MetadataAuthority.entry(for: RightCeremonyTests.aaguid, name: "Bad", status: ["REVOKED"], roots: [])
        let checks = Decoding.checks(ofMetadataEntry: try #require(bad.object))
        #expect(
            checks["MDS3 §3.1.4: no status speaks against the model"] == "fails: REVOKED since 2025-12-01",
            "\(checks)"
        )
    }

    @Test("Whatever is cut or changed, nothing traps", arguments: AttestationExample.allCases)
    func hostile(_ example: AttestationExample) throws {
        let (object, clientData) = try made(example)
        for index in stride(from: 0, to: object.count, by: 3) {
            var changed = object
            changed[index] ^= 0x41
            _ = try? Decoding.attestationObject(changed)
            _ = try? Decoding.checks(ofAttestationObject: changed, clientData: clientData)
        }
    }
}
