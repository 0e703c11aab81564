import Encodings
import Identity
import Testing

@testable import HTTPAPI

@Suite("5.6: userinfo")
struct UserInfoTests {
    @Test("The token comes in the header or in the body of a POST, in one of them alone (RFC 6750 §2)")
    func ways() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            let token = try await person.signUp("ana@example.com").string("access_token") ?? ""
            let bearer = "Bearer " + token
            let get = Ask.get("/userinfo")
            let expected = try await house.send(get.with("Authorization", bearer))
            #expect(expected.status == 200, "\(expected)")
            for ask in [
                get.with("Authorization", "bearer " + token), .form("/userinfo", "access_token=" + token),
                .json("/userinfo", ["access_token": .string(token)]),
                Ask.raw("/userinfo", [], type: nil).with("Authorization", bearer),
                Ask.raw("/userinfo", [], type: "application/json").with("Authorization", bearer),
                Ask.form("/userinfo", "other=1").with("Authorization", bearer),
                Ask.form("/userinfo", "access_token=").with("Authorization", bearer),
            ] {
                let answer = try await house.send(ask)
                #expect(answer.status == 200, "\(answer)")
                #expect(answer.json == expected.json)
            }
            let both = Ask.form("/userinfo", "access_token=" + token).with("Authorization", bearer)
            #expect(try await house.send(both).status == 400)
            let twice = Ask.form("/userinfo", "access_token=\(token)&access_token=\(token)")
            #expect(try await house.send(twice).reason == "repeated_parameter")
            #expect(try await house.send(.form("/userinfo", "access_token=x")).reason == "invalid_token")
            #expect(try await house.send(.json("/userinfo", ["access_token": 1])).reason == "invalid_parameter")
            let plain = Ask.raw("/userinfo", Array("access_token=\(token)".utf8), type: "text/plain")
            #expect(try await house.send(plain).reason == "unsupported_media_type")
            for ask in [get, Ask.get("/userinfo?access_token=" + token), get.with("Authorization", "DPoP " + token)] {
                let answer = try await house.send(ask)
                #expect(answer.status == 401)
                #expect(answer.header("www-authenticate") == "Bearer realm=\"https://login.example.com\"")
            }
            let head = try await house.send(get.set(\.method, "HEAD").with("Authorization", bearer))
            #expect(head.status == 200)
        }
    }

    @Test("Without openid it is 403 with the scope that is missing")
    func scope() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            let token = try await person.signUp("ana@example.com", scope: "profile").string("access_token") ?? ""
            let answer = try await house.send(Ask.get("/userinfo").with("Authorization", "Bearer " + token))
            #expect(answer.status == 403)
            #expect(
                answer.header("www-authenticate")
                    == "Bearer realm=\"https://login.example.com\", error=\"insufficient_scope\", scope=\"openid\""
            )
        }
    }
}
