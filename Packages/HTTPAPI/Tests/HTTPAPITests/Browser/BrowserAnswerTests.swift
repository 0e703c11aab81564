import Encodings
import Identity
import SoftwareAuthenticator
import Testing

@testable import HTTPAPI

@Suite("12.2: what is sent to verify, and how its ceremony is found")
struct BrowserAnswerTests {
    @Test("The response itself, in `response`, or in `credential`")
    func forms() throws {
        let credential: JSONObject = ["id": "x", "response": ["clientDataJSON": "y"]]
        for body: JSONObject in [
            credential, ["response": .object(credential)], ["credential": .object(credential)],
            ["credential": .object(credential), "response": ["clientDataJSON": "z"]],
        ] {
            let answer = try BrowserAnswer(body.with("auth_session", "s").with("client_id", "c").with("scope", "o"))
            #expect(answer.response["id"] == "x")
            #expect(answer.response["response"] == ["clientDataJSON": "y"])
            #expect(answer.session == "s" && answer.clientID == "c" && answer.scope == "o" && answer.realm == nil)
        }
        #expect(throws: APIError.missing("response")) { try BrowserAnswer(["id": "x"]) }
        #expect(throws: APIError.missing("response")) { try BrowserAnswer(["response": nil]) }
        #expect(throws: APIError.invalid("response")) { try BrowserAnswer(["response": "x"]) }
        #expect(throws: APIError.invalid("credential")) { try BrowserAnswer(["credential": []]) }
        #expect(throws: APIError.invalid("auth_session")) {
            try BrowserAnswer(["response": [:], "auth_session": 1])
        }
    }

    @Test("The challenge is read from the client data, whatever it looks like")
    func challenge() throws {
        func challenge(_ clientData: String) throws -> String? {
            let encoded = Base64URL.encode(Array(clientData.utf8))
            return try BrowserAnswer(["id": "x", "response": ["clientDataJSON": .string(encoded)]]).challenge
        }
        #expect(try challenge("{\"challenge\":\"abc\"}") == "abc")
        #expect(try challenge("\u{FEFF} { \"x\": 1, \"challenge\" : \"abc\" }") == "abc")
        for other in ["", "[]", "{}", "{\"challenge\":1}", "{\"challenge\":\"a\",\"challenge\":\"b\"}", "{"] {
            #expect(try challenge(other) == nil, "\(other)")
        }
        #expect(try BrowserAnswer(["response": ["clientDataJSON": "*"]]).challenge == nil)
        #expect(try BrowserAnswer(["response": ["clientDataJSON": 1]]).challenge == nil)
    }

    /// How a request can name its ceremony, in the order in which it is asked.
    enum Way: CaseIterable { case body, header, cookie, challenge }

    @Test(
        "By the body, the header, the cookie, or the challenge; the first that is there counts",
        arguments: Way.allCases
    )
    func finding(_ way: Way) async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.register("ana@example.com")
            let options = try await person.post("/login/options", [:])
            let good = try #require(options.string("challenge"))
            let bad = Base64URL.encode([UInt8](repeating: 7, count: 32))
            var answer = try person.authenticator.get(options.json, origin: House.webOrigin)
            answer["client_id"] = person.clientID
            // Those that are asked later name another ceremony, and are not looked at.
            let index = Way.allCases.firstIndex(of: way) ?? 0
            func value(_ other: Way) -> String? {
                let place = Way.allCases.firstIndex(of: other) ?? 0
                return place < index ? nil : place == index ? good : bad
            }
            answer["auth_session"] = value(.body).map(JSONValue.string)
            let ask = Ask.json("/login/verify", answer).with("X-Auth-Session", value(.header))
                .with("Cookie", value(.cookie).map { "pk_ceremony=" + $0 })
            let first = try await person.send(ask)
            #expect(first.status == 200, "\(first)")
            let second = try await person.send(ask)
            expect(second, 400, "invalid_grant", "Invalid or expired auth_session", "auth_session_invalid")
            #expect(second["verified"] == false)
        }
    }

    @Test("A ceremony that is found by its cookie needs an origin that may; one that is named does not")
    func ceremonyCookie() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.register("ana@example.com")
            person.origin = nil
            let options = try await person.post("/login/options", [:])
            let session = try #require(options.string("challenge"))
            let answer = try person.authenticator.get(options.json, origin: House.webOrigin)
            person.cookie = "pk_ceremony=" + session
            #expect(try await person.post("/login/verify", answer).reason == "csrf")
            person.origin = "https://evil.example"
            #expect(try await person.post("/login/verify", answer).reason == "csrf")
            #expect(try await person.post("/login/verify", answer, session: session).status == 200)
        }
    }

    @Test("Every refusal of verify says verified false, whichever step it comes from")
    func verifiedFalse() async throws {
        try await House.with { (house) async throws in
            let client = JSONValue.string(house.app.id.text)
            for path in ["/register/verify", "/login/verify"] {
                for (ask, status) in [
                    (Ask.raw(path, [1], type: "application/json"), 400), (.raw(path, [1], type: "text/plain"), 415),
                    (.json(path, [:]), 400), (.json(path, ["response": [:]]), 400),
                    (.json(path, ["response": [:], "client_id": "x"]), 401),
                    (.json(path, ["response": [:], "client_id": client]), 400),
                    (.json(path, ["response": [:], "client_id": client, "realm": "x"]), 400),
                    (.json(path, ["response": [:], "client_id": client, "auth_session": "x"]), 400),
                ] {
                    let answer = try await house.send(ask)
                    #expect(answer.status == status, "\(answer)")
                    #expect(answer["verified"] == false, "\(answer)")
                    #expect(answer.json.members.first?.name == "verified")
                    #expect(answer.string("error") != nil && answer.string("error_description") != nil)
                }
            }
            house.limit(RateLimits(passkeyChallenges: nil, token: RateLimit(limit: 0, seconds: 1), signup: nil))
            let limited = try await house.send(.json("/login/verify", ["response": [:]]))
            #expect(limited.status == 429 && limited["verified"] == false)
        }
    }
}
