import COSE
import Encodings
import Foundation
import SoftwareAuthenticator
import Testing
import WebAuthn

extension ContractTests {
    @Suite("4 and 5.3: ceremonies at the token endpoint")
    struct Ceremonies {
        let world: ContractWorld

        init() throws { world = try .current }

        @Test("A passkey is made and used, with each algorithm", arguments: [-7, -8, -257])
        func makeAndUse(_ algorithm: Int) async throws {
            var authenticator = Authenticator(
                AuthenticatorProfile(algorithms: [.init(rawValue: algorithm)], counter: .from(1))
            )
            let made = try await world.app.signUp(with: &authenticator)
            let used = try await world.app.signIn(with: &authenticator)
            for response in [made, used] {
                #expect(
                    response.json.names
                        == ["access_token", "id_token", "refresh_token", "scope", "expires_in", "token_type"]
                )
                #expect(response["expires_in"] == 86400)
                #expect(response.string("token_type") == "Bearer")
                #expect(response.string("scope") == "openid profile email offline_access")
            }
        }

        @Test("The passkey grant comes as a form too, the response as the text of an object")
        func form() async throws {
            var authenticator = Authenticator()
            let begun = try await world.web.register(email: uniqueEmail())
            let answer = try authenticator.create(begun.options, origin: world.acme.origin)
            let text = String(decoding: JSONValue.object(answer).serialized(), as: UTF8.self)
            let fields = [
                ("grant_type", App.passkeyGrant), ("client_id", world.web.id), ("scope", "openid"),
                ("auth_session", begun.session), ("authn_response", text),
            ]
            let response = try await world.acme.send(.form("/oauth/token", fields))
            #expect(response.status == 200, "\(response)")
            expect(try await world.acme.send(.form("/oauth/token", fields)), is: .session)
            let malformed = fields.dropLast() + [("authn_response", "{")]
            expect(try await world.acme.send(.form("/oauth/token", Array(malformed))), is: .invalid("authn_response"))
        }

        /// Faults that only policy makes faults, and those that need what this world does not have.
        private static let exceptions: Set<Fault> = [
            .userVerificationMissing, .credentialNotListed,
        ]

        static let registrationFaults = Fault.allCases.filter {
            $0.ceremonies.contains(.registration) && !exceptions.contains($0) && !$0.needsAttestation
        }
        static let loginFaults = Fault.allCases.filter {
            $0.ceremonies.contains(.authentication) && !exceptions.contains($0)
        }

        private func refusal(_ fault: Fault) -> Refusal {
            switch fault.reason.rawValue {
            case "invalid_authn_response": .response
            case "authenticator_not_allowed":
                Refusal(
                    403,
                    "access_denied",
                    "The authenticator is not allowed by policy",
                    "authenticator_not_allowed"
                )
            case "credential_exists":
                Refusal(403, "invalid_grant", "The passkey is already registered", "credential_exists")
            case "unknown_credential": .unknownPasskey
            default: .verification(fault.reason.rawValue)
            }
        }

        @Test("Each fault of a registration gets its row, and the session is gone", arguments: registrationFaults)
        func registration(_ fault: Fault) async throws {
            var authenticator = Authenticator()
            if fault == .credentialExists { try await world.app.signUp(with: &authenticator) }
            let email = uniqueEmail()
            let begun = try await world.app.register(email: email)
            let bad = try authenticator.create(begun.options, origin: world.acme.origin, fault: fault)
            expect(try await world.app.redeem(begun, bad), isCeremony: refusal(fault))
            let good = try authenticator.create(begun.options, origin: world.acme.origin)
            expect(try await world.app.redeem(begun, good), is: .session)
            try await world.app.signUp(email, with: &authenticator)
        }

        @Test("Each fault of a login gets its row, and the session is gone", arguments: loginFaults)
        func login(_ fault: Fault) async throws {
            var authenticator = Authenticator(AuthenticatorProfile(counter: .from(5)))
            try await world.app.signUp(with: &authenticator)
            try await world.app.signIn(with: &authenticator)
            let begun = try await world.app.challenge()
            var spoiled = authenticator
            let bad = try spoiled.get(begun.options, origin: world.acme.origin, fault: fault)
            expect(try await world.app.redeem(begun, bad), isCeremony: refusal(fault))
            let good = try authenticator.get(begun.options, origin: world.acme.origin)
            expect(try await world.app.redeem(begun, good), is: .session)
            try await world.app.signIn(with: &authenticator)
        }

        @Test("Packed attestations are verified also where none was asked for")
        func packed() async throws {
            var good = Authenticator(AuthenticatorProfile(attestation: .packedSelf, attestsUnasked: true))
            try await world.app.signUp(with: &good)
            let authority = try AttestationAuthority(
                aaguid: .zero,
                validAt: Int64(Date().timeIntervalSince1970)
            )
            var batch = Authenticator(AuthenticatorProfile(attestation: .packed(authority), attestsUnasked: true))
            try await world.app.signUp(with: &batch)
            let begun = try await world.app.register(email: uniqueEmail())
            let bad = try batch.create(begun.options, origin: world.acme.origin, fault: .attestationSignatureWrong)
            expect(try await world.app.redeem(begun, bad), isCeremony: .verification("attestation_invalid"))
        }

        @Test("Expected origins: the domain, its related origins, the client's under the RP ID; nothing else")
        func origins() async throws {
            for (app, origin, isFine) in [
                (world.app, "https://login.acme.example", true), (world.app, "https://shop.example", true),
                (world.web, "https://app.acme.example", true), (world.app, "https://app.acme.example", false),
                (world.web, "https://x.wild.acme.example", false),
                (world.app, "https://login.acme.example:8443", false),
                (world.app, "http://login.acme.example", false), (world.app, "https://acme.example", false),
                (world.app, "https://LOGIN.acme.example", false),
            ] {
                var authenticator = Authenticator()
                let begun = try await app.register(email: uniqueEmail())
                let response = try await app.redeem(begun, try authenticator.create(begun.options, origin: origin))
                if isFine {
                    #expect(response.status == 200, "\(origin): \(response)")
                } else {
                    expect(response, isCeremony: .verification("origin_mismatch"))
                }
            }
        }

        @Test("auth_session unknown, malformed, long, of another client, tenant, purpose or domain: one answer")
        func foreignSessions() async throws {
            var authenticator = Authenticator()
            try await world.app.signUp(with: &authenticator)
            let begun = try await world.app.challenge()
            let answer = try authenticator.get(begun.options, origin: world.acme.origin)
            func with(_ session: String) -> App.Begun { App.Begun(session: session, options: begun.options) }
            for session in [
                "x", "ÄÖÜ", String(repeating: "a", count: 10_000), begun.session + "=",
                Base64URL.encode(Array(repeating: 7, count: 32)),
            ] {
                expect(try await world.app.redeem(with(session), answer), is: .session)
            }
            expect(try await world.web.redeem(begun, answer), is: .session)
            expect(try await world.other.redeem(begun, answer), is: .session)
            #expect(try await world.app.redeem(begun, answer).status == 200, "none of these took it")
            expect(try await world.app.redeem(begun, answer), is: .session)

            // Section 12 has ceremonies of its own. The right client named this one, so it is taken.
            let elsewhere = try await world.app.challenge()
            let wrongPlace = try authenticator.get(elsewhere.options, origin: world.acme.origin)
            let session: JSONObject = [
                "client_id": .string(world.app.id), "auth_session": .string(elsewhere.session),
            ]
            let browser = try await world.acme.send(.json("/login/verify", wrongPlace.merging(session)))
            #expect(browser.status == 400)
            #expect(browser.string("reason") == "auth_session_invalid")
            expect(try await world.app.redeem(elsewhere, wrongPlace), is: .session)

            // A login's answer to a sign-up and the other way round.
            let signUp = try await world.app.register(email: uniqueEmail())
            expect(try await world.app.redeem(signUp, answer), isCeremony: .response)
        }

        @Test("One challenge used 1,000 times at once: exactly one success")
        func thousandTimes() async throws {
            var authenticator = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
            try await world.app.signUp(with: &authenticator)
            let begun = try await world.app.challenge()
            let answer = try authenticator.get(begun.options, origin: world.acme.origin)
            let request = world.app.tokenRequest(begun.session, answer)
            let requests = (0..<1000).map { request.from("127.0.0.\(10 + $0 % 4)") }
            let all = try await world.acme.send(requests)
            #expect(all.filter { $0.status == 200 }.count == 1)
            #expect(all.filter { $0.status == 403 && $0.string("reason") == "auth_session_invalid" }.count == 999)
        }

        @Test("Two logins with one counter at once: one of them fails")
        func counterRace() async throws {
            var authenticator = Authenticator(.securityKey)
            try await world.app.signUp(with: &authenticator)
            var requests: [Request] = []
            for _ in 0..<4 {
                let begun = try await world.app.challenge()
                var copy = authenticator
                requests.append(
                    world.app.tokenRequest(begun.session, try copy.get(begun.options, origin: world.acme.origin))
                )
            }
            let all = try await world.acme.send(requests)
            #expect(all.filter { $0.status == 200 }.count == 1)
            for response in all where response.status != 200 {
                expect(response, isCeremony: .verification("counter_regression"))
            }
        }

        @Test("Two open sign-ups for one address: the first to finish wins")
        func twoSignUps() async throws {
            let email = uniqueEmail()
            var authenticator = Authenticator()
            let one = try await world.app.register(email: email)
            let two = try await world.app.register(email: email.uppercased())
            let answers = [
                try authenticator.create(one.options, origin: world.acme.origin),
                try authenticator.create(two.options, origin: world.acme.origin),
            ]
            #expect(try await world.app.redeem(one, answers[0]).status == 200)
            expect(
                try await world.app.redeem(two, answers[1]),
                isCeremony: Refusal(403, "invalid_grant", "The user already exists", "user_exists")
            )
        }

        @Test("Ten sign-ups for one address at once: one account")
        func signUpRace() async throws {
            let email = uniqueEmail()
            var requests: [Request] = []
            for _ in 0..<10 {
                var authenticator = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
                let begun = try await world.app.register(email: email)
                let answer = try authenticator.create(begun.options, origin: world.acme.origin)
                requests.append(world.app.tokenRequest(begun.session, answer))
            }
            let all = try await world.acme.send(requests)
            #expect(all.filter { $0.status == 200 }.count == 1)
            #expect(all.filter { $0.string("reason") == "user_exists" }.count == 9)
        }

        @Test("A credential id belongs to one user, also when it comes with the owner's key")
        func credentialOfAnother() async throws {
            var owner = Authenticator()
            let subject = try Claims(try await world.app.signUp(with: &owner).token("id_token")).subject
            let begun = try await world.app.register(email: uniqueEmail())
            var thief = owner
            let answer = try thief.create(begun.options, origin: world.acme.origin, fault: .credentialExists)
            expect(
                try await world.app.redeem(begun, answer),
                isCeremony: Refusal(403, "invalid_grant", "The passkey is already registered", "credential_exists")
            )
            let again = try await world.app.signIn(with: &owner)
            #expect(try Claims(try again.token("id_token")).subject == subject)
        }

        @Test("The client data is any JSON, the user handle may be null only where the user is known")
        func looseForms() async throws {
            var authenticator = Authenticator()
            try await world.app.signUp(with: &authenticator)
            let begun = try await world.app.challenge()
            let answer = try authenticator.get(begun.options, origin: world.acme.origin)
            let padded = answer.setting(
                ["response", "signature"],
                answer["response"]?.object?["signature"]?.string.map {
                    JSONValue.string($0 + String(repeating: "=", count: (4 - $0.utf8.count % 4) % 4))
                }
            )
            #expect(try await world.app.redeem(begun, padded).status == 200, "base64url with padding")
            let second = try await world.app.challenge()
            let bare = try authenticator.get(second.options, origin: world.acme.origin)
                .setting(["response", "userHandle"], .null)
            expect(try await world.app.redeem(second, bare), isCeremony: .response)
            for (path, value) in [
                (["id"], "a+b/"), (["response", "signature"], " "), (["response", "authenticatorData"], "AA\nAA"),
            ] as [([String], JSONValue)] {
                let third = try await world.app.challenge()
                let odd = try authenticator.get(third.options, origin: world.acme.origin).setting(path, value)
                expect(try await world.app.redeem(third, odd), isCeremony: .response)
            }
        }

        @Test("Unknown transports, attachments and extension results do no harm; nulls count as absent")
        func unknownHints() async throws {
            var authenticator = Authenticator(AuthenticatorProfile(transports: ["cable", "", "smart-card", "warp"]))
            let begun = try await world.app.register(email: uniqueEmail())
            let answer = try authenticator.create(begun.options, origin: world.acme.origin)
                .merging([
                    "authenticatorAttachment": "implant",
                    "clientExtensionResults": ["credProps": ["rk": true], "x": [1]],
                    "unknown": ["a": nil],
                ])
                .setting(["response", "publicKeyAlgorithm"], -7)
                .setting(["response", "publicKey"], "ignored")
                .setting(["response", "authenticatorData"], nil)
            #expect(try await world.app.redeem(begun, answer).status == 200)
            let login = try await world.app.challenge()
            let used = try authenticator.get(login.options, origin: world.acme.origin)
                .merging(["authenticatorAttachment": nil, "clientExtensionResults": nil])
            #expect(try await world.app.redeem(login, used).status == 200)
        }

        @Test("unknown_credential is told only when nobody of the deployment has the id under that RP ID")
        func unknownCredential() async throws {
            var stranger = Authenticator()
            try await world.other.signUp(with: &stranger)
            let begun = try await world.app.challenge()
            let options = begun.options.merging(["rpId": "other.example"])
            let answer = try stranger.get(options, origin: world.acme.origin)
            #expect(
                try await world.app.redeem(begun, answer).string("reason") == "rp_id_mismatch",
                "what needs no record comes first"
            )
            var unknown = Authenticator()
            try await world.app.signUp(with: &unknown)
            let second = try await world.app.challenge()
            let fresh = try unknown.get(second.options, origin: world.acme.origin, fault: .credentialUnknown)
            expect(try await world.app.redeem(second, fresh), isCeremony: .unknownPasskey)
        }

        @Test("A tenant may hide which check failed")
        func hiddenReasons() async throws {
            let app = world.hidesReasons
            var authenticator = Authenticator()
            try await app.signUp(with: &authenticator)
            for fault in [Fault.originWrong, .signatureWrong, .challengeWrong] {
                let begun = try await app.challenge()
                var copy = authenticator
                let answer = try copy.get(begun.options, origin: app.site.origin, fault: fault)
                let response = try await app.redeem(begun, answer)
                #expect(response.status == 403)
                #expect(response["reason"] == nil)
                #expect(response.string("error_description") == "Passkey verification failed")
            }
        }

        @Test("Without offline_access no refresh token, without openid no ID token, without scope neither")
        func scopes() async throws {
            var authenticator = Authenticator()
            try await world.app.signUp(with: &authenticator)
            let plain = try await world.app.signIn(with: &authenticator, scope: "openid")
            #expect(plain.json.names == ["access_token", "id_token", "scope", "expires_in", "token_type"])
            let none = try await world.app.signIn(with: &authenticator, scope: "")
            #expect(none.json.names == ["access_token", "scope", "expires_in", "token_type"])
            #expect(none.string("scope") == "")
            let userinfo = try await world.acme.send(
                Request.get("/userinfo").with("Authorization", "Bearer \(try none.token("access_token"))")
            )
            #expect(userinfo.status == 403)
            #expect(userinfo.header("www-authenticate")?.contains("error=\"insufficient_scope\"") == true)
            let begun = try await world.passkeyOnly.challenge()
            let answer = try authenticator.get(begun.options, origin: world.acme.origin)
            let noGrant = try await world.passkeyOnly.redeem(begun, answer)
            #expect(noGrant.status == 200)
            #expect(noGrant["refresh_token"] == nil, "the client may not refresh")
            #expect(noGrant.string("scope") == "openid profile email")
        }
    }
}
