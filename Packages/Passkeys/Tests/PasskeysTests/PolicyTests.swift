import CBOR
import Encodings
import Identity
import SoftwareAuthenticator
import Testing
import WebAuthn

@testable import Passkeys

@Suite("HTTP contract 4.5 and 11.5: policy, by its name")
struct PolicyTests {
    /// A change of policy that refuses what the authenticator does, and the member that says so.
    static let refusals: [(CeremonyPolicy, @Sendable (inout PasskeyOptions) -> Void)] = [
        (.userVerification, { $0.userVerification = .required }),
        (.requireBackupEligible, { $0.requireBackupEligible = true }),
        (.deniedAAGUIDs, { $0.deniedAAGUIDs = [.zero] }),
        (.requireTrustedAttestation, { $0.requireTrustedAttestation = true }),
        (.allowedAAGUIDs, { $0.allowedAAGUIDs = [.zero] }),
        (.attestationFormats, { $0.attestationFormats = ["packed"] }),
    ]

    @Test("A refusal names the policy that caused it, in the record of the ceremony", arguments: refusals.indices)
    func names(_ index: Int) async throws {
        let (policy, change) = Self.refusals[index]
        let house = House { change(&$0.options.passkey) }
        var key = Authenticator(.securityKey)
        let begun = try await house.beginSignUp("ana@example.com")
        let fault: Fault? = policy == .userVerification ? .userVerificationMissing : nil
        let answer = try key.create(begun.options.json, origin: house.origin, fault: fault)
        let pending = try await house.takeSignUp(begun.session)
        let refused = await refusal {
            _ = try await house.signUp.verify(answer, answering: pending, in: house.context)
        }
        #expect(refused?.error.policy == policy)
        _ = await house.refusals.flush()
        let details = try #require(try await house.store.ceremony(begun.ceremony)?.details)
        #expect(details["policy"]?.string == "options.passkey_options.webauthn.\(policy.rawValue)")
    }

    @Test("A counter that did not rise names its policy, and no policy is named where none decides")
    func login() async throws {
        let house = House()
        var key = Authenticator(.securityKey)
        try await house.signUp("ana@example.com", &key)
        try await house.signIn(&key)
        for (fault, policy) in [(Fault.counterStands, CeremonyPolicy.counterPolicy), (.signatureWrong, nil)] {
            let begun = try await house.beginLogin()
            let answer = try key.get(begun.options.json, origin: house.origin, fault: fault)
            let pending = try await house.takeLogin(begun.session)
            let refused = await refusal {
                _ = try await house.login.verify(answer, answering: pending, in: house.context)
            }
            #expect(refused?.error.policy == policy)
        }
    }

    @Test("Each ceremony is asked for the extensions that it may have")
    func extensionInputs() async throws {
        let house = House {
            $0.options.passkey.extensions = [
                "credProps": true, "minPinLength": true, "credentialProtectionPolicy": "userVerificationRequired",
                "largeBlob": ["support": "preferred", "read": true],
                "prf": ["eval": ["first": "AAAA"], "evalByCredential": [:]],
            ]
        }
        let creation = try await house.beginSignUp("ana@example.com").options.json
        #expect(
            creation["extensions"] == [
                "credProps": true, "minPinLength": true, "credentialProtectionPolicy": "userVerificationRequired",
                "largeBlob": ["support": "preferred"], "prf": ["eval": ["first": "AAAA"]],
            ]
        )
        let request = try await house.beginLogin().options.json
        #expect(
            request["extensions"] == [
                "largeBlob": ["read": true], "prf": ["eval": ["first": "AAAA"], "evalByCredential": [:]],
            ]
        )
    }

    @Test("An extension input that is empty asks for the extension itself, and stays")
    func emptyInputs() async throws {
        let house = House { $0.options.passkey.extensions = ["prf": [:], "largeBlob": [:]] }
        let creation = try await house.beginSignUp("ana@example.com").options.json
        #expect(creation["extensions"] == ["prf": [:], "largeBlob": [:]], "\(creation)")
    }

    @Test("What extensions say of the credential is in the record, and what they give away is not")
    func extensionOutputs() async throws {
        let house = House()
        var profile = AuthenticatorProfile.securityKey
        profile.registrationExtensions = CBORMap([
            CBORMap.Entry(key: "credProtect", value: 3), CBORMap.Entry(key: "minPinLength", value: 6),
            CBORMap.Entry(key: "other", value: "x"),
        ])
        var key = Authenticator(profile)
        let begun = try await house.beginSignUp("ana@example.com")
        var answer = try key.create(begun.options.json, origin: house.origin)
        answer["clientExtensionResults"] = [
            "credProps": ["rk": true], "prf": ["enabled": true, "results": ["first": "c2VjcmV0"]],
            "largeBlob": ["supported": "yes"], "nonsense": [1],
        ]
        let pending = try await house.takeSignUp(begun.session)
        let verified = try await house.signUp.verify(answer, answering: pending, in: house.context)
        #expect(
            verified.details["extensions"] == [
                "credProps": ["rk": true], "prf": ["enabled": true], "credProtect": 3, "minPinLength": 6,
            ]
        )
        #expect(verified.details["attestation_trusted"] == false)
        #expect(verified.passkey.isDiscoverable == true)
    }
}
