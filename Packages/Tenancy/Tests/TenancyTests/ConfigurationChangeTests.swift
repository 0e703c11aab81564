import Cryptography
import Encodings
import Identity
import Testing
import WebAuthn

@testable import Tenancy

@Suite("Changing what a tenant is (HTTP contract 11)")
struct ConfigurationChangeTests {
    private let store = MemoryStore()
    private let administration: TenantAdministration
    private let now = UnixTime(seconds: 1_800_000_000)

    init() async throws {
        administration = TenantAdministration(store: store) { Random.bytes($0) }
        _ = try await administration.createTenant(TenantRequest(name: "acme", domain: "login.acme.example"), now: now)
    }

    private func acme() throws -> TenantConfiguration { try #require(store.only()) }

    private func setOptions(
        _ path: [String],
        _ value: JSONValue,
        _ other: TenantAdministration? = nil
    ) async throws -> Connection {
        var patch = DocumentPatch()
        patch.set(["options"] + path, value)
        let acme = try acme()
        let connection = try #require(acme.connections.first)
        return try await (other ?? administration).setConnection(connection.id, patch, in: acme, now: now)
    }

    @Test("A client has its kind's defaults, a secret when it can keep one, and its directories")
    func createsClients() async throws {
        let app = try await administration.createClient(
            ["name": "App", "app_type": "native", "grant_types": ["urn:okta:params:oauth:grant-type:webauthn"]],
            in: acme(),
            now: now
        )
        #expect(app.secret == nil && app.client.secretHash == nil)
        let backend = try await administration.createClient(
            ["name": "Backend", "app_type": "non_interactive"],
            in: acme(),
            now: now
        )
        let secret = try #require(backend.secret)
        #expect(backend.client.secretHash == SHA256.hash(Array(secret.utf8)))
        #expect(try acme().connections.first?.enabledClients == [app.client.id])
    }

    @Test("client_credentials needs a client that keeps a secret")
    func publicClientCredentials() async throws {
        let acme = try acme()
        await #expect(throws: TenancyError.self) {
            try await administration.createClient(
                ["name": "App", "app_type": "native", "grant_types": ["client_credentials"]],
                in: acme,
                now: now
            )
        }
    }

    @Test("A change merges at the top, replaces objects whole, and reaches into them by a path")
    func mergesClients() async throws {
        let app = try await administration.createClient(
            [
                "name": "App", "app_type": "spa", "description": "old",
                "jwt_configuration": ["alg": "ES256", "lifetime_in_seconds": 60],
            ],
            in: acme(),
            now: now
        )
        var patch = DocumentPatch(["name": "New", "description": nil])
        patch.set(["jwt_configuration"], ["alg": "EdDSA"])
        var changed = try await administration.setClient(app.client.id, patch, in: acme(), now: now)
        #expect(changed.name == "New" && changed.description == "" && changed.idTokenLifetime == 36000)
        patch = DocumentPatch()
        patch.set(["jwt_configuration", "lifetime_in_seconds"], 90)
        changed = try await administration.setClient(app.client.id, patch, in: acme(), now: now)
        #expect(changed.idTokenAlgorithm == .edDSA && changed.idTokenLifetime == 90)
        #expect(try acme().clients[app.client.id] == changed)
    }

    @Test("A public client does not get a secret that nobody is told")
    func publicStaysPublic() async throws {
        let app = try await administration.createClient(["name": "App", "app_type": "spa"], in: acme(), now: now)
        let acme = try acme()
        await #expect(throws: TenancyError.self) {
            try await administration.setClient(
                app.client.id,
                DocumentPatch(["token_endpoint_auth_method": "client_secret_post"]),
                in: acme,
                now: now
            )
        }
    }

    @Test("A connection's options are replaced whole, or changed one by one by their path")
    func changesOptions() async throws {
        var connection = try await setOptions(["passkey_options", "webauthn", "user_verification"], "required")
        #expect(connection.options.passkey.userVerification == .required && connection.options.passwordsEnabled)
        connection = try await setOptions([], ["disable_signup": true])
        #expect(connection.options.passkey.userVerification == nil && connection.options.signupDisabled)
        #expect(try acme().connections.first == connection)
    }

    @Test("enabled_clients are clients of the tenant")
    func enablesClients() async throws {
        let acme = try acme()
        let connection = try #require(acme.connections.first)
        let client = try #require(acme.clients.keys.first)
        let changed = try await administration.setConnection(
            connection.id,
            DocumentPatch(["enabled_clients": [.string(client.text)], "display_name": "People"]),
            in: acme,
            now: now
        )
        #expect(changed.enabledClients == [client] && changed.displayName == "People")
        await #expect(throws: TenancyError.notFound(what: "client", name: "nobody")) {
            try await administration.setConnection(
                connection.id,
                DocumentPatch(["enabled_clients": ["nobody"]]),
                in: acme,
                now: now
            )
        }
    }

    @Test("Any algorithm that credentials may have can be offered, in the order that is preferred")
    func algorithms() async throws {
        let changed = try await setOptions(["passkey_options", "webauthn", "algorithms"], [-48, -49, -50, -53, -7])
        #expect(changed.options.passkey.algorithms == [-48, -49, -50, -53, -7])
        #expect(try acme().connections.first == changed)
    }

    @Test("The ways back into an account are chosen, and what is no way is refused")
    func recoveryMethods() async throws {
        let changed = try await setOptions(["recovery", "methods"], ["recovery_code"])
        #expect(changed.options.recoveryMethods == [.recoveryCode])
        #expect(try acme().connections.first == changed)
        for wrong: JSONValue in [["sms"], ["email", "email"], "email", [1]] {
            await #expect(throws: TenancyError.self) { try await setOptions(["recovery", "methods"], wrong) }
        }
        #expect(try await setOptions(["recovery", "methods"], []).options.recoveryMethods == [])
    }

    @Test(
        "What this build cannot enforce is refused by name",
        arguments: [
            (["brute_force_protection"], false, "brute_force_protection"),
            (["attributes"], ["email": ["identifier": ["active": true], "unique": false]], "unique"),
            (
                ["attributes"],
                ["email": ["identifier": ["active": true], "signup": ["verification": ["active": true]]]],
                "verification"
            ),
        ] as [([String], JSONValue, String)]
    )
    func notBuilt(_ path: [String], _ value: JSONValue, _ word: String) async throws {
        let before = try acme().connections
        let error = await #expect(throws: TenancyError.self) { try await setOptions(path, value) }
        guard case .notBuilt(let member, let sentence) = error else {
            Issue.record("refused as \(String(describing: error))")
            return
        }
        #expect(sentence.contains(word) && sentence.hasPrefix(member) && sentence.hasSuffix("."))
        #expect(try acme().connections == before)
    }

    @Test(
        "What only a trusted attestation proves is refused without metadata, and taken with it",
        arguments: [
            ["attestation": "direct", "require_trusted_attestation": true],
            ["attestation": "enterprise", "allowed_aaguids": ["ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4"]],
        ] as [JSONValue]
    )
    func needsMetadata(_ value: JSONValue) async throws {
        let path = ["passkey_options", "webauthn"]
        for administration in [
            administration, TenantAdministration(store: store, metadata: Metadata(revision: 0)) { Random.bytes($0) },
        ] {
            let error = await #expect(throws: TenancyError.self) { try await setOptions(path, value, administration) }
            guard case .conflict(let sentence) = error else {
                Issue.record("refused as \(String(describing: error))")
                return
            }
            #expect(sentence.contains("mds import"))
        }
        let informed = TenantAdministration(store: store, metadata: Metadata(revision: 1)) { Random.bytes($0) }
        _ = try await setOptions(path, value, informed)
    }

    @Test("Setting such a member to its default is no change", arguments: ["passwordPolicy", "brute_force_protection"])
    func defaultsPass(_ member: String) async throws {
        let value = try #require(ConnectionOptions().document[member])
        _ = try await setOptions([member], value)
    }

    @Test("Without passkeys and passwords nobody could sign in")
    func noMethod() async throws {
        await #expect(throws: TenancyError.self) {
            try await setOptions(
                ["authentication_methods"],
                ["passkey": ["enabled": false], "password": ["enabled": false]]
            )
        }
    }

    @Test("Settings name only what is there, and only what is built")
    func settings() async throws {
        let acme = try acme()
        let changed = try await administration.setSettings(
            DocumentPatch(["friendly_name": "Acme", "default_audience": "https://login.acme.example/api/v2/"]),
            in: acme,
            now: now
        )
        #expect(changed.friendlyName == "Acme" && changed.defaultDirectory == Connection.defaultName)
        let refused: [JSONObject] = [
            ["totp": true], ["default_directory": "fido-conformance"], ["hash_client_secrets": false],
            ["default_directory": "x"],
            ["default_audience": "x"], ["default_browser_client": "x"], ["nonsense": 1],
            ["ephemeral_session_lifetime": 1],
        ]
        for document in refused {
            await #expect(throws: TenancyError.self) {
                try await administration.setSettings(DocumentPatch(document), in: acme, now: now)
            }
        }
    }

    @Test("A grant is for an API that gives tokens so, and for scopes that it has")
    func grants() async throws {
        let app = try await administration.createClient(["name": "App", "app_type": "spa"], in: acme(), now: now).client
        let grant = try await administration.createGrant(
            client: app.id,
            audience: "https://login.acme.example/me/",
            scope: ["read:me:factors"],
            in: acme(),
            now: now
        )
        #expect(grant.subject == .user && grant.audience == "/me/" && grant.scope == ["read:me:factors"])
        let acme = try acme()
        await #expect(throws: TenancyError.self) {
            try await administration.createGrant(client: app.id, audience: "/me/", scope: nil, in: acme, now: now)
        }
        await #expect(throws: TenancyError.invalid(what: "scope", value: "fly", problem: "is none of My Account API")) {
            try await administration.createGrant(client: app.id, audience: "/me/", scope: ["fly"], in: acme, now: now)
        }
        await #expect(throws: TenancyError.self) {
            try await administration.createGrant(
                client: app.id,
                audience: "/api/v2/",
                subject: .user,
                scope: nil,
                in: acme,
                now: now
            )
        }
        await #expect(throws: TenancyError.notFound(what: "API", name: "urn:x")) {
            try await administration.createGrant(client: app.id, audience: "urn:x", scope: nil, in: acme, now: now)
        }
    }

    @Test("An API's identifier is none of the tenant's own addresses")
    func resourceServers() async throws {
        let acme = try acme()
        let server = try await administration.createResourceServer(
            ["identifier": "https://api.acme.example/", "scopes": [["value": "read:things"]]],
            in: acme,
            now: now
        )
        #expect(server.signingAlgorithm == .es256)
        for identifier in ["/api/v2/", "/x", "https://login.acme.example/me/", "HTTP://LOGIN.acme.example/userinfo"] {
            await #expect(throws: TenancyError.self) {
                try await administration.createResourceServer(
                    ["identifier": .string(identifier)],
                    in: acme,
                    now: now
                )
            }
        }
    }
}
