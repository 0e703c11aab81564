import CBOR
import Encodings
import Foundation
import SoftwareAuthenticator
import Testing
import WebAuthn

extension FIDOServerTests {
    @Suite("ServerPublicKeyCredentialGetOptionsResponse Req-1")
    struct RequestOptionsRequest {
        let world: FIDOWorld

        init() throws { world = try .current }

        @Test("P1 and P2: the options have their shape, and two challenges differ")
        func shape() async throws {
            let (name, authenticator) = try await world.user()
            let body: JSONObject = [
                "username": .string(name), "userVerification": "required", "extensions": ["example.extension": true],
            ]
            let response = try await world.post("/assertion/options", body)
            expectOK(response)
            let challenge = try #require(response.string("challenge"))
            #expect(try Base64URL.decode(challenge).count >= 16)
            #expect(try #require(response["timeout"]?.integer) > 0)
            #expect(response.string("rpId") == "fido.example.com")
            #expect(response.string("userVerification") == "required")
            #expect(response["extensions"] == ["example.extension": true])
            let allowed = try #require(response["allowCredentials"]?.array)
            #expect(allowed.count == 1 && allowed.first?.object?["type"] == "public-key")
            let id = authenticator.credentials.first.map { Base64URL.encode($0.id) }
            #expect(allowed.first?.object?["id"]?.string == id)
            let again = try await world.post("/assertion/options", body)
            #expect(again.string("challenge") != challenge)
        }

        @Test("Registrations of one new name at once are all kept, for one user")
        func simultaneousNames() async throws {
            for _ in 0..<4 {
                let name = UUID().uuidString
                var answers: [(JSONObject, FIDOWorld.Begun)] = []
                for _ in 0..<4 {
                    var authenticator = Authenticator()
                    let begun = try await world.beginRegistration(name, attestation: "none")
                    answers.append((try authenticator.create(begun.options, origin: world.site.origin), begun))
                }
                try await withThrowingTaskGroup { group in
                    for (answer, begun) in answers {
                        group.addTask { [world] in expectOK(try await world.finish(answer, begun)) }
                    }
                    try await group.waitForAll()
                }
                let listed = try await world.beginAssertion(name).options["allowCredentials"]?.array?.count
                #expect(listed == 4)
            }
        }

        @Test("A name that nobody has, or a real user of the tenant, lists nothing")
        func strangers() async throws {
            let response = try await world.post("/assertion/options", ["username": "nobody"])
            expectFailed(response, "unknown_user")
            #expect(response.string("errorMessage")?.hasPrefix("User does not exist!") == true)
            // A user of the tenant's own directory.
            let app = world.app
            var authenticator = Authenticator()
            let email = "real-\(UUID().uuidString.lowercased())@example.com"
            try await app.signUp(email, with: &authenticator)
            expectFailed(try await world.post("/assertion/options", ["username": .string(email)]), "unknown_user")
            let options = try await world.beginRegistration(email).options
            #expect(options["excludeCredentials"]?.array?.isEmpty == true)
            // Registering under that name makes another person, who signs in nowhere.
            var other = Authenticator()
            let selection: JSONObject = ["authenticatorSelection": ["residentKey": "required"]]
            let second = try await world.beginRegistration(email, attestation: "none", selection)
            expectOK(try await world.finish(other.create(second.options, origin: world.site.origin), second))
            try await app.signIn(with: &authenticator)
            let challenge = try await app.challenge()
            let refused = try await app.redeem(
                challenge,
                try other.get(challenge.options, origin: world.site.origin)
            )
            #expect(refused.status == 403 && refused.string("reason") == "signature_invalid", "\(refused)")
            // And the tenant's passkey is not one of the conformance directory.
            let mixed = try await world.beginAssertion(email)
            var request = mixed.options
            request["allowCredentials"] = []
            expectFailed(
                try await world.assert(authenticator.get(request, origin: world.site.origin), mixed),
                "signature_invalid"
            )
        }
    }

    @Suite("ServerAuthenticatorAssertionResponse Resp-1 to Resp-3")
    struct AssertionResponses {
        let world: FIDOWorld

        init() throws { world = try .current }

        private func answered(
            _ profile: AuthenticatorProfile = .syncedPasskey,
            userVerification: String? = nil,
            fault: Fault? = nil
        ) async throws -> (JSONObject, FIDOWorld.Begun) {
            var (name, authenticator) = try await world.user(profile)
            let begun = try await world.beginAssertion(name, userVerification: userVerification)
            let response = try authenticator.get(begun.options, origin: world.site.origin, fault: fault)
            return (response, begun)
        }

        @Test("Resp-1 P1: a right response is taken, once, and gives neither session nor token")
        func right() async throws {
            let (response, begun) = try await answered()
            let taken = try await world.assert(response, begun)
            expectOK(taken)
            #expect(taken.json.members.map(\.name) == ["status", "errorMessage"])
            #expect(taken.header("set-cookie") == nil)
            expectFailed(try await world.assert(response, begun), "auth_session_invalid")
        }

        static let structureCases = [
            Spoiling("F1 id missing", ["id"], nil), Spoiling("F2 id no string", ["id"], 1),
            Spoiling("F3 id not base64url", ["id"], "a+/="), Spoiling("F4 type missing", ["type"], nil),
            Spoiling("F5 type no string", ["type"], 1), Spoiling("F6 type another", ["type"], "x"),
            Spoiling("F7 response missing", ["response"], nil), Spoiling("F8 response no object", ["response"], []),
            Spoiling("F9 clientDataJSON missing", ["response", "clientDataJSON"], nil),
            Spoiling("F10 clientDataJSON no string", ["response", "clientDataJSON"], 1),
            Spoiling("F11 clientDataJSON empty", ["response", "clientDataJSON"], ""),
            Spoiling("F12 authenticatorData missing", ["response", "authenticatorData"], nil),
            Spoiling("F13 authenticatorData no string", ["response", "authenticatorData"], 1),
            Spoiling("F14 authenticatorData not base64url", ["response", "authenticatorData"], "a+/="),
            Spoiling("F15 authenticatorData empty", ["response", "authenticatorData"], ""),
            Spoiling("F16 signature missing", ["response", "signature"], nil),
            Spoiling("F17 signature no string", ["response", "signature"], 1),
            Spoiling("F18 signature not base64url", ["response", "signature"], "a+/="),
            Spoiling("F19 signature empty", ["response", "signature"], ""),
            Spoiling("F21 userHandle no string", ["response", "userHandle"], 1),
        ]

        @Test("Resp-1: each fault of the structure is refused", arguments: structureCases)
        func structure(_ spoiling: Spoiling) async throws {
            let (response, begun) = try await answered()
            expectFailed(
                try await world.assert(spoiling.applied(to: response), begun),
                "invalid_authn_response",
                spoiling.description
            )
        }

        @Test("Resp-1 F20: a signature that does not verify is refused; an empty user handle is none")
        func signature() async throws {
            let (wrong, begun) = try await answered(fault: .signatureWrong)
            expectFailed(try await world.assert(wrong, begun), "signature_invalid")
            let (right, second) = try await answered()
            let empty = Spoiling("", ["response", "userHandle"], "").applied(to: right)
            expectOK(try await world.assert(empty, second))
        }

        static let clientDataCases = AttestationResponses.clientDataCases.map { spoiling, reason in
            guard spoiling.value == "webauthn.get" else { return (spoiling, reason) }
            return (Spoiling("F5 type of a registration", ["type"], "webauthn.create"), reason)
        }

        @Test("Resp-2: each fault of the client data is refused for its reason", arguments: clientDataCases)
        func clientData(_ spoiling: Spoiling, _ reason: String) async throws {
            let (response, begun) = try await answered()
            let spoilt = try response.withClientData(spoiling.applied)
            expectFailed(try await world.assert(spoilt, begun), reason, spoiling.description)
        }

        @Test("Resp-3 P1: a counter that is always 0 is taken, again and again")
        func noCounter() async throws {
            var (name, authenticator) = try await world.user()
            for _ in 0..<3 {
                let begun = try await world.beginAssertion(name)
                let response = try authenticator.get(begun.options, origin: world.site.origin)
                expectOK(try await world.assert(response, begun))
            }
        }

        @Test(
            "Resp-3 P2 to P7: what each requirement takes; without UP nothing is, as Level 3 has it",
            arguments: [
                // UV, what is asked for, and the reason of the refusal.
                (true, "required", nil), (false, "required", "user_verification_missing"), (false, "preferred", nil),
                (true, "preferred", nil), (false, "discouraged", nil),
            ] as [(Bool, String, String?)]
        )
        func flags(_ verifies: Bool, _ asked: String, _ reason: String?) async throws {
            var profile = AuthenticatorProfile.syncedPasskey
            profile.canVerifyUser = true
            var (name, authenticator) = try await world.user(profile)
            authenticator.profile.verifiesWhenPreferred = verifies
            let begun = try await world.beginAssertion(name, userVerification: asked)
            let fault: Fault? = verifies || asked != "required" ? nil : .userVerificationMissing
            let response = try authenticator.get(begun.options, origin: world.site.origin, fault: fault)
            let answer = try await world.assert(response, begun)
            if let reason { expectFailed(answer, reason, asked) } else { expectOK(answer, asked) }
            // P4 and P7 of the older list have UP 0.
            let second = try await world.beginAssertion(name, userVerification: asked)
            let absent = try authenticator.get(second.options, origin: world.site.origin, fault: .userPresenceMissing)
            expectFailed(try await world.assert(absent, second), "user_presence_missing", asked)
        }

        @Test("Resp-3 P8: extension data with ED set is taken")
        func extensionData() async throws {
            var profile = AuthenticatorProfile.syncedPasskey
            profile.authenticationExtensions = CBORMap([CBORMap.Entry(key: "example.extension", value: true)])
            let (response, begun) = try await answered(profile)
            expectOK(try await world.assert(response, begun))
        }

        @Test(
            "Resp-3 F1 to F4: left-over bytes, another RP ID, changed client data and a counter that stands are refused",
            arguments: [
                (Fault.authenticatorDataTooLong, "invalid_authn_response"), (.rpIDWrong, "rp_id_mismatch"),
                (.clientDataChanged, "signature_invalid"), (.counterStands, "counter_regression"),
                (.counterWentBack, "counter_regression"),
            ]
        )
        func authenticatorData(_ fault: Fault, _ reason: String) async throws {
            var (name, authenticator) = try await world.user(.securityKey)
            let first = try await world.beginAssertion(name)
            expectOK(try await world.assert(authenticator.get(first.options, origin: world.site.origin), first))
            let begun = try await world.beginAssertion(name)
            let response = try authenticator.get(begun.options, origin: world.site.origin, fault: fault)
            expectFailed(try await world.assert(response, begun), reason)
        }
    }

    @Suite("HTTP contract 13: where the conformance API is")
    struct Surroundings {
        let world: FIDOWorld

        init() throws { world = try .current }

        @Test("A tenant that has it off has no such paths")
        func off() async throws {
            let name = "off\(UUID().uuidString.prefix(8).lowercased())"
            let other = try await Site.make(name, on: world.server, domain: "\(name).example")
            for path in ["/attestation/options", "/assertion/result", "/fido2-test/assertion/options"] {
                let response = try await other.send(.json(path, ["username": "a", "displayName": "A"]))
                #expect(response.status == 404 && response.string("error") == "not_found", "\(response)")
            }
        }

        @Test("No client is ever enabled for its directory")
        func noClient() async throws {
            let app = world.app
            let shown = try await world.server.adminJSON(
                ["connection", "show", "--tenant", world.site.tenant, "fido-conformance"]
            )
            #expect(shown["enabled_clients"]?.array?.isEmpty == true)
            let refused = try await world.server.admin([
                "connection", "set", "--tenant", world.site.tenant, "fido-conformance",
                "enabled_clients=[\"\(app.id)\"]",
            ])
            #expect(refused.exit == 2, "\(refused)")
            let realm = try await world.site.send(
                .json("/passkey/challenge", ["client_id": .string(app.id), "realm": "fido-conformance"])
            )
            #expect(realm.status == 400 && realm.string("reason") == "unknown_connection")
        }
    }
}
