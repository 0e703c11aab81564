import CBOR
import COSE
import Cryptography
import Encodings
import SoftwareAuthenticator
import Testing
import WebAuthn

@Suite("Right ceremonies are accepted")
struct RightCeremonyTests {
    static let aaguid = AAGUID("9a3d1f5e-0c2b-4d6f-8e7a-1b2c3d4e5f60") ?? .zero

    @Test(
        "Each algorithm registers and signs in",
        arguments: [
            COSEAlgorithm.es256, .edDSA, .rs256, .es384, .es512, .es256K, .rs384, .rs512, .ps256, .ps384, .ps512,
            .esp256, .esp384, .esp512, .ed25519, .ed448, .mlDSA44, .mlDSA65, .mlDSA87,
        ]
    )
    func algorithms(_ algorithm: COSEAlgorithm) throws {
        var server = Server()
        server.algorithms = [algorithm]
        server.attestation.preference = .direct
        var authenticator = Authenticator(AuthenticatorProfile(algorithms: [algorithm], attestation: .packedSelf))
        let registration = try server.register(&authenticator)
        #expect(registration.algorithm == algorithm.rawValue)
        #expect(registration.credential.attestationFormat == "packed")
        #expect(registration.credential.attestationType == .selfAttestation)
        #expect(!registration.credential.attestationTrusted)
        let login = try server.logIn(&authenticator, with: registration.credential)
        #expect(login.userVerified)
    }

    @Test("The first algorithm that both know is taken")
    func preference() throws {
        var server = Server()
        server.algorithms = [.es384, .rs256, .es256]
        var authenticator = Authenticator(AuthenticatorProfile(algorithms: [.es256, .rs256]))
        #expect(try server.register(&authenticator).algorithm == COSEAlgorithm.rs256.rawValue)
    }

    @Test("A synced passkey comes with its flags, its transports and no counter")
    func synced() throws {
        let server = Server()
        var authenticator = Authenticator(.syncedPasskey)
        let credential = try server.register(&authenticator).credential
        #expect(credential.backupEligible == true)
        #expect(credential.backupState)
        #expect(credential.uvInitialized)
        #expect(credential.signCount == 0)
        #expect(credential.transports == ["internal", "hybrid"])
        #expect(credential.authenticatorAttachment == .platform)
        #expect(credential.attestationFormat == "none")
        #expect(credential.attestationObject != nil && credential.attestationClientDataJSON != nil)
        let login = try server.logIn(&authenticator, with: credential)
        #expect(login.signCount == 0 && !login.counterRegressed)
    }

    @Test("A security key counts, and is bound to its device")
    func securityKey() throws {
        let server = Server()
        var authenticator = Authenticator(.securityKey)
        var credential = try server.register(&authenticator).credential
        #expect(credential.backupEligible == false && !credential.backupState)
        for count in 1...3 as ClosedRange<UInt32> {
            let login = try server.logIn(&authenticator, with: credential)
            #expect(login.signCount == count && login.previousSignCount == count - 1)
            credential.update(login)
        }
    }

    @Test("A key that is not discoverable signs in when it is listed, without a user handle")
    func notDiscoverable() throws {
        var server = Server()
        server.residentKey = .discouraged
        var authenticator = Authenticator(.securityKey)
        let credential = try server.register(&authenticator).credential
        #expect(throws: AuthenticatorError.noCredential) { try server.logIn(&authenticator, with: credential) }
        _ = try server.logIn(&authenticator, with: credential, listed: true)
    }

    @Test("A handle may be absent when the user was known, and then nobody else's will do")
    func identified() throws {
        let server = Server()
        var authenticator = Authenticator()
        let credential = try server.register(&authenticator).credential
        _ = try server.logIn(&authenticator, with: credential, identified: true, fault: .userHandleMissing)
        let reason = try refusal {
            _ = try server.logIn(&authenticator, with: credential, identified: true, fault: .userHandleWrong)
        }
        #expect(reason == .userHandleMismatch)
    }

    @Test("Extension outputs are kept as they came")
    func extensions() throws {
        let server = Server()
        var profile = AuthenticatorProfile()
        profile.registrationExtensions = CBORMap([CBORMap.Entry(key: "credProtect", value: 2)])
        profile.authenticationExtensions = CBORMap([CBORMap.Entry(key: "hmac-secret", value: .bytes([1, 2]))])
        var authenticator = Authenticator(profile)
        let registration = try server.register(&authenticator)
        #expect(registration.extensions == CBOR.encode(["credProtect": 2]))
        let login = try server.logIn(&authenticator, with: registration.credential)
        #expect(login.extensions == CBOR.encode(["hmac-secret": .bytes([1, 2])]))
    }

    @Test("A conditional create may come without UP, and proves no UV")
    func conditional() throws {
        var server = Server()
        server.isConditional = true
        var authenticator = Authenticator()
        let registration = try server.register(&authenticator)
        #expect(!registration.userPresent)
        #expect(!registration.credential.uvInitialized)
    }

    @Test("Ids of every legal length are taken", arguments: [1, 16, 1023])
    func idLengths(_ length: Int) throws {
        let server = Server()
        var authenticator = Authenticator(AuthenticatorProfile(credentialIDLength: length))
        let credential = try server.register(&authenticator).credential
        #expect(credential.id.count == length)
        _ = try server.logIn(&authenticator, with: credential)
    }

    @Test("A credential that is there already is excluded")
    func excluded() throws {
        let server = Server()
        var authenticator = Authenticator()
        let id = try server.register(&authenticator).credential.id
        #expect(throws: AuthenticatorError.excluded) {
            try authenticator.create(
                [
                    "rp": ["id": .string(server.rpID), "name": "x"],
                    "user": ["id": "AQ", "name": "a", "displayName": "a"],
                    "challenge": "AA", "pubKeyCredParams": [["type": "public-key", "alg": -7]],
                    "excludeCredentials": [["type": "public-key", "id": .string(Base64URL.encode(id))]],
                ],
                origin: server.origin
            )
        }
    }

    @Test("Options without what they must have are refused", arguments: ["rp", "user", "challenge"])
    func incomplete(_ member: String) throws {
        var options: JSONObject = [
            "rp": ["id": "example.com", "name": "x"], "user": ["id": "AQ", "name": "a", "displayName": "a"],
            "challenge": "AA",
        ]
        var authenticator = Authenticator()
        _ = try authenticator.create(options, origin: "https://example.com")
        options[member] = nil
        #expect(throws: AuthenticatorError.invalidOptions(member: member)) {
            try authenticator.create(options, origin: "https://example.com")
        }
    }
}
