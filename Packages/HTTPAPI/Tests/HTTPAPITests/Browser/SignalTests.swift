import Encodings
import Identity
import SoftwareAuthenticator
import Testing

@testable import HTTPAPI

@Suite("9.6: what a passkey manager is told")
struct SignalTests {
    /// Of the house's domain, a name above it.
    private static let relyingPartyID = "example.com"

    @Test("A signed-in user gets all passkeys that are good, and the name: after sign-up, sign-in and when asked")
    func afterSuccess() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            let made = try await person.register("ana@example.com", ["displayName": "Ana"])
            let first = try #require(made["credential"]?.object?["id"])
            try expectSignals(made, [first], named: "Ana")
            #expect(made["signals"] == (try await person.signIn())["signals"])
            person.bearer = made.string("token")
            person.authenticator = Authenticator()
            let added = try await person.register(nil)
            let second = try #require(added["credential"]?.object?["id"])
            try expectSignals(added, [second, first], named: "Ana")
            let me = try await person.send(.get("/api/me"))
            #expect(me["signals"] == added["signals"])
        }
    }

    private func expectSignals(_ answer: Answer, _ credentials: [JSONValue], named name: String) throws {
        let signals = try #require(answer["signals"]?.object, "\(answer)")
        #expect(signals.members.map(\.name) == ["all_accepted_credentials", "current_user_details"])
        let accepted = try #require(signals["all_accepted_credentials"]?.object)
        #expect(accepted["rpId"]?.string == Self.relyingPartyID)
        let handle = try #require(accepted["userId"]?.string)
        #expect(try !Base64URL.decode(handle).isEmpty)
        #expect(accepted["allAcceptedCredentialIds"] == .array(credentials))
        let details = try #require(signals["current_user_details"]?.object)
        #expect(details["userId"]?.string == handle && details["rpId"]?.string == Self.relyingPartyID)
        #expect(details["name"] == "ana@example.com" && details["displayName"]?.string == name)
    }

    @Test("A key that was surely made in vain is named, and one that somebody has, or may have in a moment, never")
    func madeInVain() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            let refused = try await person.register("ana@example.com", fault: .originWrong)
            try expectUnknown(refused, "origin_mismatch")

            // Nobody has it yet, but the same answer may have come before, and be about to be stored.
            let options = try await person.post("/register/options", ["username": "ana@example.com"])
            let answer = try person.authenticator.create(options.json, origin: House.webOrigin)
            house.pass(seconds: 3600)
            let late = try await person.post("/register/verify", answer, session: options.header("x-auth-session"))
            #expect(late.reason == "auth_session_invalid" && late["signals"] == nil, "\(late)")

            // Somebody else was faster.
            let (session, slow) = try await person.begin(signUp: "bob@example.com")
            var other = Person(house)
            #expect(try await other.register("bob@example.com").status == 200)
            let taken = try await person.send(.json("/oauth/token", person.redemption(session, slow)))
            try expectUnknown(taken, "user_exists")

            // Its id is a passkey's.
            var owner = Person(house)
            _ = try await owner.signUp("cy@example.com")
            var thief = Person(house)
            thief.authenticator = owner.authenticator
            let stolen = try await thief.register("dan@example.com", fault: .credentialExists)
            #expect(stolen.reason == "credential_exists" && stolen["signals"] == nil, "\(stolen)")
            #expect(try await owner.signIn(fault: .signatureWrong)["signals"] == nil)
        }
    }

    @Test("A sign-in with a passkey that nobody has names it")
    func unknown() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.signUp("ana@example.com")
            try expectUnknown(try await person.signIn(fault: .credentialUnknown), "unknown_credential")
            let (session, answer) = try await person.begin(fault: .credentialUnknown)
            let refused = try await person.send(.json("/oauth/token", person.redemption(session, answer)))
            #expect(try expectUnknown(refused, "unknown_credential") == answer["id"]?.string)
        }
    }

    /// - Returns: the id that is to be forgotten.
    @discardableResult
    private func expectUnknown(_ answer: Answer, _ reason: String) throws -> String {
        #expect(answer.reason == reason, "\(answer)")
        let signals = try #require(answer["signals"]?.object, "\(answer)")
        #expect(signals.members.map(\.name) == ["unknown_credential"])
        let unknown = try #require(signals["unknown_credential"]?.object)
        #expect(unknown["rpId"]?.string == Self.relyingPartyID)
        return try #require(unknown["credentialId"]?.string)
    }
}
