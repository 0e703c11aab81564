import COSE
import Cryptography
import Encodings
import Testing
import WebAuthn

@Suite("What was fixed when a ceremony began goes out of the process and comes back")
struct IssuedTests {
    /// Nothing in it is as it would be by itself.
    private func registration() throws -> IssuedRegistration {
        let certificate = try CertificateBuilder(
            subject: [(oid: DistinguishedName.commonName, value: "Root")],
            notBefore: 0,
            notAfter: 100_000,
            isCA: true
        ).selfSigned(by: SigningKey.generate(.p256))
        let model = try #require(AAGUID("00112233-4455-6677-8899-aabbccddeeff"))
        return IssuedRegistration(
            challenge: Array(0..<32),
            rpID: "a.example",
            origins: ["https://a.example", "android:apk-key-hash:\u{e9}\"\\\n"],
            allowedTopOrigins: ["https://top.example"],
            userVerification: .required,
            mayOmitUserPresence: true,
            algorithms: [.es256, COSEAlgorithm(rawValue: -65535)],
            attestation: AttestationPolicy(
                preference: .enterprise,
                trustAnchors: [certificate],
                trust: .required,
                allowedFormats: ["packed", "tpm"],
                allowedAAGUIDs: [model],
                deniedAAGUIDs: [.zero],
                unknownFormat: .asNone,
                allowsSHA1: true,
                requiresHardwareKeys: true,
                acceptsTestTPMs: true
            ),
            requiresBackupEligible: true
        )
    }

    private let authentication = IssuedAuthentication(
        challenge: Array(0..<32),
        rpID: "a.example",
        origins: ["https://a.example"],
        allowedTopOrigins: [],
        userVerification: .discouraged,
        allowCredentials: [[1, 2, 3], []],
        userIdentified: true
    )

    @Test("A registration comes back whole, with every field that it has")
    func registrations() throws {
        let plain = IssuedRegistration(challenge: [], rpID: "", origins: [], algorithms: [])
        for issued in [plain, try registration()] {
            let json = try object { issued.write(to: &$0) }
            #expect(IssuedRegistration(json: json) == issued)
        }
        // A field more has to be written and read too, and then counted here.
        #expect(Mirror(reflecting: plain).children.count == 9)
        #expect(Mirror(reflecting: plain.attestation).children.count == 10)
    }

    @Test("A login comes back whole, with every field that it has")
    func authentications() throws {
        let plain = IssuedAuthentication(challenge: [], rpID: "", origins: [])
        for issued in [plain, authentication] {
            let json = try object { issued.write(to: &$0) }
            #expect(IssuedAuthentication(json: json) == issued)
        }
        #expect(Mirror(reflecting: plain).children.count == 7)
    }

    @Test("With any member damaged nothing comes back, and with one missing nothing but what may be absent")
    func damage() throws {
        let issued = try registration()
        let registration = try object { issued.write(to: &$0) }
        let attestation = try #require(registration["attestation"]?.object)
        let login = try object { authentication.write(to: &$0) }
        for member in registration.members {
            var spoilt = registration
            spoilt.set(member.name, ["spoilt": true])
            #expect(IssuedRegistration(json: spoilt) == nil, "\(member.name)")
            spoilt.remove(member.name)
            let mayBeAbsent = ["topOrigins", "attestation"].contains(member.name)
            #expect((IssuedRegistration(json: spoilt) == nil) == !mayBeAbsent, "\(member.name)")
        }
        for member in attestation.members {
            var spoilt = attestation
            spoilt.set(member.name, .array([.integer(1)]))
            var whole = registration
            whole.set("attestation", .object(spoilt))
            #expect(IssuedRegistration(json: whole) == nil, "\(member.name)")
        }
        for member in login.members {
            var spoilt = login
            spoilt.set(member.name, .array([.integer(1)]))
            #expect(IssuedAuthentication(json: spoilt) == nil, "\(member.name)")
        }
    }

    private func object(_ write: (inout JSONWriter) -> Void) throws -> JSONObject {
        var json = JSONWriter()
        write(&json)
        return try #require(try JSON.parse(json.bytes).object)
    }
}
