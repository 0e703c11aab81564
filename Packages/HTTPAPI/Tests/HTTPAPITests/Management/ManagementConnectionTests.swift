import Encodings
import Identity
import Tenancy
import Testing

@testable import HTTPAPI

@Suite("11.5: connections")
struct ManagementConnectionTests {
    @Test("A connection is made with its policy, read, changed with its options whole, and deleted")
    func life() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let client = house.app.id.text
            let made = try await manager.post(
                "connections",
                [
                    "name": "Staff", "strategy": "auth0", "display_name": "Staff",
                    "enabled_clients": [.string(client)], "metadata": ["team": "a"], "show_as_button": true,
                    "options": [
                        "authentication_methods": ["password": ["enabled": false], "passkey": ["enabled": true]],
                        "passkey_options": [
                            "challenge_ui": "button",
                            "webauthn": ["user_verification": "required", "algorithms": [-7]],
                        ],
                    ],
                ]
            )
            #expect(made.status == 201, "\(made)")
            let id = try #require(made.string("id"))
            #expect(id.hasPrefix("con_") && made["realms"] == ["Staff"] && made["metadata"] == ["team": "a"])
            #expect(made["show_as_button"] == true && made["is_domain_connection"] == false)
            let read = try await manager.get("connections/\(id)")
            #expect(read.json == made.json)
            let webauthn = read["options"]?.object?["passkey_options"]?.object?["webauthn"]?.object
            #expect(webauthn?["user_verification"] == "required" && webauthn?["algorithms"] == [-7])

            let changed = try await manager.patch("connections/\(id)", ["options": ["disable_signup": true]])
            #expect(changed.status == 200, "\(changed)")
            let options = changed["options"]?.object
            #expect(options?["disable_signup"] == true)
            #expect(options?["passkey_options"]?.object?["challenge_ui"] == "both")
            #expect(changed["enabled_clients"] == [.string(client)] && changed["metadata"] == ["team": "a"])

            #expect(try await manager.delete("connections/\(id)").status == 204)
            expect(
                try await manager.get("connections/\(id)"),
                404,
                "inexistent_connection",
                "The connection does not exist"
            )
        }
    }

    @Test("Wrong connections are refused by name")
    func refusals() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let strategy = try await manager.post("connections", ["name": "x", "strategy": "google-oauth2"])
            expect(strategy, 400, "invalid_body", "Strategy not supported")
            let both = try await manager.post(
                "connections",
                [
                    "name": "x", "strategy": "auth0",
                    "options": [
                        "requires_username": true,
                        "attributes": ["email": ["identifier": ["active": true], "signup": ["status": "required"]]],
                    ],
                ]
            )
            expect(
                both,
                400,
                "invalid_body",
                "Cannot set both options.attributes and options.requires_username"
            )
            for name in ["-x", "x-", "a--b", "a b", ""] {
                let answer = try await manager.post("connections", ["name": .string(name), "strategy": "auth0"])
                #expect(answer.status == 400 && answer.string("errorCode") == "invalid_body", "\(name): \(answer)")
            }
            let taken = try await manager.post(
                "connections",
                ["name": .string(Connection.defaultName), "strategy": "auth0"]
            )
            #expect(taken.status == 409 && taken.string("errorCode") == "conflict", "\(taken)")
            let policy = try await manager.post(
                "connections",
                [
                    "name": "x", "strategy": "auth0",
                    "options": ["passkey_options": ["webauthn": ["algorithms": [-1]]]],
                ]
            )
            #expect(
                policy.string("message")?.contains("options.passkey_options.webauthn.algorithms") == true,
                "\(policy)"
            )
            let trusted = try await manager.post(
                "connections",
                [
                    "name": "x", "strategy": "auth0",
                    "options": [
                        "passkey_options": [
                            "webauthn": ["attestation": "direct", "require_trusted_attestation": true]
                        ]
                    ],
                ]
            )
            #expect(trusted.status == 400 && trusted.string("message")?.contains("mds import") == true, "\(trusted)")
            let client = try await manager.post(
                "connections",
                ["name": "x", "strategy": "auth0", "enabled_clients": ["nobody"]]
            )
            #expect(client.status == 400, "\(client)")
            let connection = try #require(try await manager.get("connections").list.first?["id"]?.string)
            for member in ["name", "strategy"] {
                var body = JSONObject()
                body.set(member, "auth0")
                expect(
                    try await manager.patch("connections/\(connection)", .object(body)),
                    400,
                    "invalid_body",
                    "Payload validation error: 'Additional properties not allowed: \(member)'."
                )
            }
        }
    }

    @Test("A directory with users, and the default one, stay")
    func inUse() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let connection = try #require(try await manager.get("connections").list.first?["id"]?.string)
            let answer = try await manager.delete("connections/\(connection)")
            #expect(answer.status == 409 && answer.string("message")?.contains("default_directory") == true)
        }
    }

    @Test("Clients are enabled and disabled one by one, and listed by checkpoints")
    func clients() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let connection = try #require(try await manager.get("connections").list.first?["id"]?.string)
            let path = "connections/\(connection)/clients"
            let (app, backend) = (house.app.id.text, house.backend.id.text)
            let both = try await manager.get(path).names("client_id", in: "clients")
            #expect(Set(both) == [app, backend])
            let off = try await manager.send("PATCH", path, [["client_id": .string(app), "status": false]])
            #expect(off.status == 204 && off.body.isEmpty, "\(off)")
            #expect(try await manager.get(path).names("client_id", in: "clients") == [backend])
            let on: JSONValue = [["client_id": .string(app), "status": true]]
            #expect(try await manager.send("PATCH", path, on).status == 204)
            let first = try await manager.get(path + "?take=1")
            #expect(first["clients"]?.array?.count == 1)
            let next = try #require(first.string("next"))
            let second = try await manager.get(path + "?take=1&from=" + next)
            #expect(second["clients"]?.array?.count == 1 && second["next"] == nil)
            for body in [
                [], ["x"], [["client_id": "nobody", "status": true]], [["client_id": .string(app)]],
                [["client_id": .string(app), "status": 1]], [["client_id": .string(app), "status": true, "x": 1]],
            ] as [JSONValue] {
                #expect(try await manager.send("PATCH", path, body).status == 400, "\(body)")
            }
            #expect(try await manager.get(path + "?page=0").status == 400)
        }
    }

    @Test("Lists are filtered by name and strategy; another tenant's ids are no ids")
    func lists() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            _ = try await manager.post("connections", ["name": "Staff", "strategy": "auth0"])
            #expect(try await manager.get("connections").list.count == 2)
            #expect(try await manager.get("connections?name=Staff").names("name") == ["Staff"])
            #expect(try await manager.get("connections?strategy=auth0").list.count == 2)
            #expect(try await manager.get("connections?strategy=google-oauth2").list.isEmpty)
            let totals = try await manager.get("connections?include_totals=true&per_page=1")
            #expect(totals["total"] == 2 && totals["connections"]?.array?.count == 1)
            let other = try await house.otherTenant().connection.id.text
            for (method, path, body) in [
                ("GET", "connections/\(other)", nil), ("DELETE", "connections/\(other)", nil),
                ("PATCH", "connections/\(other)", [:]), ("GET", "connections/\(other)/clients", nil),
                ("PATCH", "connections/\(other)/clients", []),
            ] as [(String, String, JSONValue?)] {
                let answer = try await manager.send(method, path, body)
                expect(answer, 404, "inexistent_connection", "The connection does not exist")
            }
        }
    }
}
