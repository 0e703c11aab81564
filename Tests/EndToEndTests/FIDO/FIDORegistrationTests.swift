import CBOR
import COSE
import Encodings
import Foundation
import SoftwareAuthenticator
import Testing
import WebAuthn

extension FIDOServerTests {
    @Suite("ServerPublicKeyCredentialCreationOptions Req-1")
    struct CreationOptionsRequest {
        let world: FIDOWorld

        init() throws { world = try .current }

        @Test("P1: the options have their shape")
        func shape() async throws {
            let response = try await world.post(
                "/attestation/options",
                [
                    "username": "ana@example.com", "displayName": "Ana", "attestation": "direct",
                    "authenticatorSelection": [
                        "requireResidentKey": false, "authenticatorAttachment": "cross-platform",
                        "userVerification": "preferred",
                    ],
                    "extensions": ["example.extension": true],
                ]
            )
            expectOK(response)
            let user = try #require(response["user"]?.object)
            #expect(user["name"] == "ana@example.com" && user["displayName"] == "Ana")
            let id = try Base64URL.decode(try #require(user["id"]?.string))
            #expect((1...64).contains(id.count) && id != Array("ana@example.com".utf8))
            let rp = try #require(response["rp"]?.object)
            #expect(rp["id"] == "fido.example.com" && rp["name"]?.string?.isEmpty == false)
            #expect(try Base64URL.decode(try #require(response.string("challenge"))).count >= 16)
            let parameters = try #require(response["pubKeyCredParams"]?.array).compactMap(\.object)
            #expect(parameters.allSatisfy { $0["type"] == "public-key" })
            let algorithms = parameters.compactMap { $0["alg"]?.integer }
            #expect(Set([-7, -8, -257]).isSubset(of: algorithms) && !algorithms.contains(-65535))
            #expect(try #require(response["timeout"]?.integer) > 0)
            #expect(response["excludeCredentials"]?.array?.isEmpty == true)
            #expect(response["extensions"] == ["example.extension": true])
            #expect(
                response["authenticatorSelection"] == [
                    "authenticatorAttachment": "cross-platform", "requireResidentKey": false,
                    "userVerification": "preferred",
                ]
            )
            #expect(response.string("attestation") == "direct")
            // A prefix in front of the paths changes nothing.
            expectOK(
                try await world.post("/fido2-test/attestation/options", ["username": "b", "displayName": "B"])
            )
        }

        @Test(
            "P2: the attestation asked for is the one in the options",
            arguments: ["none", "indirect", "direct", "enterprise"]
        )
        func attestation(_ word: String) async throws {
            #expect(try await world.beginRegistration(attestation: word).options["attestation"]?.string == word)
        }

        @Test("P3: two challenges differ, and user.id stays once there is a user")
        func challenges() async throws {
            let (name, _) = try await world.user()
            let (one, other) = (try await world.beginRegistration(name), try await world.beginRegistration(name))
            #expect(one.options["challenge"] != other.options["challenge"])
            #expect(one.options["user"] == other.options["user"])
        }

        @Test("Without a name, or with another thing than one, there are no options")
        func names() async throws {
            for body: JSONObject in [
                [:], ["username": "a"], ["displayName": "A"], ["username": 1, "displayName": "A"],
                ["username": "", "displayName": "A"],
            ] {
                let response = try await world.post("/attestation/options", body)
                #expect(response.status == 400 && response.string("status") == "failed", "\(body)")
                #expect(response.string("errorMessage")?.isEmpty == false)
            }
        }
    }

    @Suite("ServerAuthenticatorAttestationResponse Resp-1 to Resp-4: response, client data, attestation object, keys")
    struct AttestationResponses {
        let world: FIDOWorld

        init() throws { world = try .current }

        /// Options and the right answer to them.
        private func answered(
            _ profile: AuthenticatorProfile = .syncedPasskey,
            attestation: String = "none"
        ) async throws -> (JSONObject, FIDOWorld.Begun) {
            var authenticator = Authenticator(profile)
            let begun = try await world.beginRegistration(attestation: attestation)
            return (try authenticator.create(begun.options, origin: world.site.origin), begun)
        }

        @Test("Resp-1 P1: a right response is taken, and then the credential is excluded; rawId may be absent")
        func right() async throws {
            let (name, authenticator) = try await world.user()
            let listed = try await world.beginRegistration(name).options["excludeCredentials"]?.array
            #expect(listed?.count == 1)
            let id = authenticator.credentials.first.map { Base64URL.encode($0.id) }
            #expect(listed?.first?.object?["id"]?.string == id)
            var (response, begun) = try await answered()
            response["rawId"] = nil
            response["getClientExtensionResults"] = [:]
            expectOK(try await world.finish(response, begun))
            // One answer a challenge.
            expectFailed(try await world.finish(response, begun), "auth_session_invalid")
        }

        static let structureCases = [
            Spoiling("F1 id missing", ["id"], nil), Spoiling("F2 id no string", ["id"], 1),
            Spoiling("F3 id not base64url", ["id"], "a+/="), Spoiling("F4 type missing", ["type"], nil),
            Spoiling("F5 type no string", ["type"], []), Spoiling("F6 type another", ["type"], "private-key"),
            Spoiling("F7 response missing", ["response"], nil), Spoiling("F8 response no object", ["response"], "x"),
            Spoiling("F9 clientDataJSON missing", ["response", "clientDataJSON"], nil),
            Spoiling("F10 clientDataJSON no string", ["response", "clientDataJSON"], 1),
            Spoiling("F11 clientDataJSON empty", ["response", "clientDataJSON"], ""),
            Spoiling("F12 attestationObject missing", ["response", "attestationObject"], nil),
            Spoiling("F13 attestationObject no string", ["response", "attestationObject"], [:]),
            Spoiling("F14 attestationObject empty", ["response", "attestationObject"], ""),
        ]

        @Test("Resp-1: each fault of the structure is refused", arguments: structureCases)
        func structure(_ spoiling: Spoiling) async throws {
            let (response, begun) = try await answered()
            expectFailed(
                try await world.finish(spoiling.applied(to: response), begun),
                "invalid_authn_response",
                spoiling.description
            )
        }

        static let clientDataCases: [(Spoiling, String)] = [
            (Spoiling("F1 type missing", ["type"], nil), "invalid_authn_response"),
            (Spoiling("F2 type no string", ["type"], 1), "invalid_authn_response"),
            (Spoiling("F3 type empty", ["type"], ""), "type_mismatch"),
            (Spoiling("F4 type another", ["type"], "webauthn.make"), "type_mismatch"),
            (Spoiling("F5 type of a login", ["type"], "webauthn.get"), "type_mismatch"),
            (Spoiling("F6 challenge missing", ["challenge"], nil), "invalid_authn_response"),
            (Spoiling("F7 challenge no string", ["challenge"], 1), "invalid_authn_response"),
            (Spoiling("F8 challenge empty", ["challenge"], ""), "challenge_mismatch"),
            (Spoiling("F9 challenge not base64url", ["challenge"], "+/="), "challenge_mismatch"),
            (
                Spoiling("F10 another challenge", ["challenge"], .string(Base64URL.encode(Array(0..<32)))),
                "challenge_mismatch"
            ),
            (Spoiling("F11 origin missing", ["origin"], nil), "invalid_authn_response"),
            (Spoiling("F12 origin no string", ["origin"], 1), "invalid_authn_response"),
            (Spoiling("F13 origin empty", ["origin"], ""), "origin_mismatch"),
            (Spoiling("F14 another origin", ["origin"], "https://else.example"), "origin_mismatch"),
        ]

        @Test("Resp-2: each fault of the client data is refused for its reason", arguments: clientDataCases)
        func clientData(_ spoiling: Spoiling, _ reason: String) async throws {
            let (response, begun) = try await answered()
            let spoilt = try response.withClientData(spoiling.applied)
            expectFailed(try await world.finish(spoilt, begun), reason, spoiling.description)
        }

        @Test("Resp-2 F15 to F17, Level 3: token binding is gone, and ignored whatever it is")
        func tokenBinding() async throws {
            for value: JSONValue in ["x", [:], ["status": "nonsense"]] {
                let (response, begun) = try await answered()
                let other = try response.withClientData(Spoiling("", ["tokenBinding"], value).applied)
                expectOK(try await world.finish(other, begun))
            }
        }

        @Test("Resp-3 P1: extension data with ED set is taken")
        func extensionData() async throws {
            var profile = AuthenticatorProfile.syncedPasskey
            profile.registrationExtensions = CBORMap([CBORMap.Entry(key: "credProtect", value: 2)])
            let (response, begun) = try await answered(profile)
            expectOK(try await world.finish(response, begun))
        }

        /// The members of attestation object and authenticator data, by the number in the list.
        static let objects: [(String, @Sendable (inout CBORMap) throws -> Void)] = [
            ("F2 fmt missing", { $0["fmt"] = nil }), ("F3 fmt no text", { $0["fmt"] = 1 }),
            ("F4 attStmt missing", { $0["attStmt"] = nil }), ("F5 attStmt no map", { $0["attStmt"] = [] }),
            ("F6 authData missing", { $0["authData"] = nil }), ("F7 authData no bytes", { $0["authData"] = "x" }),
            ("F8 authData empty", { $0["authData"] = .bytes([]) }),
            ("F9 AT clear, data there", { try change(&$0) { $0[32] &= ~0x40 } }),
            (
                "F10 AT clear, no data",
                { try change(&$0) { $0 = Array($0.prefix(32)) + [$0[32] & ~0x40, 0, 0, 0, 0] } }
            ),
            ("F11 AT set, no data", { try change(&$0) { $0 = Array($0.prefix(37)) } }),
            ("F12 bytes left over", { try change(&$0) { $0 += [0] } }),
        ]

        private static func change(_ map: inout CBORMap, _ body: (inout [UInt8]) -> Void) throws {
            var data = try #require(map["authData"]?.bytes)
            body(&data)
            map["authData"] = .bytes(data)
        }

        @Test("Resp-3 F1 to F12: each fault of the attestation object is refused", arguments: objects.indices)
        func attestationObjects(_ index: Int) async throws {
            let (response, begun) = try await answered()
            let (name, spoil) = Self.objects[index]
            let spoilt = try response.withAttestationObject(spoil)
            expectFailed(try await world.finish(spoilt, begun), "invalid_authn_response", name)
        }

        @Test("Resp-3 F1: what is no CBOR map is refused")
        func noMap() async throws {
            for bytes: [UInt8] in [[0x80], [0x01], [0xff], [0xa1]] {
                let (response, begun) = try await answered()
                expectFailed(
                    try await world.finish(response.withAttestationBytes(bytes), begun),
                    "invalid_authn_response"
                )
            }
        }

        /// What a packed statement may not be.
        static let statements: [(String, @Sendable (inout CBORMap) -> Void)] = [
            ("F13 empty", { $0 = CBORMap() }), ("F14 alg missing", { $0["alg"] = nil }),
            ("F15 alg no number", { $0["alg"] = "x" }), ("F16 alg another", { $0["alg"] = -257 }),
            ("F17 sig missing", { $0["sig"] = nil }), ("F18 sig no bytes", { $0["sig"] = "x" }),
            ("F19 sig empty", { $0["sig"] = .bytes([]) }),
        ]

        @Test("Resp-3 F13 to F19: each fault of a packed statement is refused", arguments: statements.indices)
        func packedStatements(_ index: Int) async throws {
            let profile = AuthenticatorProfile(aaguid: world.maker.aaguid, attestation: .packed(world.maker))
            let (response, begun) = try await answered(profile, attestation: "direct")
            let (name, spoil) = Self.statements[index]
            let spoilt = try response.withAttestationObject { map in
                var statement = try #require(map["attStmt"]?.map)
                spoil(&statement)
                map["attStmt"] = .map(statement)
            }
            expectFailed(try await world.finish(spoilt, begun), "attestation_invalid", name)
        }

        @Test(
            "Resp-4: a key of each algorithm is taken, with an attestation of its own",
            arguments: [-47, -37, -38, -39, -257, -258, -259, -7, -35, -36, -8]
        )
        func algorithms(_ algorithm: Int) async throws {
            let profile = AuthenticatorProfile(
                algorithms: [COSEAlgorithm(rawValue: algorithm)],
                attestation: .packedSelf
            )
            let (response, begun) = try await answered(profile, attestation: "direct")
            expectOK(try await world.finish(response, begun), "algorithm \(algorithm)")
        }
    }
}
