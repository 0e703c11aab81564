import Encodings
import Testing
import WebAuthn

@Suite("Ceremony vectors", .enabled(if: SharedVectors.areThere, SharedVectors.skipped))
struct CeremonyVectorTests {
    private static let registrationInput: Set<String> = [
        "rpId", "expectedOrigins", "expectedTopOrigins", "expectedChallenge", "requireUserPresence",
        "requireUserVerification", "allowCrossOrigin", "allowedAlgorithms", "trustAnchors", "verificationTime",
        "credential",
    ]
    private static let authenticationInput: Set<String> = [
        "rpId", "expectedOrigins", "expectedTopOrigins", "expectedChallenge", "requireUserPresence",
        "requireUserVerification", "allowCrossOrigin", "allowCredentials", "storedCredential", "credential",
    ]
    /// What `expected` says about the vector and not about an answer.
    private static let aboutTheCase: Set<String> = [
        "verdict", "reason", "stage", "notes", "canonicalCbor", "certificatesValid", "trustAnchorSource",
    ]
    private static let compared: Set<String> = [
        "fmt", "attestationType", "credentialId", "publicKey", "alg", "signCount", "aaguid", "flags", "extensions",
        "signCountRegression",
    ]

    @Test(
        "Every case is answered as it says, or is unsupported by what it requires",
        arguments: [
            // With the number of unsupported cases, so that none goes unnoticed.
            ("webauthn-w3c", 0), ("webauthn-derived", 0), ("webauthn-peers-registration", 4),
            ("webauthn-peers-authentication", 2),
        ]
    )
    func answers(_ file: String, _ unsupported: Int) throws {
        var refused = 0
        for vector in try SharedVectors.cases(file) {
            let id = try vector.text("id")
            vector.expectOnly(["id", "operation", "sources", "requires", "input", "expected", "registrationCase"], id)
            let operation = try vector.text("operation")
            let input = try vector.object("input")
            let expected = try vector.object("expected")
            input.expectOnly(operation == "registration" ? Self.registrationInput : Self.authenticationInput, id)
            expected.expectOnly(Self.aboutTheCase.union(Self.compared), id)
            let answer = try VectorRunner().answer(operation, id, input, requires: vector["requires"])
            let verdict = try answer.text("verdict")
            if verdict == "unsupported" {
                refused += 1
                #expect(vector["requires"]?.array?.isEmpty == false, "\(id)")
                // Without the announcement it is a clean refusal all the same, or right.
                let again = try VectorRunner().answer(operation, id, input)
                #expect(["accept", "reject"].contains(try again.text("verdict")), "\(id)")
                continue
            }
            switch try expected.text("verdict") {
            case "either": #expect(["accept", "reject"].contains(verdict), "\(id)")
            case let wanted: #expect(verdict == wanted, "\(id): \(answer["detail"]?.string ?? "")")
            }
            guard verdict == "accept" else { continue }
            for member in expected.members where Self.compared.contains(member.name) {
                guard !member.value.isNull || member.name == "extensions" else { continue }
                #expect(answer[member.name] == member.value, "\(id): \(member.name)")
            }
        }
        #expect(refused == unsupported, "\(file)")
    }

    @Test("No new credential's key is for SHA-1, also where it is offered")
    func sha1Credentials() throws {
        var count = 0
        for vector in try SharedVectors.cases("webauthn-peers-registration")
        where vector["requires"]?.array?.contains("alg:-65535") == true {
            let expected = try vector.object("expected")
            let answer = try VectorRunner().answer("registration", try vector.text("id"), try vector.object("input"))
            // Some are refused before, for the form of their CBOR.
            guard expected["canonicalCbor"]?.bool == true else { continue }
            count += 1
            #expect(answer["reason"]?.string == "algorithm_not_allowed", "\(answer)")
        }
        #expect(count > 0)
    }

    @Test("A refused case is refused for what it names, or for what is judged before")
    func stages() throws {
        let reasons: [String: Set<String>] = [
            "clientData.type": ["type_mismatch", "invalid_authn_response"],
            "clientData.challenge": ["challenge_mismatch"],
            "clientData.origin": ["origin_mismatch", "invalid_authn_response"],
            "clientData.parse": ["invalid_authn_response"],
            "authData.rpIdHash": ["rp_id_mismatch"],
            "authData.flags": ["user_presence_missing", "user_verification_missing", "backup_flags_invalid"],
            "authData.attestedCredentialData": ["invalid_authn_response"],
            "authData.parse": ["invalid_authn_response"],
            "authData.extensions": ["invalid_authn_response"],
            "authData.credentialId": ["invalid_authn_response"],
            "credential.id": ["invalid_authn_response", "signature_invalid"],
            "credential.type": ["invalid_authn_response"],
            "credential.parse": ["invalid_authn_response"],
            "attestationObject": ["invalid_authn_response"],
            "coseKey": [
                "invalid_authn_response", "algorithm_not_allowed", "signature_invalid", "attestation_invalid",
            ],
            "alg": ["algorithm_not_allowed"],
            "attestation": ["attestation_invalid", "authenticator_not_allowed"],
            "attestation.parse": ["attestation_invalid"],
            "attestation.alg": ["attestation_invalid"],
            "attestation.signature": ["attestation_invalid"],
            "attestation.certificate": ["attestation_invalid"],
            "attestation.aaguid": ["attestation_invalid"],
            "attestation.chain": ["authenticator_not_allowed"],
            "signature": ["signature_invalid", "invalid_authn_response"],
            "signCount": ["counter_regression"],
            "userHandle": ["invalid_authn_response"],
        ]
        for vector in try SharedVectors.cases("webauthn-derived") {
            let id = try vector.text("id")
            let expected = try vector.object("expected")
            guard try expected.text("verdict") == "reject" else { continue }
            let answer = try VectorRunner().answer(try vector.text("operation"), id, try vector.object("input"))
            let stage = try expected.text("stage")
            let allowed = try #require(reasons[stage], "\(id): \(stage)")
            #expect(allowed.contains(try answer.text("reason")), "\(id): \(answer)")
            // The step is one that the reason has.
            let reason = try #require(CeremonyReason(rawValue: try answer.text("reason")), "\(id)")
            #expect(reason.steps.contains(try answer.text("step")), "\(id): \(answer)")
        }
    }
}
