import Encodings
import Testing

@testable import Tenancy

@Suite("Random tenant files")
struct RandomTenantFileTests {
    @Test("The export of what was applied is what was applied, and a plan after it is empty", arguments: 0..<60)
    func identity(_ seed: UInt64) async throws {
        var dice = Dice(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        let world = try await FileWorld()
        var last = try await world.export()
        // From one random state to the next, so that everything is made, changed and deleted.
        for _ in 0..<3 {
            let file = dice.file(keeping: last)
            try await world.apply(file, delete: true)
            let export = try await world.export()
            #expect(try await world.plan(file, delete: true).changes == [], "\(Self.text(file))")
            #expect(try await world.plan(export, delete: true).changes == [])
            // Once more through the tenant, the file is the same to the byte.
            let other = try await FileWorld()
            try await other.apply(export, delete: true)
            #expect(Self.text(try await other.export()) == Self.text(export))
            last = export
        }
    }

    private static func text(_ file: JSONObject) -> String {
        String(decoding: JSONValue.object(file).serialized(pretty: true), as: UTF8.self)
    }
}

/// Chance that a seed decides.
private struct Dice {
    var state: UInt64

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
    mutating func some<Value>(_ values: [Value]) -> [Value] { values.filter { _ in chance(50) } }

    mutating func file(keeping last: JSONObject) -> JSONObject {
        let names = some(["App", "Web", "Backend", "Ünï", "a\"b", "Kiosk"])
        let clients = names.map { client($0) }
        let databases = ["Username-Password-Authentication"] + some(["Staff", "Partners"])
        let servers = some(["https://api.acme.example/", "urn:acme:orders", "https://x.example/?a=b"])
        let machines = clients.filter {
            $0["grant_types"]?.array?.contains("client_credentials") == true
        }.compactMap { $0["name"]?.string }
        var grants: [JSONValue] = []
        for server in servers {
            for machine in machines where chance(60) {
                let scope = some(["read:a", "write:a", "read:b"]).map { JSONValue.string($0) }
                grants.append(["client_id": .string(machine), "audience": .string(server), "scope": .array(scope)])
            }
        }
        var settings: JSONObject = ["default_directory": .string(pick(databases))]
        if chance(50) { settings.set("friendly_name", .string("Acme \(below(9))")) }
        if chance(50) { settings.set("session_lifetime", .integer(Int64(1 + below(300)))) }
        if chance(30), let name = names.first { settings.set("default_browser_client", .string(name)) }
        if chance(30) { settings.set("list_allow_credentials", false) }
        if chance(30), let server = servers.first { settings.set("default_audience", .string(server)) }
        var domain: JSONObject = [
            "domain": "login.acme.example", "type": "self_managed_certs", "relying_party_identifier": "acme.example",
        ]
        if chance(40) {
            domain.set("related_origins", .array(some(["https://a.shop", "https://b.shop"]).map { .string($0) }))
        }
        return [
            "tenant": .object(settings), "clients": .array(clients.map { .object($0) }),
            "databases": .array(databases.map { database($0, names) }),
            "resourceServers": .array(servers.map { server($0) }), "clientGrants": .array(grants),
            "customDomains": [.object(domain)],
        ]
    }

    private mutating func client(_ name: String) -> JSONObject {
        let type = pick(["native", "spa", "regular_web", "non_interactive"])
        var client: JSONObject = ["name": .string(name), "app_type": .string(type)]
        if type == "regular_web" || type == "non_interactive" {
            client.set("token_endpoint_auth_method", .string(pick(["client_secret_post", "client_secret_basic"])))
            client.set(
                "grant_types",
                .array(["client_credentials" as JSONValue] + (chance(50) ? ["refresh_token"] : []))
            )
        } else if chance(50) {
            client.set("grant_types", ["urn:okta:params:oauth:grant-type:webauthn", "refresh_token"])
        }
        if chance(40) { client.set("description", .string(pick(["", "one", "zwei\u{1F511}"]))) }
        if chance(40) { client.set("web_origins", ["https://app.acme.example"]) }
        if chance(30) { client.set("client_metadata", ["team": .string(pick(["a", "b"])), "x": "y"]) }
        if chance(30) { client.set("jwt_configuration", ["alg": .string(pick(["RS256", "ES256"]))]) }
        if chance(30) {
            client.set(
                "refresh_token",
                ["rotation_type": "rotating", "expiration_type": "expiring", "leeway": .integer(Int64(below(60)))]
            )
        }
        if chance(30) { client.set("addons", ["z": 1, "a": ["q": [1, 2.5, .null]]]) }
        return client
    }

    private mutating func database(_ name: String, _ clients: [String]) -> JSONValue {
        var options: JSONObject = [
            "authentication_methods": ["passkey": ["enabled": true], "password": ["enabled": .bool(chance(60))]]
        ]
        var passkeys = JSONObject()
        if chance(50) { passkeys.set("challenge_ui", .string(pick(["both", "autofill", "button"]))) }
        if chance(60) {
            var policy = JSONObject()
            if chance(50) { policy.set("user_verification", .string(pick(["required", "preferred", "discouraged"]))) }
            if chance(50) {
                policy.set("algorithms", .array(pick([[-7], [-8, -7], [-8, -7, -257]]).map { .integer($0) }))
            }
            if chance(30) { policy.set("max_passkeys_per_user", .integer(Int64(1 + below(40)))) }
            if chance(20) { policy.set("denied_aaguids", ["00000000-0000-0000-0000-000000000001"]) }
            passkeys.set("webauthn", .object(policy))
        }
        if !passkeys.isEmpty { options.set("passkey_options", .object(passkeys)) }
        if chance(30) { options.set("disable_signup", true) }
        if chance(30) { options.set("precedence", ["username", "email", "phone_number"]) }
        if chance(30) { options.set("mfa", ["active": .bool(chance(50))]) }
        var database: JSONObject = ["name": .string(name), "strategy": "auth0", "options": .object(options)]
        if chance(70) { database.set("enabled_clients", .array(some(clients).map { .string($0) })) }
        if chance(30) { database.set("display_name", .string("The \(name)")) }
        if chance(30) { database.set("metadata", ["k": "v"]) }
        return .object(database)
    }

    private mutating func server(_ identifier: String) -> JSONValue {
        var server: JSONObject = [
            "identifier": .string(identifier),
            "scopes": [["value": "read:a"], ["value": "write:a", "description": "Write"], ["value": "read:b"]],
        ]
        if chance(50) { server.set("name", .string(pick(["API", "Orders"]))) }
        if chance(50) { server.set("token_lifetime", .integer(Int64(60 + below(9000)))) }
        if chance(30) { server.set("allow_offline_access", true) }
        if chance(30) { server.set("signing_alg", .string(pick(["RS256", "ES256", "EdDSA"]))) }
        return .object(server)
    }
}
