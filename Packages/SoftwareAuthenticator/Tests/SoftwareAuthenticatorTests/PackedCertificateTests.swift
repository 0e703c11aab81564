import CBOR
import COSE
import Cryptography
import Encodings
import SoftwareAuthenticator
import Testing
import WebAuthn

@Suite("WebAuthn L3 §8.2.1 and §8.2.2: certificates of packed statements")
struct PackedCertificateTests {
    private static let serialNumber = "1.3.6.1.4.1.45724.1.1.2"
    private static let firmwareVersion = "1.3.6.1.4.1.45724.1.1.5"

    /// Registers with a statement by a key of the test's own, certified as `change` has it.
    private func register(_ change: (inout CertificateBuilder) -> Void) throws {
        let key = try SigningKey.generate(.p256)
        var builder = CertificateBuilder(
            subject: [
                (DistinguishedName.country, "SE"), (DistinguishedName.organization, "A maker"),
                (DistinguishedName.organizationalUnit, "Authenticator Attestation"),
                (DistinguishedName.commonName, "A model"),
            ],
            notBefore: Server.time - 1,
            notAfter: Server.time + 1
        )
        change(&builder)
        let certificate = try builder.selfSigned(by: key)
        try AttestationExample.packed.register(
            altering: { response in
                let text = try #require(response["response"]?.object?["clientDataJSON"]?.string)
                let hash = SHA256.hash(try Base64URL.decode(text))
                try response.alterAttestationObject { object in
                    let data = try #require(object["authData"]?.bytes)
                    var statement = CBORMap()
                    statement["alg"] = .integer(COSEAlgorithm.es256.rawValue)
                    statement["sig"] = .bytes(try key.sign(data + hash, .es256, form: .der))
                    statement["x5c"] = .array([.bytes(certificate.der)])
                    object["attStmt"] = .map(statement)
                }
            },
            with: { $0.trustAnchors = nil }
        )
    }

    private func refusal(_ change: (inout CertificateBuilder) -> Void) -> String? {
        let error = #expect(throws: CeremonyError.self) { try register(change) }
        #expect(error?.reason == .attestationInvalid)
        return error?.got
    }

    @Test("What a maker must write is enough")
    func right() throws {
        try register { _ in }
    }

    @Test("Basic constraints have to be there, and say that it is no CA")
    func constraints() {
        #expect(refusal { $0.isCA = nil } == "packed: the certificate has no basic constraints")
        #expect(refusal { $0.isCA = true } == "packed: the certificate is a CA's")
    }

    @Test("C is a country code", arguments: ["", "S", "SWE", "se", "S1", "S "])
    func country(_ code: String) {
        let got = refusal { builder in
            builder.subject = builder.subject.map {
                $0.oid == DistinguishedName.country ? .init(oid: $0.oid, value: code) : $0
            }
        }
        #expect(got?.contains(" C") == true)
    }

    @Test("A firmware version is an INTEGER from 0 that is not critical")
    func firmware() throws {
        for right: [UInt8] in [[2, 1, 42], [2, 1, 0], [2, 9, 0, 255, 255, 255, 255, 255, 255, 255, 255]] {
            try register { $0.extensions.append((Self.firmwareVersion, false, right)) }
        }
        for wrong: [UInt8] in [[2, 1, 0x80], [4, 1, 42], [42], [], [2, 1, 42, 0], [2, 2, 0, 42], [2, 0]] {
            let got = refusal { $0.extensions.append((Self.firmwareVersion, false, wrong)) }
            #expect(got == "packed: the certificate's firmware version extension is no INTEGER from 0")
        }
        let got = refusal { $0.extensions.append((Self.firmwareVersion, true, [2, 1, 42])) }
        #expect(got == "packed: the certificate's firmware version extension is critical")
    }

    @Test("A serial number is an OCTET STRING that is not critical")
    func serial() throws {
        try register { $0.extensions.append((Self.serialNumber, false, [4, 2, 1, 2])) }
        for wrong: [UInt8] in [[2, 1, 1], [1, 2], [], [4, 2, 1]] {
            let got = refusal { $0.extensions.append((Self.serialNumber, false, wrong)) }
            #expect(got == "packed: the certificate's serial number extension is no OCTET STRING")
        }
        let got = refusal { $0.extensions.append((Self.serialNumber, true, [4, 2, 1, 2])) }
        #expect(got == "packed: the certificate's serial number extension is critical")
    }
}
