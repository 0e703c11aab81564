import Encodings
import Foundation
import JOSE
import SoftwareAuthenticator
import Testing

extension ContractTests {
    @Suite("2.2 and 3.1: clients, their proofs, their grants")
    struct Clients {
        let world: ContractWorld

        init() throws { world = try .current }

        private func token(_ members: JSONObject, basic: (String, String)? = nil) async throws -> Response {
            var request = Request.json("/oauth/token", members)
            if let basic {
                let pair = Request.escaped(basic.0) + ":" + Request.escaped(basic.1)
                request = request.with("Authorization", "Basic " + Base64.encode(Array(pair.utf8)))
            }
            return try await world.acme.send(request)
        }

        /// What a request gets that has only its client right: the next check fails.
        private let next = Refusal.missing("grant_type")

        @Test("client_id is missing, unknown, or of another tenant")
        func unknown() async throws {
            expect(try await token([:]), is: .missing("client_id"))
            for id in ["nobody", world.other.id, "\"><script>"] {
                let response = try await token(["client_id": .string(id)])
                expect(response, is: .unknownClient)
                #expect(response.header("www-authenticate") == nil)
                expect(
                    try await world.acme.send(.json("/passkey/challenge", ["client_id": .string(id)])),
                    is: .unknownClient
                )
                expect(
                    try await world.acme.send(.json("/login/options", ["client_id": .string(id)])),
                    is: .unknownClient
                )
            }
        }

        @Test("A public client proves nothing; one that sends a secret is refused")
        func publicClient() async throws {
            expect(try await token(["client_id": .string(world.app.id)]), is: next)
            expect(
                try await token(["client_id": .string(world.app.id), "client_secret": "x"]),
                is: .clientAuthentication
            )
        }

        @Test("client_secret_post and client_secret_basic each take the other way too")
        func secrets() async throws {
            for client in [world.backend, world.basic] {
                let secret = try #require(client.secret)
                let id = JSONValue.string(client.id)
                expect(try await token(["client_id": id, "client_secret": .string(secret)]), is: next)
                expect(try await token([:], basic: (client.id, secret)), is: next)
                expect(try await token(["client_id": id], basic: (client.id, secret)), is: next)
                expect(
                    try await world.acme.send(
                        .form("/oauth/token", [("client_id", client.id), ("client_secret", secret)])
                    ),
                    is: next
                )
                for wrong in ["", "x", secret + "x", String(secret.dropLast())] {
                    let body: JSONObject = ["client_id": id, "client_secret": .string(wrong)]
                    let response = try await token(body)
                    expect(response, is: .clientAuthentication)
                    #expect(response.header("www-authenticate") == nil)
                    expect(try await world.acme.send(.json("/passkey/challenge", body)), is: .clientAuthentication)
                }
                let basic = try await token([:], basic: (client.id, "wrong"))
                expect(basic, is: .clientAuthentication)
                #expect(basic.header("www-authenticate") == "Basic realm=\"https://login.acme.example\"")
                expect(
                    try await token(["client_id": id, "client_secret": .string(secret)], basic: (client.id, secret)),
                    is: .twoWays
                )
            }
        }

        private func assertion(_ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
            let now = Int64(Date().timeIntervalSince1970)
            var claims: JSONObject = [
                "iss": .string(world.assertion.id), "sub": .string(world.assertion.id),
                "aud": .string(world.acme.issuer), "iat": .integer(now), "exp": .integer(now + 60),
                "jti": .string(unique()),
            ]
            change(&claims)
            let signer = try JWTSigner(keyID: "k1", algorithm: .es256, key: world.assertionKey)
            return try signer.sign(claims: JSONValue.object(claims).serialized())
        }

        private func send(assertion: String) async throws -> Response {
            try await token([
                "client_id": .string(world.assertion.id), "client_assertion": .string(assertion),
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ])
        }

        @Test("private_key_jwt: a signed assertion is taken once, for the issuer or the token endpoint")
        func assertions() async throws {
            for audience in [world.acme.issuer, world.acme.base + "/oauth/token"] {
                let good = try assertion { $0["aud"] = .string(audience) }
                expect(try await send(assertion: good), is: next)
                expect(try await send(assertion: good), is: .clientAuthentication)
            }
            expect(try await token(["client_id": .string(world.assertion.id)]), is: .clientAuthentication)
            let now = Int64(Date().timeIntervalSince1970)
            let spoiled: [(inout JSONObject) -> Void] = [
                { $0["aud"] = .array([.string("https://login.acme.example/")]) },
                { $0["aud"] = "https://other.example/" },
                { $0["iss"] = "x" }, { $0["sub"] = "x" }, { $0["jti"] = nil }, { $0["exp"] = nil },
                { $0["exp"] = .integer(now - 60) }, { $0["exp"] = .integer(now + 3600) },
                { $0["nbf"] = .integer(now + 3600) },
            ]
            for change in spoiled {
                expect(try await send(assertion: try assertion(change)), is: .clientAuthentication)
            }
            let forged = try assertion().split(separator: ".")
            let none = Base64URL.encode(Array("{\"alg\":\"none\",\"kid\":\"k1\"}".utf8))
            for text in [
                "x", "\(none).\(forged[1]).", "\(none).\(forged[1]).\(forged[2])", "\(forged[0]).\(forged[1]).",
            ] {
                expect(try await send(assertion: text), is: .clientAuthentication)
            }
        }

        @Test("Of twenty uses of one assertion at once, one succeeds")
        func assertionRace() async throws {
            let text = try assertion()
            let request = Request.json(
                "/oauth/token",
                [
                    "client_assertion": .string(text),
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                ]
            )
            let all = try await world.acme.send(Array(repeating: request, count: 20))
            #expect(all.filter { $0.string("reason") == "missing_parameter" }.count == 1)
            #expect(all.filter { $0.string("reason") == "client_authentication_failed" }.count == 19)
        }

        @Test("The grant must be there, be served, and be the client's")
        func grants() async throws {
            let id = JSONValue.string(world.app.id)
            expect(try await token(["client_id": id]), is: next)
            for grant in [
                "x", "implicit", "urn:ietf:params:oauth:grant-type:device_code",
            ] {
                expect(
                    try await token(["client_id": id, "grant_type": .string(grant)]),
                    is: Refusal(
                        400,
                        "unsupported_grant_type",
                        "Unsupported grant type: \(grant)",
                        "unsupported_grant_type"
                    )
                )
            }
            let odd = try await token(["client_id": id, "grant_type": "\"\\\u{e9}\n"])
            #expect(odd.string("error_description") == "Unsupported grant type: ?????", "ASCII without quotes")
            let lacking = JSONValue.string(world.codeOnly.id)
            for grant in [App.passkeyGrant, "refresh_token"] {
                expect(
                    try await token(["client_id": lacking, "grant_type": .string(grant)]),
                    is: Refusal(
                        403,
                        "unauthorized_client",
                        "Grant type '\(grant)' not allowed for the client.",
                        "grant_not_allowed"
                    )
                )
            }
            for path in ["/passkey/register", "/passkey/challenge"] {
                expect(
                    try await world.codeOnly.post(path, [:]),
                    is: Refusal(
                        400,
                        "unauthorized_client",
                        "Grant type '\(App.passkeyGrant)' not allowed for the client.",
                        "grant_not_allowed"
                    )
                )
            }
        }

        @Test("Parameters of the passkey grant are required, and a request without them takes no session")
        func parameters() async throws {
            var authenticator = Authenticator()
            let begun = try await world.app.register(email: uniqueEmail())
            let answer = try authenticator.create(begun.options, origin: world.acme.origin)
            let grant: JSONObject = ["grant_type": .string(App.passkeyGrant)]
            expect(try await world.app.post("/oauth/token", grant), is: .missing("auth_session"))
            let session = grant.merging(["auth_session": .string(begun.session)])
            expect(try await world.app.post("/oauth/token", session), is: .missing("authn_response"))
            expect(
                try await world.app.post("/oauth/token", session.merging(["authn_response": "x"])),
                is: .invalid("authn_response")
            )
            expect(
                try await world.app.post("/oauth/token", session.merging(["auth_session": 1])),
                is: .invalid("auth_session")
            )
            expect(
                try await world.app.redeem(begun, answer, ["realm": "No-such-connection"]),
                is: Refusal(
                    400,
                    "invalid_request",
                    "The connection does not exist or is not enabled for the client",
                    "unknown_connection"
                )
            )
            expect(
                try await world.app.redeem(begun, answer, ["audience": "https://api.example.com/"]),
                is: Refusal(403, "access_denied", "Service not found: https://api.example.com/", "unknown_audience")
            )
            #expect(try await world.app.redeem(begun, answer).status == 200, "the session was there all the time")
        }

        @Test("The order of checks: host, method, body, repeats, client, grant, parameters, connection, audience")
        func order() async throws {
            expect(try await world.server.send(.get("/oauth/token"), host: "nobody.example"), is: .unknownHost)
            #expect(
                try await world.acme.send(Request(method: "PUT", target: "/oauth/token", body: [0x7B])).status == 405
            )
            expect(
                try await world.acme.send(
                    .form("/oauth/token", [("client_id", "x"), ("client_id", "x"), ("grant_type", "nonsense")])
                ),
                is: .repeated("client_id")
            )
            expect(try await token(["client_id": "x", "grant_type": "nonsense"]), is: .unknownClient)
            let grant: JSONObject = ["client_id": .string(world.app.id), "grant_type": .string(App.passkeyGrant)]
            expect(
                try await token(grant.merging(["realm": "none", "audience": "none"])),
                is: .missing("auth_session")
            )
            let whole = grant.merging(["auth_session": "none", "authn_response": .object([:])])
            #expect(
                try await token(whole.merging(["realm": "none", "audience": "none"])).string("reason")
                    == "unknown_connection"
            )
            #expect(try await token(whole.merging(["audience": "none"])).string("reason") == "unknown_audience")
            expect(try await token(whole), is: .session)
        }
    }

    @Suite("2.3: what /passkey/* refuses")
    struct Beginning {
        let world: ContractWorld

        init() throws { world = try .current }

        private func both(_ app: App, _ more: JSONObject = [:], is refusal: Refusal) async throws {
            expect(try await app.site.send(app.registerRequest(["email": "a@example.com"], more)), is: refusal)
            expect(try await app.post("/passkey/challenge", more), is: refusal)
        }

        @Test("Passkeys are off for the tenant, or for the connection")
        func off() async throws {
            try await both(
                world.tenantOff,
                is: Refusal(404, "not_found", "Passkeys are not enabled", "passkeys_disabled")
            )
            try await both(
                world.connectionOff,
                is: Refusal(
                    400,
                    "invalid_request",
                    "Passkeys are not enabled for the connection",
                    "passkeys_disabled"
                )
            )
        }

        @Test("A third-party client and one that is not OIDC conformant")
        func notOurs() async throws {
            let refusal = Refusal(
                400,
                "unauthorized_client",
                "The client is not allowed to use passkeys",
                "client_not_first_party"
            )
            try await both(world.thirdParty, is: refusal)
            try await both(world.notConformant, is: refusal)
        }

        @Test("An unknown realm, one that is not enabled for the client, and none at all")
        func realms() async throws {
            let unknown = Refusal(
                400,
                "invalid_request",
                "The connection does not exist or is not enabled for the client",
                "unknown_connection"
            )
            try await both(world.app, ["realm": "nobody"], is: unknown)
            try await both(world.app, ["connection": "nobody"], is: unknown)
            try await both(world.noConnection, is: unknown)
            try await both(world.noConnection, ["realm": "Username-Password-Authentication"], is: unknown)
            try await both(
                world.noDirectory,
                is: Refusal(400, "invalid_request", "No default directory is configured", "no_default_directory")
            )
            #expect(
                try await world.app.post("/passkey/challenge", ["realm": "Username-Password-Authentication"]).status
                    == 200
            )
        }

        @Test("The canonical domain, where passkeys need a custom one")
        func customDomain() async throws {
            try await both(
                world.customDomainOnly,
                is: Refusal(400, "invalid_request", "Passkeys need a custom domain", "custom_domain_required")
            )
            #expect(
                try await world.customDomainOnly.at(world.customDomain).post("/passkey/challenge", [:]).status == 200
            )
        }

        @Test("Organizations are not supported")
        func organizations() async throws {
            for path in ["/passkey/challenge", "/passkey/register"] {
                let response = try await world.app.post(
                    path,
                    ["organization": "org_1", "user_profile": ["email": "a@example.com"]]
                )
                #expect(response.status == 400)
                #expect(response.string("error_description") == "Organizations are not supported")
            }
        }

        @Test(
            "The profile of a sign-up",
            arguments: [
                ([:], "missing_identifier", "Missing required user_profile attribute: email"),
                (["name": "Ana"], "missing_identifier", "Missing required user_profile attribute: email"),
                (["email": nil], "missing_identifier", "Missing required user_profile attribute: email"),
                (["email": "no-at"], "invalid_identifier", "Invalid user_profile attribute: email"),
                (["email": "a@b@c.example"], "invalid_identifier", "Invalid user_profile attribute: email"),
                (["email": 7], "invalid_identifier", "Invalid user_profile attribute: email"),
                (
                    ["email": "a@example.com", "username": "ana"], "unknown_attribute",
                    "Unknown user_profile attribute: username"
                ),
                (
                    ["email": "a@example.com", "shoe_size": "43"], "unknown_attribute",
                    "Unknown user_profile attribute: shoe_size"
                ),
                (["email": "a@example.com", "name": ""], "invalid_identifier", "Invalid user_profile attribute: name"),
                (
                    ["email": "a@example.com", "picture": "x"], "invalid_identifier",
                    "Invalid user_profile attribute: picture"
                ),
            ] as [(JSONObject, String, String)]
        )
        func profiles(_ profile: JSONObject, _ reason: String, _ text: String) async throws {
            expect(
                try await world.acme.send(world.app.registerRequest(profile)),
                is: Refusal(400, "invalid_request", text, reason)
            )
        }

        @Test("user_metadata has at most ten members, all of them strings")
        func metadata() async throws {
            var eleven = JSONObject()
            for index in 0..<11 { eleven["m\(index)"] = "x" }
            let profile: JSONObject = ["email": .string(uniqueEmail())]
            for value in [JSONValue.object(eleven), ["a": 1], "text", ["a": ["b": "c"]]] {
                expect(
                    try await world.acme.send(world.app.registerRequest(profile, ["user_metadata": value])),
                    is: Refusal(400, "invalid_request", "Invalid user_metadata", "invalid_user_metadata")
                )
            }
            _ = try await world.app.register(profile, ["user_metadata": ["plan": "free"]])
        }

        @Test("Sign-up is off, or the user is there already, however the address is written")
        func existing() async throws {
            expect(
                try await world.signupOff.site.send(world.signupOff.registerRequest(["email": "a@example.com"])),
                is: Refusal(400, "invalid_request", "Signup is disabled", "signup_disabled")
            )
            #expect(try await world.signupOff.post("/passkey/challenge", [:]).status == 200)
            let email = uniqueEmail()
            var authenticator = Authenticator()
            try await world.app.signUp(email, with: &authenticator)
            for spelling in [email, email.uppercased(), " \(email) "] {
                expect(
                    try await world.acme.send(world.app.registerRequest(["email": .string(spelling)])),
                    is: Refusal(400, "invalid_request", "The user already exists", "user_exists")
                )
            }
        }

        @Test("Registration options are those of the contract, and nothing else")
        func creationOptions() async throws {
            let email = uniqueEmail()
            let begun = try await world.app.register(["email": .string(email), "name": "Ana"])
            let options = begun.options
            #expect(
                options.names
                    == ["rp", "user", "challenge", "pubKeyCredParams", "timeout", "authenticatorSelection"]
            )
            #expect(options["rp"] == ["id": "acme.example", "name": "acme.example"])
            let user = try #require(options["user"]?.object)
            #expect(user["name"] == .string(email))
            #expect(user["displayName"] == "Ana")
            #expect(try Base64URL.decode(try #require(user["id"]?.string)).count == 32)
            #expect(try Base64URL.decode(try #require(options["challenge"]?.string)).count == 32)
            #expect(options["timeout"] == 60000)
            #expect(
                options["pubKeyCredParams"]
                    == [
                        ["type": "public-key", "alg": -8], ["type": "public-key", "alg": -7],
                        ["type": "public-key", "alg": -257],
                    ]
            )
            #expect(
                options["authenticatorSelection"] == ["residentKey": "required", "userVerification": "preferred"]
            )
            #expect(try Base64URL.decode(begun.session).count == 32)
            let again = try await world.app.register(["email": .string(email)])
            #expect(again.options["challenge"] != options["challenge"])
            #expect(again.options["user"]?.object?["displayName"] == .string(email))
        }

        @Test("Request options tell nothing of any user")
        func requestOptions() async throws {
            let options = try await world.app.challenge().options
            #expect(options.names == ["challenge", "timeout", "rpId", "userVerification"])
            #expect(options["rpId"] == "acme.example")
            #expect(options["userVerification"] == "preferred")
            #expect(options["timeout"] == 60000)
        }

        @Test("Long names are cut at a character, long addresses sign up and in")
        func longNames() async throws {
            let email =
                unique() + String(repeating: "a", count: 40) + "@" + String(repeating: "b", count: 60) + "."
                + String(repeating: "c", count: 60) + "." + String(repeating: "d", count: 60) + ".example.com"
            let emoji = String(repeating: "\u{1F600}", count: 70)
            var authenticator = Authenticator()
            let begun = try await world.app.register(["email": .string(email), "name": .string(emoji)])
            let user = try #require(begun.options["user"]?.object)
            #expect(user["displayName"] == .string(String(repeating: "\u{1F600}", count: 16)))
            #expect(try #require(user["name"]?.string).utf8.count == 64)
            let answer = try authenticator.create(begun.options, origin: world.acme.origin)
            #expect(try await world.app.redeem(begun, answer).status == 200)
            try await world.app.signIn(with: &authenticator)
        }
    }
}
