import Encodings
import Passkeys
import Testing

@testable import HTTPAPI

@Suite("5.1 and 5.2: how native and web clients begin")
struct PasskeyRoutesTests {
    @Test("11.14: a ceremony that was refused before it began is written down, others are not")
    func refusedBeginnings() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.signUp("ana@example.com")
            let before = house.refusals.waitingCount
            let profile: JSONObject = ["user_profile": ["email": "ana@example.com"]]
            #expect(try await person.post("/passkey/register", profile).reason == "user_exists")
            #expect(house.refusals.waitingCount == before + 1)
            #expect(try await person.post("/passkey/challenge", ["realm": "none"]).reason == "unknown_connection")
            #expect(house.refusals.waitingCount == before + 2)
            // What is wrong with the request alone is none of a ceremony.
            #expect(try await person.post("/passkey/register", ["user_profile": 1]).status == 400)
            #expect(try await person.post("/passkey/challenge", [:]).status == 200)
            #expect(house.refusals.waitingCount == before + 2)
        }
    }
}
