import Encodings
import Identity
import Tenancy
import Testing

@testable import HTTPAPI

@Suite("11.7, 11.8: resource servers and client grants")
struct ManagementGrantTests {
    private static let api = "https://api.example.org/"

    private func make(_ manager: Administrator, _ scopes: [String] = ["read:things", "write:things"]) async throws
        -> String
    {
        let made = try await manager.post(
            "resource-servers",
            [
                "identifier": .string(Self.api), "name": "API",
                "scopes": .array(scopes.map { ["value": .string($0)] }),
            ]
        )
        try #require(made.status == 201, "\(made)")
        return try #require(made.string("id"))
    }

    @Test("An API is made, found by id and by identifier, changed and deleted with its grants")
    func resourceServers() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let id = try await make(manager)
            let byName = try await manager.get("resource-servers/https%3A%2F%2Fapi.example.org%2F")
            #expect(byName.string("id") == id, "\(byName)")
            #expect(byName["is_system"] == false && byName["signing_alg"] == "ES256")
            #expect(byName["token_lifetime_for_web"] == 7200 && byName["enforce_policies"] == false)
            let changed = try await manager.patch("resource-servers/\(id)", ["name": "New", "token_lifetime": 60])
            #expect(changed.string("name") == "New" && changed["token_lifetime"] == 60, "\(changed)")
            #expect(changed["scopes"]?.array?.count == 2)
            let fixed = try await manager.patch("resource-servers/\(id)", ["identifier": "https://x.example/"])
            #expect(fixed.status == 400 && fixed.string("message")?.contains("identifier") == true)
            let second = try await manager.post("resource-servers", ["identifier": .string(Self.api)])
            #expect(second.status == 409 && second.string("errorCode") == "conflict")
            let own = try await manager.post("resource-servers", ["identifier": "https://login.example.com/api/v2/"])
            #expect(own.status == 400, "\(own)")

            _ = try await manager.post(
                "client-grants",
                ["client_id": .string(house.backend.id.text), "audience": .string(Self.api), "scope": []]
            )
            #expect(try await manager.delete("resource-servers/\(id)").status == 204)
            expect(
                try await manager.get("resource-servers/\(id)"),
                404,
                "inexistent_resource_server",
                "The resource server does not exist"
            )
            #expect(try await manager.get("client-grants").list.count == 1)
        }
    }

    @Test("The tenant's own APIs are shown, and only their lifetimes and policies change")
    func systemAPIs() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let all = try await manager.get("resource-servers?include_totals=true")
            #expect(all["total"] == 2)
            let name = "resource-servers/https%3A%2F%2Flogin.example.com%2Fme%2F"
            let account = try await manager.get(name)
            #expect(account["is_system"] == true && account.string("identifier") == House.base + "/me/")
            #expect(
                account["subject_type_authorization"]
                    == ["client": ["policy": "deny_all"], "user": ["policy": "require_client_grant"]]
            )
            #expect(try await manager.delete(name).status == 400)
            #expect(try await manager.patch(name, ["name": "Mine"]).status == 400)
            let open: JSONValue = ["client": ["policy": "deny_all"], "user": ["policy": "allow_all"]]
            let changed = try await manager.patch(
                name,
                ["token_lifetime": 600, "subject_type_authorization": open]
            )
            #expect(changed["token_lifetime"] == 600 && changed["subject_type_authorization"] == open, "\(changed)")
        }
    }

    @Test("Nobody opens the Management API to every client, or closes it to all, by a change of it")
    func managementAccess() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let name = "resource-servers/https%3A%2F%2Flogin.example.com%2Fapi%2Fv2%2F"
            for policy in ["allow_all", "deny_all"] {
                let access: JSONValue = ["client": ["policy": .string(policy)], "user": ["policy": "deny_all"]]
                let refused = try await manager.patch(name, ["subject_type_authorization": access])
                #expect(refused.status == 400 || refused.status == 409, "\(refused)")
                let file: JSONValue = [
                    "resourceServers": [["identifier": "/api/v2/", "subject_type_authorization": access]]
                ]
                let plan = try await manager.post("tenant-file/plan", ["file": file])
                #expect(plan.status == 400 || plan.status == 409, "\(plan)")
            }
            #expect(try await manager.patch(name, ["token_lifetime": 600]).status == 200)
            #expect(try await manager.get("clients").status == 200)
        }
    }

    @Test("How a client proves itself changes with the scope that its secret needs, also by a file")
    func clientKeys() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let made = try await manager.post("clients", ["name": "Job", "app_type": "non_interactive"])
            let id = try #require(made.string("client_id"))
            let scope =
                "read:tenant_settings read:clients update:clients read:connections read:resource_servers "
                + "read:client_grants read:custom_domains"
            let other = try await Administrator(house, scope: scope.replacing(" ", with: "%20"))
            let missing = "Insufficient scope, expected all of: update:client_keys"
            let keys: JSONValue = ["private_key_jwt": ["credentials": []]]
            for change in [
                ["client_authentication_methods": keys, "token_endpoint_auth_method": "private_key_jwt"],
                ["token_endpoint_auth_method": "client_secret_basic"],
            ] as [JSONValue] {
                expect(try await other.patch("clients/\(id)", change), 403, "insufficient_scope", missing)
            }
            let exported = try await other.get("tenant-file")
            var file = exported.json
            let clients = (file["clients"]?.array ?? []).map { client -> JSONValue in
                guard var client = client.object, client["name"] == "Job" else { return client }
                client.set("token_endpoint_auth_method", "client_secret_basic")
                return .object(client)
            }
            file.set("clients", .array(clients))
            let applied = try await other.post(
                "tenant-file/apply",
                ["file": .object(file), "version": exported["version"] ?? .null]
            )
            expect(applied, 403, "insufficient_scope", missing)
            // The same value is no change, and the rest needs no more than before.
            let kept: JSONValue = [
                "description": "x", "token_endpoint_auth_method": made["token_endpoint_auth_method"] ?? .null,
            ]
            #expect(try await other.patch("clients/\(id)", kept).status == 200)
            let change: JSONValue = ["token_endpoint_auth_method": "client_secret_basic"]
            #expect(try await manager.patch("clients/\(id)", change).status == 200)
        }
    }

    @Test("A grant is given, narrowed and taken back; a second one for the same is refused")
    func grants() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            _ = try await make(manager)
            let client = try await manager.post("clients", ["name": "Job", "app_type": "non_interactive"])
            let id = try #require(client.string("client_id"))
            let secret = try #require(client.string("client_secret"))
            func token(_ scope: String = "") async throws -> Answer {
                let form =
                    "grant_type=client_credentials&client_id=\(id)&client_secret=\(secret)"
                    + "&audience=\(Self.api)&scope=\(scope)"
                return try await house.send(.form("/oauth/token", form))
            }
            let missing = try await token()
            #expect(missing.status == 403 && missing.reason == "client_grant_missing")
            let body: JSONValue = [
                "client_id": .string(id), "audience": .string(Self.api), "scope": ["read:things", "write:things"],
            ]
            let made = try await manager.post("client-grants", body)
            #expect(made.status == 201 && made.string("subject_type") == "client", "\(made)")
            let grant = try #require(made.string("id"))
            #expect(try await token().string("scope") == "read:things write:things")
            #expect(try await manager.post("client-grants", body).status == 409)

            let narrowed = try await manager.patch("client-grants/\(grant)", ["scope": ["read:things"]])
            #expect(narrowed["scope"] == ["read:things"], "\(narrowed)")
            #expect(try await token("write:things").reason == "invalid_scope")
            #expect(try await manager.get("client-grants/\(grant)").json == narrowed.json)
            #expect(try await manager.get("client-grants?client_id=\(id)").names("id") == [grant])
            #expect(try await manager.get("client-grants?audience=\(Self.api)").names("id") == [grant])
            #expect(try await manager.get("client-grants?subject_type=user").list.isEmpty)
            #expect(try await manager.get("client-grants?subject_type=x").status == 400)
            let own = try await manager.get("client-grants?audience=https://login.example.com/api/v2/&take=5")
            #expect(own["client_grants"]?.array?.count == 1 && own["next"] == nil)

            #expect(try await manager.delete("client-grants/\(grant)").status == 204)
            expect(
                try await manager.delete("client-grants/\(grant)"),
                404,
                "inexistent_client_grant",
                "The grant does not exist."
            )
            #expect(try await token().reason == "client_grant_missing")
        }
    }

    @Test("What is wrong in a grant is named, and nobody gives a Management scope that they lack")
    func refusals() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            _ = try await make(manager)
            let client = try await manager.post("clients", ["name": "Job", "app_type": "non_interactive"])
            let id = JSONValue.string(try #require(client.string("client_id")))
            func refused(_ body: JSONObject, _ word: String) async throws {
                let answer = try await manager.post("client-grants", .object(body))
                #expect(answer.status == 400 && answer.string("errorCode") == "invalid_body", "\(answer)")
                #expect(answer.string("message")?.contains(word) == true, "\(answer)")
            }
            try await refused(["audience": "x", "scope": []], "client_id")
            try await refused(["client_id": id, "scope": []], "audience")
            try await refused(["client_id": id, "audience": .string(Self.api)], "scope")
            try await refused(["client_id": id, "audience": .string(Self.api), "scope": ["fly"]], "fly")
            try await refused(["client_id": id, "audience": .string(Self.api), "scope": "read:things"], "scope")
            try await refused(["client_id": id, "audience": "https://nobody.example/", "scope": []], "nobody")
            try await refused(["client_id": "nobody", "audience": .string(Self.api), "scope": []], "nobody")
            try await refused(["client_id": id, "audience": .string(Self.api), "scope": [], "x": 1], "x")

            let management = JSONValue.string(House.base + "/api/v2/")
            let some = try await Administrator(house, scope: "create:client_grants%20update:client_grants%20read:users")
            let body: JSONObject = ["client_id": id, "audience": management]
            var more = body
            more.set("scope", ["read:users", "read:clients"])
            let answer = try await some.post("client-grants", .object(more))
            expect(answer, 403, "insufficient_scope", "Insufficient scope, expected all of: read:clients")
            more.set("scope", ["read:users"])
            more.set("allow_all_scopes", true)
            #expect(try await some.post("client-grants", .object(more)).status == 403)
            more.set("allow_all_scopes", false)
            more.set("scope", ["read:users", "read:actions"])
            let made = try await some.post("client-grants", .object(more))
            #expect(made.status == 201 && made["scope"] == ["read:users", "read:actions"], "\(made)")
            let grant = try #require(made.string("id"))
            #expect(try await some.patch("client-grants/\(grant)", ["scope": ["delete:users"]]).status == 403)
            #expect(try await some.patch("client-grants/\(grant)", ["allow_all_scopes": true]).status == 403)
            #expect(try await some.patch("client-grants/\(grant)", ["scope": []]).status == 200)
        }
    }
}
