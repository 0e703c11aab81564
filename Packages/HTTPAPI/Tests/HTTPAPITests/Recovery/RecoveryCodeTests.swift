import Encodings
import Identity
import SoftwareAuthenticator
import Tenancy
import Testing

@testable import HTTPAPI

@Suite("9.5, 10.2: recovery codes")
struct RecoveryCodeTests {
    private let methods = AccountUser.methods

    @Test("Ten codes are given once, listed as one method, and confirmed by whoever has them")
    func made() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            let user = try await AccountUser.withPasskey(house, "ana@example.com")
            house.pass(seconds: 1)
            for (member, value) in [("connection", []), ("identity_user_id", 1), ("mediation", "now")]
                as [(String, JSONValue)]
            {
                let wrong = try await user.send("POST", methods, ["type": "recovery-code", member: value])
                #expect(wrong.status == 400, "\(member): \(wrong)")
            }
            let made = try await user.send("POST", methods, ["type": "recovery-code"])
            #expect(made.status == 202, "\(made)")
            let id = try #require(made.string("id"))
            #expect(id.hasPrefix("recovery-code|dev_"))
            #expect(made.header("location") == House.base + methods + "/" + id.replacing("|", with: "%7C"))
            let codes = (made["recovery_codes"]?.array ?? []).compactMap(\.string)
            #expect(codes.count == 10 && Set(codes).count == 10 && codes.first == made.string("recovery_code"))
            #expect(codes.allSatisfy { $0.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}/) != nil })

            let list = try await user.get(methods)
            #expect(list.names("type", in: "authentication_methods") == ["recovery-code", "passkey"])
            #expect(!list.description.contains(codes[0]))
            let one = try await user.get(methods + "/" + id.replacing("|", with: "%7C"))
            #expect(one.string("id") == id && one["usage"] == ["secondary"], "\(one)")
            let factors = try await user.get("/me/v1/factors")
            #expect(factors.names("type", in: "factors").contains("recovery-code"))
            let codesAlone = try await user.get(methods + "?type=recovery-code")
            #expect(codesAlone.names("id", in: "authentication_methods") == [id])

            let path = methods + "/" + id + "/verify"
            let confirmed = try await user.send("POST", path, ["auth_session": made["auth_session"] ?? .null])
            #expect(confirmed.status == 201 && confirmed.string("id") == id, "\(confirmed)")
            let wrong = try await user.send("POST", path, ["auth_session": .string(String(repeating: "A", count: 43))])
            #expect(wrong.status == 400 && wrong.reason == "auth_session_invalid", "\(wrong)")
            let named = try await user.send("PATCH", methods + "/" + id, ["name": "x"])
            #expect(named.status == 403 && named.reason == "method_is_fixed", "\(named)")

            #expect(try await user.send("DELETE", methods + "/" + id).status == 204)
            #expect(try await user.send("DELETE", methods + "/" + id).status == 404)
            #expect(try await user.get(methods).names("type", in: "authentication_methods") == ["passkey"])
        }
    }

    @Test("Each code gets its user back in once, and one of an earlier set does not")
    func used() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            let user = try await AccountUser.withPasskey(house, "ana@example.com")
            let first = try await codes(user)
            let second = try await codes(user)
            let other = try await codes(try await AccountUser.withPasskey(house, "bo@example.com"))
            var person = Person(house)
            let started = try await person.post("/recovery/start", ["identifier": "ana@example.com"])
            let session = try #require(started.string("recovery_session"))
            func verify(_ code: String) async throws -> Answer {
                try await person.post(
                    "/recovery/verify",
                    ["recovery_session": .string(session), "recovery_code": .string(code)]
                )
            }
            for code in [first[0], other[0]] { #expect(try await verify(code).reason == "recovery_code_invalid") }
            // As people type it.
            let typed = second[3].lowercased().replacing("-", with: " ").replacing("0", with: "o")
            let begun = try await verify(typed)
            let options = try #require(begun["authn_params_public_key"]?.object, "\(begun)")
            let answer = try person.authenticator.create(options, origin: House.base)
            let redemption = person.redemption(begun.string("auth_session") ?? "", answer, scope: "openid")
            let tokens = try await person.send(.json("/oauth/token", redemption))
            #expect(tokens.status == 200, "\(tokens)")
            #expect(AuthorizeTests.claims(tokens.string("id_token"))?["amr"] == ["rcv", "otp"])

            // It proves nothing of the address: what was made before stays.
            var owner = user.person
            #expect(try await owner.signIn()["verified"] == true)
            let again = try await person.post("/recovery/start", ["identifier": "ana@example.com"])
            for (code, status) in [(second[3], 403), (second[4], 200)] {
                let answer = try await person.post(
                    "/recovery/verify",
                    ["recovery_session": again["recovery_session"] ?? .null, "recovery_code": .string(code)]
                )
                #expect(answer.status == status, "\(answer)")
            }
        }
    }

    @Test("Codes want a fresh proof by the passkey that there is, and the policy that lets them in")
    func refused() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            let user = try await AccountUser.withPasskey(house, "ana@example.com")
            house.change { $0.options = { $0.recoveryMethods = [.email] } }
            let off = try await user.send("POST", methods, ["type": "recovery-code"])
            #expect(off.status == 400 && off.reason == "method_not_enabled", "\(off)")
            #expect(try await !user.get("/me/v1/factors").names("type", in: "factors").contains("recovery-code"))
            house.change { $0.options = { _ in } }
            house.pass(seconds: 901)
            let stale = try await user.send("POST", methods, ["type": "recovery-code"])
            #expect(stale.status == 401 && stale.reason == "insufficient_user_authentication", "\(stale)")
        }
    }

    @Test("A passkey that an upgrade made a moment ago makes none")
    func onProbation() async throws {
        try await House.with { (house) async throws in
            try await house.grantAccount()
            var (user, answer) = try await AccountUser.withPassword(house, "ana@example.com")
            let offer = try #require(answer["passkey_upgrade"]?.object, "\(answer)")
            let options = try #require(offer["authn_params_public_key"]?.object)
            let made = try user.person.authenticator.create(options, origin: House.base, conditional: true)
            #expect(try await user.finish(offer["auth_session"]?.string, made).status == 201)
            user.token = try #require(try await AccountUser.signIn(&user.person).string("access_token"))
            let refused = try await user.send("POST", methods, ["type": "recovery-code"])
            #expect(refused.status == 403 && refused.reason == "passkey_on_probation", "\(refused)")
        }
    }

    private func codes(_ user: AccountUser) async throws -> [String] {
        let made = try await user.send("POST", methods, ["type": "recovery-code"])
        let codes = (made["recovery_codes"]?.array ?? []).compactMap(\.string)
        try #require(codes.count == 10, "\(made)")
        return codes
    }
}
