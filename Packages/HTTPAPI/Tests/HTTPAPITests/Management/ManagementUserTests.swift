import Encodings
import Identity
import Testing

@testable import HTTPAPI

@Suite("11.9: users")
struct ManagementUserTests {
    private func make(
        _ manager: Administrator,
        _ email: String = "ana@example.com",
        _ more: JSONObject = [:]
    ) async throws -> Answer {
        var body: JSONObject = ["connection": .string(Connection.defaultName), "email": .string(email)]
        for member in more.members { body.set(member.name, member.value) }
        return try await manager.post("users", .object(body))
    }

    @Test("A user is made with and without a password, read, changed and deleted")
    func life() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let made = try await make(
                manager,
                "Ana@Example.com",
                [
                    "password": "Correct-horse-1", "email_verified": true, "given_name": "Ana",
                    "user_metadata": ["plan": "free", "color": "red"], "app_metadata": ["role": "boss"],
                ]
            )
            #expect(made.status == 201, "\(made)")
            let id = try #require(made.string("user_id"))
            #expect(id.hasPrefix("auth0|") && id.utf8.count == 30)
            #expect(made.string("email") == "Ana@Example.com" && made["email_verified"] == true)
            #expect(made.string("name") == "Ana@Example.com" && made.string("nickname") == "Ana")
            #expect(made["picture"] == nil && made["blocked"] == false && made["logins_count"] == 0)
            #expect(
                made["identities"]
                    == [
                        [
                            "connection": .string(Connection.defaultName), "user_id": .string(String(id.dropFirst(6))),
                            "provider": "auth0", "isSocial": false,
                        ]
                    ]
            )
            #expect(try await manager.get("users/\(id)").json == made.json)
            #expect(try await manager.get("users/auth0%7C\(id.dropFirst(6))").json == made.json)
            let some = try await manager.get("users/\(id)?fields=email,name")
            #expect(some.json.members.map(\.name) == ["email", "name"])

            house.pass(seconds: 1)
            let changed = try await manager.patch(
                "users/\(id)",
                [
                    "user_metadata": ["color": nil, "size": 3], "app_metadata": ["team": "a"], "name": "Anna",
                    "given_name": nil, "email": "anna@example.com",
                ]
            )
            #expect(changed.status == 200, "\(changed)")
            #expect(changed["user_metadata"] == ["plan": "free", "size": 3])
            #expect(changed["app_metadata"] == ["role": "boss", "team": "a"])
            #expect(changed.string("name") == "Anna" && changed["given_name"] == nil)
            #expect(changed.string("email") == "anna@example.com" && changed["email_verified"] == false)
            #expect(changed.string("updated_at") != changed.string("created_at"))
            #expect(try await manager.get("users/\(id)").json == changed.json)

            #expect(try await make(manager, "bob@example.com").status == 201)
            for email in ["bob@example.com", "BOB@EXAMPLE.com"] {
                expect(
                    try await manager.patch("users/\(id)", ["email": .string(email)]),
                    409,
                    "auth0_idp_error",
                    "The user already exists."
                )
                expect(try await make(manager, email), 409, "auth0_idp_error", "The user already exists.")
            }
            #expect(try await manager.delete("users/\(id)").status == 204)
            #expect(try await manager.delete("users/\(id)").status == 204)
            #expect(try await manager.delete("users/none").status == 204)
            expect(try await manager.get("users/\(id)"), 404, "inexistent_user", "The user does not exist.")
            expect(try await manager.patch("users/\(id)", [:]), 404, "inexistent_user", "The user does not exist.")
            #expect(try await make(manager, "anna@example.com").status == 201)
        }
    }

    @Test("What a user cannot be is refused by name, and nothing is made")
    func refusals() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let cases: [(JSONObject, String)] = [
                (["email": nil], "Missing required property: email"), (["email": "no address"], "on property email"),
                (["phone_number": "+46701234567"], "no phone_number"), (["user_id": "short"], "on property user_id"),
                (["password": "short"], "PasswordStrengthError"),
                (["password": "Breached-2024"], "PasswordDictionaryError"),
                (["verify_email": true], "sends no mail"), (["magic": 1], "Additional properties not allowed: magic"),
                (["user_metadata": "x"], "on property user_metadata"),
                (["connection": "none"], "on property connection"),
                (["connection": nil], "Missing required property: connection"), (["blocked": 1], "on property blocked"),
                (["picture": "javascript:x"], "on property picture"), (["name": ""], "on property name"),
                (["app_metadata": ["x": .string(String(repeating: "y", count: 70_000))]], "64 KiB"),
                (["passkeys": []], "Additional properties not allowed: passkeys"),
                (["password_hash": "x"], "Additional properties not allowed: password_hash"),
            ]
            for (members, message) in cases {
                let answer = try await make(manager, "ana@example.com", members)
                #expect(answer.status == 400, "\(members): \(answer)")
                #expect(answer.string("message")?.contains(message) == true, "\(members): \(answer)")
            }
            #expect(try await manager.get("users?include_totals=true")["total"] == 0)
            let id = String(repeating: "ab", count: 12)
            #expect(
                try await make(manager, "a@example.com", ["user_id": .string(id)]).string("user_id") == "auth0|" + id
            )
            #expect(try await make(manager, "b@example.com", ["user_id": .string(id)]).status == 409)
        }
    }

    @Test("Users are paged through, sorted and found, and a bad search is refused")
    func lists() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            for index in 0..<5 {
                let made = try await make(
                    manager,
                    "user\(index)@example.com",
                    ["user_metadata": ["index": .integer(Int64(index))], "blocked": .bool(index == 4)]
                )
                #expect(made.status == 201, "\(made)")
                house.pass(seconds: 1)
            }
            let all = (0..<5).map { "user\($0)@example.com" }
            #expect(try await manager.get("users").names("email") == all)
            #expect(try await manager.get("users?sort=created_at:-1").names("email") == all.reversed())
            let page = try await manager.get("users?per_page=2&page=1&include_totals=true")
            #expect(page.names("email", in: "users") == ["user2@example.com", "user3@example.com"])
            #expect(page["start"] == 2 && page["limit"] == 2 && page["length"] == 2 && page["total"] == 5)
            let last = try await manager.get("users?per_page=2&page=9&include_totals=true")
            #expect(last["users"] == [] && last["length"] == 0 && last["total"] == 5)
            #expect(try await manager.get("users?per_page=2&page=9").list.isEmpty)
            #expect(try await manager.get("users?fields=email&per_page=1").list == [["email": "user0@example.com"]])
            for (query, found) in [
                ("email:user3*", [3]), ("user_metadata.index:[1 TO 2]", [1, 2]),
                ("blocked:true OR email:user0*", [0, 4]),
                ("NOT blocked:true AND user_metadata.index:[3 TO *]", [3]), ("email:user", []),
            ] {
                let answer = try await manager.get("users?search_engine=v3&q=\(query.escapedForQuery)")
                #expect(answer.names("email") == found.map { all[$0] }, "\(query): \(answer)")
            }
            let name = Connection.defaultName
            #expect(try await manager.get("users?connection=\(name)").list.count == 5)
            #expect(try await manager.get("users?connection=other").list.isEmpty)
            #expect(try await manager.get("users-by-email?email=USER1@example.com").names("email") == [all[1]])
            #expect(try await manager.get("users-by-email?email=none@example.com").list.isEmpty)
            for query in [
                "q=magic:1", "q=email", "q=(email:a", "sort=name:1", "search_engine=v2", "per_page=101", "page=-1",
                "per_page=100&page=11", "from=x", "take=1", "magic=1", "include_totals=maybe",
            ] {
                let answer = try await manager.get("users?" + query)
                #expect(answer.status == 400 && answer.string("errorCode") == "invalid_query_string", "\(answer)")
            }
            #expect(try await manager.get("users-by-email").status == 400)
            #expect(try await manager.get("users?per_page=100&page=10").status == 200)
        }
    }

    @Test("A scope for app_metadata alone changes that alone")
    func scopes() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let id = try #require(try await make(manager).string("user_id"))
            let narrow = try await Administrator(house, scope: "update:users_app_metadata")
            #expect(try await narrow.patch("users/\(id)", ["app_metadata": ["a": 1]]).status == 200)
            let wide = try await narrow.patch("users/\(id)", ["app_metadata": ["a": 2], "name": "x"])
            #expect(wide.status == 403 && wide.string("errorCode") == "insufficient_scope", "\(wide)")
            #expect(try await narrow.get("users/\(id)").status == 403)
            #expect(try await manager.get("users/\(id)")["app_metadata"] == ["a": 1])
        }
    }

    @Test("A password that an administrator sets signs in, an earlier one may be kept from coming back")
    func passwords() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let id = try #require(try await make(manager).string("user_id"))
            func signsIn(_ password: String) async throws -> Bool {
                try await house.send(
                    .json(
                        "/oauth/token",
                        [
                            "client_id": .string(house.app.id.text), "username": "ana@example.com",
                            "password": .string(password), "grant_type": "password", "scope": "openid",
                            "realm": .string(Connection.defaultName),
                        ]
                    )
                ).status == 200
            }
            #expect(try await manager.patch("users/\(id)", ["password": "Correct-horse-1"]).status == 200)
            #expect(try await signsIn("Correct-horse-1"))
            house.pass(seconds: 5)
            let connection = try #require(
                try await manager.get("connections").list.first { $0["name"]?.string == Connection.defaultName }
            )
            let connectionID = try #require(connection["id"]?.string)
            let options: JSONValue = [
                "options": [
                    "password_history": ["enable": true, "size": 2],
                    "authentication_methods": ["password": ["enabled": true]],
                ]
            ]
            #expect(try await manager.patch("connections/\(connectionID)", options).status == 200)
            let again = try await manager.patch("users/\(id)", ["password": "Correct-horse-1"])
            #expect(
                again.status == 400 && again.string("message")?.contains("PasswordHistoryError") == true,
                "\(again)"
            )
            let changed = try await manager.patch("users/\(id)", ["password": "Correct-horse-2"])
            #expect(changed.status == 200 && changed["last_password_reset"] != nil, "\(changed)")
            #expect(try await signsIn("Correct-horse-2"))
            #expect(try await !signsIn("Correct-horse-1"))
            #expect(try await manager.patch("users/\(id)", ["password": "Correct-horse-1"]).status == 400)
        }
    }

    @Test("Who is blocked is signed out everywhere, and in again only when unblocked")
    func block() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            let tokens = try await person.signUp("eve@example.com")
            let manager = try await Administrator(house)
            let found = try #require(try await manager.get("users-by-email?email=eve@example.com").list.first)
            let id = try #require(found["user_id"]?.string)
            #expect(found["logins_count"] == 1 && found["last_ip"] != nil)
            #expect(try await manager.get("users/\(id)/sessions")["sessions"]?.array?.count == 1)
            #expect(try await manager.get("users/\(id)/refresh-tokens")["tokens"]?.array?.count == 1)
            let refresh: JSONObject = [
                "grant_type": "refresh_token", "client_id": person.clientID,
                "refresh_token": tokens["refresh_token"] ?? .null,
            ]
            let blocked = try await manager.patch("users/\(id)", ["blocked": true])
            #expect(blocked["blocked"] == true, "\(blocked)")
            #expect(try await house.send(.json("/oauth/token", refresh)).status == 403)
            #expect(try await manager.get("users/\(id)/sessions")["sessions"] == [])
            #expect(try await manager.get("users/\(id)/refresh-tokens")["tokens"] == [])
            #expect(try await person.signIn().status != 200)
            #expect(try await manager.patch("users/\(id)", ["blocked": false])["blocked"] == false)
            #expect(try await person.signIn().status == 200)
        }
    }

    @Test("A name that was locked for wrong passwords is told, and unlocked")
    func locks() async throws {
        try await House.with { (house) async throws in
            var limits = RateLimits.off
            limits.passwordIdentifier = 3
            house.limit(limits)
            let manager = try await Administrator(house)
            let made = try await make(manager, "ana@example.com", ["password": "Correct-horse-1"])
            let id = try #require(made.string("user_id"))
            func status(_ password: String) async throws -> Int {
                try await house.send(
                    .json(
                        "/oauth/token",
                        [
                            "client_id": .string(house.app.id.text), "username": "ana@example.com",
                            "password": .string(password), "grant_type": "password",
                            "realm": .string(Connection.defaultName),
                        ]
                    )
                ).status
            }
            for path in ["user-blocks/\(id)", "user-blocks?identifier=ana@example.com"] {
                #expect(try await manager.get(path).json == ["blocked_for": []])
                for _ in 0..<3 { #expect(try await status("wrong") == 403) }
                #expect(try await status("Correct-horse-1") == 429)
                #expect(try await manager.get(path).json == ["blocked_for": [["identifier": "ana@example.com"]]])
                #expect(try await manager.delete(path).status == 204)
                #expect(try await status("Correct-horse-1") == 200)
            }
            #expect(try await manager.get("user-blocks/none").status == 404)
            #expect(try await manager.get("user-blocks").status == 400)
        }
    }

    @Test("A path that cannot be decoded is refused in the shape of the API")
    func malformedPath() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            expect(
                try await manager.get("clients/%00"),
                400,
                "invalid_uri",
                "Path validation error: 'Invalid encoding'."
            )
        }
    }
}

extension String {
    /// As a parameter of a query has it.
    var escapedForQuery: String {
        utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(UnicodeScalar(byte))
            default: "%" + Hex.encode([byte]).uppercased()
            }
        }.joined()
    }
}
