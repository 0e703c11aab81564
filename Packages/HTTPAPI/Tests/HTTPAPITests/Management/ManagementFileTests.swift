import Encodings
import Identity
import Tenancy
import Testing

@testable import HTTPAPI

@Suite("11.18: the tenant as a file")
struct ManagementFileTests {
    private static let reading =
        "read:tenant_settings read:clients read:connections read:resource_servers read:client_grants read:custom_domains"

    private func body(_ file: JSONValue, _ version: JSONValue? = nil, delete: Bool = false) -> JSONValue {
        var body: JSONObject = ["file": file, "allow_delete": .bool(delete)]
        if let version { body.set("version", version) }
        return .object(body)
    }

    @Test("What is exported, planned and applied again changes nothing, and nothing is written down for it")
    func identity() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let file = try await manager.get("tenant-file")
            #expect(file.status == 200 && file.string("version")?.utf8.count == 43, "\(file)")
            let plan = try await manager.post("tenant-file/plan", body(.object(file.json), delete: true))
            #expect(plan.status == 200 && plan["changes"] == [] && plan["skipped"] == [], "\(plan)")
            #expect(plan["version"] == file["version"] && plan["tenant"] == "acme")
            let applied = try await manager.post("tenant-file/apply", body(.object(file.json), file["version"]))
            #expect(applied.status == 200 && applied["changes"] == [], "\(applied)")
        }
    }

    @Test("A plan needs to read alone, writes nothing, and tells what would change")
    func plan() async throws {
        try await House.with { (house) async throws in
            let reader = try await Administrator(house, scope: Self.reading.replacing(" ", with: "%20"))
            let file: JSONValue = [
                "tenant": ["friendly_name": "Other", "default_directory": "Username-Password-Authentication"]
            ]
            let plan = try await reader.post("tenant-file/plan", body(file))
            #expect(plan.status == 200, "\(plan)")
            #expect(
                plan["changes"] == [
                    [
                        "resource": "tenant", "name": "acme", "op": "update", "path": "friendly_name", "before": .null,
                        "after": "Other",
                    ]
                ]
            )
            #expect(try await reader.get("tenant-file")["version"] == plan["version"])
            let refused = try await reader.post("tenant-file/apply", body(file, plan["version"]))
            expect(
                refused,
                403,
                "insufficient_scope",
                "Insufficient scope, expected all of: update:tenant_settings"
            )
            #expect(try await reader.get("tenant-file")["version"] == plan["version"])
            let few = try await Administrator(house, scope: "read:clients")
            #expect(try await few.post("tenant-file/plan", body(file)).status == 403)
            #expect(try await few.get("tenant-file").status == 403)
        }
    }

    @Test("The second of two administrators with one plan is refused, and nothing of theirs is done")
    func drift() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let version = try await manager.get("tenant-file")["version"]
            func file(_ name: String) -> JSONValue { ["clients": [["name": .string(name), "app_type": "spa"]]] }
            let first = try await manager.post("tenant-file/apply", body(file("First"), version))
            #expect(first.status == 200, "\(first)")
            let second = try await manager.post("tenant-file/apply", body(file("Second"), version))
            expect(
                second,
                409,
                "drift",
                "The tenant has changed since the plan was made. Nothing was done: make a new plan."
            )
            let names = try await manager.get("clients").names("name")
            #expect(names.contains("First") && !names.contains("Second"))
        }
    }

    @Test("Everything that is wrong is told with its place")
    func faults() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let file: JSONValue = [
                "clients": [["name": "X", "shoe_size": 43], ["app_type": "spa"]], "databases": "none",
            ]
            let shape = try await manager.post("tenant-file/plan", body(file))
            #expect(shape.status == 400 && shape.string("errorCode") == "invalid_body", "\(shape)")
            #expect(shape["faults"] == [["path": "databases", "message": "databases must be a list."]])
            let inside: JSONValue = ["clients": [["name": "X", "shoe_size": 43], ["app_type": "spa"]]]
            let answer = try await manager.post("tenant-file/plan", body(inside))
            #expect(
                answer["faults"] == [
                    ["path": "clients[0].shoe_size", "message": "there is no member shoe_size."],
                    ["path": "clients[1].name", "message": "name is missing."],
                ],
                "\(answer)"
            )
            for (wrong, message) in [
                (["file": [:], "nope": 1], "'Additional properties not allowed: nope'."),
                ([:], "'Missing required property: file'."), (["file": []], "'Invalid value []' on property file."),
                (["file": [:], "allow_delete": 1], "'Invalid value 1' on property allow_delete."),
            ] as [(JSONValue, String)] {
                expect(
                    try await manager.post("tenant-file/plan", wrong),
                    400,
                    "invalid_body",
                    "Payload validation error: " + message
                )
            }
            let noVersion = try await manager.post("tenant-file/apply", body([:]))
            #expect(noVersion.status == 400, "\(noVersion)")
        }
    }

    @Test("Nobody gives a scope of the Management API that their own token lacks")
    func givenScopes() async throws {
        try await House.with { (house) async throws in
            let scope = Self.reading + " create:clients create:client_grants"
            let some = try await Administrator(house, scope: scope.replacing(" ", with: "%20"))
            func file(_ scope: String) -> JSONValue {
                [
                    "clients": [["name": "Robot", "app_type": "non_interactive"]],
                    "clientGrants": [["client_id": "Robot", "audience": "/api/v2/", "scope": [.string(scope)]]],
                ]
            }
            let version = try await some.get("tenant-file")["version"]
            let refused = try await some.post("tenant-file/apply", body(file("delete:users"), version))
            expect(refused, 403, "insufficient_scope", "Insufficient scope, expected all of: delete:users")
            let given = try await some.post("tenant-file/apply", body(file("read:clients"), version))
            #expect(given.status == 200 && given["new_secrets"] == ["Robot"], "\(given)")
        }
    }

    @Test("Whom a plan touches is counted, and named when asked")
    func impact() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            var person = Person(house)
            _ = try await person.signUp("ana@example.com")
            let user = try #require(try await house.store.users(of: house.app.tenant, before: nil, limit: 1).first)
            let file: JSONValue = [
                "databases": [
                    [
                        "name": "Username-Password-Authentication", "strategy": "auth0",
                        "enabled_clients": ["App", "Backend"],
                        "options": ["authentication_methods": ["passkey": ["enabled": false]]],
                    ]
                ]
            ]
            var asking = body(file).object ?? [:]
            asking.set("who", true)
            let plan = try await manager.post("tenant-file/plan", .object(asking))
            let impact = try #require(plan["impact"]?.array?.first?.object, "\(plan)")
            #expect(impact["rule"] == "passkey.enabled" && impact["effect"] == "sign_in")
            #expect(impact["users"] == 1 && impact["passkeys"] == 1 && impact["no_other_way_in"] == 1, "\(impact)")
            #expect(impact["who"]?.array?.first?.object?["user_id"]?.string == user.id.subject)
            #expect(plan["all_users"] == 1 && plan["all_passkeys"] == 1)
            asking.remove("who")
            let unnamed = try await manager.post("tenant-file/plan", .object(asking))
            #expect(unnamed["impact"]?.array?.first?.object?["who"] == nil)
        }
    }
}
