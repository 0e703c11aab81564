import Encodings
import Identity
import SoftwareAuthenticator
import Testing

@testable import HTTPAPI

@Suite("10: the My Account API")
struct MyAccountTests {
    private let methods = AccountUser.methods

    @Test("A passkey is added as both mobile clients add it, and read as they read it")
    func enrolls() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            let user = try await AccountUser.withPasskey(house, "ana@example.com")
            let started = try await user.send("POST", methods, ["type": "passkey"])
            #expect(started.status == 202 && started.json.members.count == 2, "\(started)")
            // The id is the last segment of the path, percent-decoded.
            #expect(started.header("location") == House.base + "/me/v1/authentication-methods/passkey%7Cnew")
            let options = try #require(started["authn_params_public_key"]?.object)
            #expect(options["excludeCredentials"]?.array?.count == 1, "\(options)")
            #expect(options["timeout"] == 60000 && options["extensions"] == nil && options["attestation"] == nil)
            #expect(options["authenticatorSelection"]?.object?["userVerification"] == "preferred")

            var phone = Authenticator()
            let answer = try phone.create(options, origin: House.base)
            let session = started.string("auth_session")
            // The id as it is, not encoded.
            let raw = try await user.send(
                "POST",
                methods + "/passkey|new/verify",
                ["auth_session": .string(session ?? ""), "authn_response": .object(answer)]
            )
            #expect(raw.status == 201, "\(raw)")
            try expectPasskey(raw, of: phone)
            let id = try #require(raw.string("id"))
            let location = try #require(raw.header("location"))
            #expect(location == House.base + "/me/v1/authentication-methods/" + id.replacing("|", with: "%7C"))
            #expect(raw["signals"]?.object?["all_accepted_credentials"] != nil)

            let read = try await user.get(String(location.dropFirst(House.base.utf8.count)))
            #expect(read.status == 200 && read.json.members.allSatisfy { raw[$0.name] == $0.value }, "\(read)")
            // The session is taken.
            expect(try await user.finish(session, answer), 400, account: "validation_error", "auth_session_invalid")
            #expect(
                try await user.log().sorted() == [
                    "my_account_authentication_method_failed", "my_account_authentication_method_succeeded",
                ]
            )
            // It signs in.
            var other = user.person
            other.authenticator = phone
            #expect(try await other.signIn().status == 200)
        }
    }

    /// The members that at least one of the clients cannot do without, in the forms that they decode.
    private func expectPasskey(_ answer: Answer, of holder: Authenticator) throws {
        let id = try #require(answer.string("id"))
        #expect(id.hasPrefix("passkey|dev_") && id.utf8.count == 28)
        #expect(answer.string("type") == "passkey" && answer["usage"] == ["primary"])
        let created = try #require(answer.string("created_at"))
        #expect(created.utf8.count == 24 && created.hasSuffix("Z") && created.dropLast(4).hasSuffix("."), "\(created)")
        let credential = try #require(holder.credentials.first)
        #expect(answer.string("key_id") == Base64URL.encode(credential.id))
        #expect(answer.string("user_handle") == Base64URL.encode(credential.userHandle))
        let key = try #require(answer.string("public_key"))
        #expect(try !Base64.decode(key).isEmpty && key.utf8.count % 4 == 0, "standard base64 with its padding")
        #expect(["single_device", "multi_device"].contains(answer.string("credential_device_type")))
        #expect(answer["credential_backed_up"]?.bool != nil && answer["transports"]?.array != nil)
        #expect(answer.string("aaguid")?.utf8.count == 36)
        #expect(answer.string("relying_party_id") == "example.com" && answer["relying_party_identifier"] == nil)
        #expect(answer.string("identity_user_id")?.utf8.count == 24)
        #expect(answer["name"] == nil && answer["last_auth_at"] == nil)
    }

    @Test("Factors and methods are listed, the newest first, of one type or all; with what a passkey manager may know")
    func lists() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            let (user, _) = try await AccountUser.withPassword(house, "ana@example.com")
            house.pass(seconds: 5)
            var phone = Authenticator()
            let made = try await user.addPasskey(&phone)
            #expect(made.status == 201, "\(made)")
            let factors = try await user.get("/me/v1/factors")
            #expect(
                factors["factors"] == [
                    ["type": "passkey", "usage": ["primary"]], ["type": "password", "usage": ["primary"]],
                    ["type": "recovery-code", "usage": ["secondary"]],
                ]
            )
            let all = try await user.get(methods)
            #expect(all.names("type", in: "authentication_methods") == ["passkey", "password"])
            #expect(all["signals"]?.object?["all_accepted_credentials"] != nil)
            let password = try #require(all["authentication_methods"]?.array?.last?.object)
            #expect(password.members.map(\.name) == ["id", "type", "created_at", "usage", "identity_user_id"])
            #expect(password["id"]?.string == "password|" + (password["identity_user_id"]?.string ?? ""))
            let one = try await user.get(methods + "?type=password")
            #expect(one.names("type", in: "authentication_methods") == ["password"])
            #expect(try await user.get(methods + "?type=totp")["authentication_methods"] == [])
            let read = try await user.get(methods + "/" + (password["id"]?.string ?? ""))
            #expect(read.status == 200 && read.json == password)
            expect(try await user.get(methods + "?type=x"), 400, account: "validation_error", "invalid_parameter")
        }
    }

    @Test("What starts and finishes badly is refused in the shape of this API")
    func refuses() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            let user = try await AccountUser.withPasskey(house, "ana@example.com")
            for type in ["password", "phone", "email", "push-notification", "webauthn-roaming", "x"] {
                let refused = try await user.send("POST", methods, ["type": .string(type)])
                expect(refused, 400, account: "validation_error", "method_not_enabled")
                #expect(refused.string("detail") == "The authentication method type is not enabled")
            }
            let missing = try await user.send("POST", methods, [:])
            expect(missing, 400, account: "validation_error", "missing_parameter")
            #expect(
                missing["validation_errors"] == [
                    [
                        "detail": "Missing required parameter: type", "field": "type", "pointer": "/type",
                        "source": "request",
                    ]
                ]
            )
            for member in [
                ("connection", "elsewhere"), ("identity_user_id", "65f0c1d2e3f4a5b6c7d8e9f0"), ("mediation", "silent"),
                ("use_exclude_credentials", "no"),
            ] {
                let body: JSONObject = ["type": "passkey", member.0: .string(member.1)]
                expect(
                    try await user.send("POST", methods, body),
                    400,
                    account: "validation_error",
                    "invalid_parameter"
                )
            }
            let own: JSONObject = [
                "type": "passkey", "connection": .string(Connection.defaultName), "use_exclude_credentials": false,
            ]
            let open = try await user.send("POST", methods, own)
            #expect(open["authn_params_public_key"]?.object?["excludeCredentials"] == nil, "\(open)")

            var phone = Authenticator()
            let wrong = try phone.create(
                try #require(open["authn_params_public_key"]?.object),
                origin: House.base,
                fault: .originWrong
            )
            let refused = try await user.finish(open.string("auth_session"), wrong)
            expect(refused, 400, account: "validation_error", "origin_mismatch")
            #expect(refused.string("trace_id") != nil && refused["signals"] != nil, "\(refused)")
            let again = try await user.addPasskey(&phone)
            #expect(again.status == 201, "\(again)")
            // Its id is a passkey's already.
            let second = try await user.send("POST", methods, ["type": "passkey", "use_exclude_credentials": false])
            let known = try phone.create(
                try #require(second["authn_params_public_key"]?.object),
                origin: House.base,
                fault: .credentialExists
            )
            expect(
                try await user.finish(second.string("auth_session"), known),
                409,
                account: "conflict",
                "credential_exists"
            )
            expect(
                try await user.send("POST", methods + "/totp|new/verify", ["auth_session": "x"]),
                404,
                account: "not_found",
                "method_not_found"
            )
            expect(try await user.get("/me/v1/nothing"), 404, account: "not_found", "not_found")
            expect(
                try await user.send("PUT", methods, [:]),
                405,
                account: "not_found",
                "method_not_allowed"
            )
            // A session of the browser API for somebody else's sign-up is none.
            var stranger = Person(house)
            let (foreign, answer) = try await stranger.begin(signUp: "bo@example.com")
            expect(
                try await user.finish(foreign, answer),
                400,
                account: "validation_error",
                "auth_session_invalid"
            )
        }
    }

    @Test("A passkey gets a name; nothing else of it can be changed, and nobody else's")
    func renames() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            let user = try await AccountUser.withPasskey(house, "ana@example.com")
            let other = try await AccountUser.withPasskey(house, "bo@example.com")
            let list = try await user.get(methods + "?type=passkey")
            let id = try #require(list.names("id", in: "authentication_methods").first)
            let path = methods + "/" + id.replacing("|", with: "%7C")
            let named = try await user.send("PATCH", path, ["name": "My phone"])
            #expect(named.status == 200 && named.string("name") == "My phone" && named.string("id") == id, "\(named)")
            #expect(try await user.get(path).string("name") == "My phone")
            for body in [
                ["name": "x", "id": "y"], ["name": .string(String(repeating: "n", count: 101))], ["name": ""],
            ]
                as [JSONObject]
            {
                let refused = try await user.send("PATCH", path, body)
                expect(refused, 400, account: "validation_error", "invalid_parameter")
            }
            expect(
                try await user.send("PATCH", path, [:]),
                400,
                account: "validation_error",
                "missing_parameter"
            )
            for (method, body) in [("GET", nil), ("PATCH", ["name": "Mine"]), ("DELETE", nil)]
                as [(String, JSONObject?)]
            {
                expect(
                    try await other.send(method, path, body),
                    404,
                    account: "not_found",
                    "method_not_found"
                )
            }
            #expect(try await user.get(path).string("name") == "My phone")
        }
    }

    @Test("A passkey is deleted with the refresh tokens of its sign-ins; the last way in stays")
    func deletes() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            var user = try await AccountUser.withPasskey(house, "ana@example.com")
            let first = try #require(try await user.get(methods).names("id", in: "authentication_methods").first)
            let last = try await user.send("DELETE", methods + "/" + first)
            expect(last, 409, account: "conflict", "last_method")
            #expect(last.string("detail") == "The last authentication method cannot be deleted")
            var phone = Authenticator()
            let second = try #require(try await user.addPasskey(&phone).string("id"))
            let tokens = try await refreshable(&user.person)
            let gone = try await user.send("DELETE", methods + "/" + first.replacing("|", with: "%7C"))
            #expect(gone.status == 204 && gone.body.isEmpty, "\(gone)")
            let refreshed = try await user.person.post(
                "/oauth/token",
                ["grant_type": "refresh_token", "refresh_token": .string(tokens)]
            )
            #expect(refreshed.reason == "refresh_token_invalid", "\(refreshed)")
            #expect(try await user.get(methods).names("id", in: "authentication_methods") == [second])
            expect(
                try await user.send("DELETE", methods + "/" + first),
                404,
                account: "not_found",
                "method_not_found"
            )
            let succeeded = try await user.log().filter { $0.hasSuffix("_succeeded") }
            #expect(succeeded.count == 2, "the new one and the old one")
        }
    }

    private func refreshable(_ person: inout Person) async throws -> String {
        let (session, assertion) = try await person.begin()
        let body = person.redemption(session, assertion, scope: "openid offline_access")
        let answer = try await person.send(.json("/oauth/token", body))
        return try #require(answer.string("refresh_token"), "\(answer)")
    }

    @Test("A password is a way in: beside it the last passkey may go, and itself it is not changed here")
    func besidePassword() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            var (user, _) = try await AccountUser.withPassword(house, "ana@example.com")
            let made = try await user.addPasskey(&user.person.authenticator)
            let id = try #require(made.string("id"), "\(made)")
            // Now there is a passkey, and the password no proof any more.
            let refused = try await user.send("DELETE", methods + "/" + id)
            expect(refused, 401, account: "insufficient_user_authentication", "insufficient_user_authentication")
            let signedIn = try await AccountUser.signIn(&user.person)
            user.token = try #require(signedIn.string("access_token"), "\(signedIn)")
            let list = try await user.get(methods + "?type=password")
            let password = try #require(list.names("id", in: "authentication_methods").first)
            expect(
                try await user.send("DELETE", methods + "/" + password),
                403,
                account: "access_denied",
                "method_is_fixed"
            )
            #expect(try await user.send("DELETE", methods + "/" + id).status == 204)
        }
    }

    @Test("Fresh proof: a sign-in of the last 15 minutes, with a passkey where there is one; reading needs none")
    func freshProof() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            let user = try await AccountUser.withPasskey(house, "ana@example.com")
            house.pass(seconds: 901)
            let list = try await user.get(methods)
            #expect(list.status == 200)
            let id = try #require(list.names("id", in: "authentication_methods").first)
            for (method, path, body) in [
                ("POST", methods, ["type": "passkey"]), ("PATCH", methods + "/" + id, ["name": "x"]),
                ("DELETE", methods + "/" + id, nil),
            ] as [(String, String, JSONObject?)] {
                let refused = try await user.send(method, path, body)
                expect(refused, 401, account: "insufficient_user_authentication", "insufficient_user_authentication")
                #expect(
                    refused.header("www-authenticate")
                        == "Bearer error=\"insufficient_user_authentication\", max_age=900"
                )
            }
            let failed = try await user.log().filter { $0.hasSuffix("_failed") }
            #expect(failed.count == 3)
        }
    }

    @Test(
        "9.4: a passkey that an upgrade made adds, names and removes no other one for 72 hours, and itself at any time"
    )
    func probation() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            house.change { $0.options = { $0.passkey.stored["upgrade_without_notice"] = true } }
            var (user, answer) = try await AccountUser.withPassword(house, "ana@example.com")
            let offer = try #require(answer["passkey_upgrade"]?.object, "\(answer)")
            let options = try #require(offer["authn_params_public_key"]?.object)
            let made = try user.person.authenticator.create(options, origin: House.base, conditional: true)
            let planted = try #require(try await user.finish(offer["auth_session"]?.string, made).string("id"))
            user.token = try #require(try await AccountUser.signIn(&user.person).string("access_token"))
            // A second key would do what the first may not.
            let second = try await user.send("POST", methods, ["type": "passkey"])
            expect(second, 403, account: "access_denied", "passkey_on_probation")
            var owners = Authenticator()
            house.change { $0.options = { $0.passkey.stored["upgrade_probation_hours"] = 0 } }
            let other = try #require(try await user.addPasskey(&owners).string("id"))
            house.change { $0.options = { $0.passkey.stored["upgrade_probation_hours"] = 72 } }
            for refused in [
                try await user.send("DELETE", methods + "/" + other),
                try await user.send("PATCH", methods + "/" + other, ["name": "Mine"]),
            ] { expect(refused, 403, account: "access_denied", "passkey_on_probation") }
            #expect(try await user.send("PATCH", methods + "/" + planted, ["name": "New"]).status == 200)
            house.pass(seconds: 72 * 3600)
            user.token = try #require(try await AccountUser.signIn(&user.person).string("access_token"))
            #expect(try await user.send("DELETE", methods + "/" + other).status == 204)
            #expect(try await user.send("DELETE", methods + "/" + planted).status == 204)
        }
    }

    @Test("The upgrade that a password's answer offers is begun and finished here as well, and at 12.2")
    func upgrades() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            house.change { $0.options = { $0.passkey.stored["upgrade_without_notice"] = true } }
            // Offered with the token, finished here.
            var (user, answer) = try await AccountUser.withPassword(house, "ana@example.com")
            let offer = try #require(answer["passkey_upgrade"]?.object, "\(answer)")
            let options = try #require(offer["authn_params_public_key"]?.object)
            let made = try user.person.authenticator.create(options, origin: House.base, conditional: true)
            let finished = try await user.finish(offer["auth_session"]?.string, made)
            #expect(finished.status == 201, "\(finished)")
            // Begun here, with the offer; finished by the browser API.
            var (other, _) = try await AccountUser.withPassword(house, "bo@example.com")
            let begun = try await other.send("POST", methods, ["type": "passkey", "mediation": "conditional"])
            #expect(begun.status == 202 && begun.string("mediation") == "conditional", "\(begun)")
            let conditional = try #require(begun["authn_params_public_key"]?.object)
            let key = try other.person.authenticator.create(conditional, origin: House.base, conditional: true)
            other.person.bearer = other.token
            let verified = try await other.person.post(
                "/register/verify",
                key,
                session: begun.string("auth_session")
            )
            #expect(verified.status == 200, "\(verified)")
            // Without an offer there is none, and a key made in vain is named.
            let (third, _) = try await AccountUser.withPassword(house, "cy@example.com")
            house.pass(seconds: 301)
            expect(
                try await third.send("POST", methods, ["type": "passkey", "mediation": "conditional"]),
                403,
                account: "access_denied",
                "upgrade_not_offered"
            )
        }
    }
}
