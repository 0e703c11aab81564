import Encodings
import Testing
import WebAuthn

@Suite("Decoding for people", .enabled(if: SharedVectors.areThere, SharedVectors.skipped))
struct DecodingTests {
    private func part(_ id: String, _ name: String) throws -> [UInt8] {
        let pitfall = try #require(try SharedVectors.cases("pitfalls").first { $0["id"]?.string == id })
        return try Base64URL.decode(try pitfall.object("credential").object("response").text(name))
    }

    @Test("An attestation object becomes a tree with its certificates taken apart")
    func attestationObject() throws {
        let tree = try Decoding.attestationObject(try part("packed-x5c", "attestationObject"))
        #expect(tree.object?["fmt"] == "packed")
        let statement = try #require(tree.object?["attStmt"]?.object)
        #expect(statement["alg"] == -7)
        let certificate = try #require(statement["x5c"]?.array?.first?.object)
        let subject = try #require(certificate["subject"]?.array)
        #expect(subject.contains { $0.object?["value"] == "Authenticator Attestation" })
        #expect(certificate["isCA"] == false)
        #expect(try certificate.text("notBefore").hasSuffix("Z"))
        let data = try #require(tree.object?["authData"]?.object)
        #expect(data["flags"]?.object?["at"] == true)
        #expect(try data.object("attestedCredentialData").text("aaguid").utf8.count == 36)
        #expect(try data.object("attestedCredentialData").object("credentialPublicKey")["3"] == -7)
    }

    @Test("Authenticator data becomes a tree with its extensions")
    func authenticatorData() throws {
        let tree = try Decoding.authenticatorData(try part("ext-auth-ed", "authenticatorData"))
        #expect(tree.object?["signCount"] == 9)
        #expect(tree.object?["extensions"]?.object?["hmac-secret"]?.string != nil)
        #expect(tree.object?["attestedCredentialData"] == nil)
    }

    @Test("Client data becomes its members and its hash")
    func clientData() throws {
        let tree = try Decoding.clientData(try part("cd-bom-auth", "clientDataJSON"))
        #expect(tree.object?["clientData"]?.object?["type"] == "webauthn.get")
        #expect(tree.object?["sha256"]?.string?.utf8.count == 43)
    }

    @Test("What is cut is an error that says where", arguments: [0, 1, 36, 37, 60])
    func cut(_ count: Int) throws {
        let bytes = try part("packed-x5c", "attestationObject")
        #expect(throws: ResponseError.self) { try Decoding.attestationObject(Array(bytes.prefix(count))) }
        #expect(throws: ResponseError.self) { try Decoding.authenticatorData(Array(bytes.prefix(min(count, 36)))) }
        #expect(throws: ResponseError.self) { try Decoding.clientData(Array(bytes.prefix(count))) }
    }
}
