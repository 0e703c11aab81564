import Cryptography
import Encodings
import Identity
import Synchronization
import Testing

@testable import Tenancy

@Suite("HTTP contract 16, 11.18: the tenant file")
struct TenantFileTests {
    /// One of everything, as somebody writes it.
    static let written: JSONObject = [
        "tenant": ["friendly_name": "Acme", "default_directory": "Username-Password-Authentication"],
        "clients": [
            [
                "name": "Acme iOS", "app_type": "native", "token_endpoint_auth_method": "none",
                "grant_types": [
                    "authorization_code", "refresh_token", "urn:okta:params:oauth:grant-type:webauthn",
                ],
                "mobile": [
                    "ios": ["team_id": "ABCDE12345", "app_bundle_identifier": "com.acme.app"],
                    "android": [
                        "app_package_name": "com.acme.app",
                        "sha256_cert_fingerprints": [
                            .string(Array(repeating: "d8", count: 32).joined(separator: ":"))
                        ],
                    ],
                ],
            ],
            ["name": "Acme Backend", "app_type": "non_interactive", "grant_types": ["client_credentials"]],
        ],
        "databases": [
            [
                "name": "Username-Password-Authentication", "strategy": "auth0", "enabled_clients": ["Acme iOS"],
                "options": [
                    "authentication_methods": ["passkey": ["enabled": true], "password": ["enabled": true]],
                    "passkey_options": [
                        "challenge_ui": "both", "progressive_enrollment_enabled": true,
                        "local_enrollment_enabled": true,
                    ],
                ],
            ]
        ],
        "resourceServers": [
            [
                "name": "Acme API", "identifier": "https://api.acme.example/",
                "scopes": [["value": "read:things", "description": "Read things"]],
            ]
        ],
        "clientGrants": [
            ["client_id": "Acme Backend", "audience": "https://api.acme.example/", "scope": ["read:things"]]
        ],
        "customDomains": [
            [
                "domain": "login.acme.example", "type": "self_managed_certs",
                "relying_party_identifier": "acme.example",
            ]
        ],
    ]

    @Test("Applied to an empty tenant, it makes everything, and a second plan is empty")
    func apply() async throws {
        let world = try await FileWorld()
        let plan = try await world.plan(Self.written)
        #expect(
            plan.changes.map { "\($0.operation) \($0.resource) \($0.name)" } == [
                "update tenant acme", "create clients Acme iOS", "create clients Acme Backend",
                "update databases Username-Password-Authentication",
                "create resourceServers https://api.acme.example/",
                "create clientGrants Acme Backend → https://api.acme.example/",
            ]
        )
        #expect(plan.newSecrets == ["Acme Backend"])
        let before = try await world.export()
        let done = try await world.apply(Self.written)
        #expect(done.changes.map(\.name) == plan.changes.map(\.name))
        #expect(try await world.plan(Self.written).changes == [])
        #expect(try await world.export() != before)
        let client = try #require(try await world.configuration().clients.values.first { $0.name == "Acme Backend" })
        #expect(client.secretHash?.count == 32)
    }

    @Test("The export has what was written, up to defaults, and what the tenant had before")
    func export() async throws {
        let world = try await FileWorld()
        try await world.apply(Self.written)
        let file = try await world.export()
        #expect(file.members.map(\.name) == TenantFile.Section.allCases.map(\.rawValue))
        #expect(file["tenant"] == Self.written["tenant"])
        #expect(file["customDomains"] == Self.written["customDomains"])
        let clients = file["clients"]?.array?.compactMap(\.object) ?? []
        #expect(clients.map { $0["name"]?.string } == ["Acme Backend", "Acme iOS", "Management"])
        let fingerprint = Array(repeating: "D8", count: 32).joined(separator: ":")
        let app = try #require(Self.written["clients"]?.array?.first?.object)
        #expect(
            clients[1]
                == app.with(["mobile", "android", "sha256_cert_fingerprints", "0"], .string(fingerprint))
        )
        let database = try #require(file["databases"]?.array?.first?.object)
        #expect(database["enabled_clients"] == ["Acme iOS"])
        #expect(
            database["options"] == [
                "authentication_methods": ["passkey": ["enabled": true], "password": ["enabled": true]]
            ]
        )
        let servers = file["resourceServers"]?.array?.compactMap(\.object) ?? []
        #expect(servers.map { $0["identifier"]?.string } == ["/api/v2/", "/me/", "https://api.acme.example/"])
        #expect(servers.last == Self.written["resourceServers"]?.array?.first?.object)
        let grants = file["clientGrants"]?.array?.compactMap(\.object) ?? []
        #expect(grants.map { $0["client_id"]?.string } == ["Acme Backend", "Management"])
        // No id and no secret stands in it.
        let text = String(decoding: JSONValue.object(file).serialized(), as: UTF8.self)
        for client in try await world.configuration().clients.keys { #expect(!text.contains(client.text)) }
        #expect(!text.contains("secret\""))
    }

    @Test("Importing an export changes nothing, also with deletions allowed")
    func identity() async throws {
        let world = try await FileWorld()
        try await world.apply(Self.written)
        let (file, version) = (try await world.export(), try TenantExport(try await world.configuration()).version)
        let plan = try await world.apply(file, delete: true)
        #expect(plan.changes == [] && plan.kept == [])
        #expect(try TenantExport(try await world.configuration()).version == version)
        #expect(world.store.state.withLock { $0.events } == [])
    }

    /// A change of the file, and the one difference that it must give.
    struct Single: CustomTestStringConvertible, Sendable {
        let path: [String]
        let value: JSONValue?
        let difference: String
        var testDescription: String { difference }
    }

    static let singles: [Single] = [
        Single(
            path: ["databases", "0", "options", "passkey_options", "webauthn", "user_verification"],
            value: "required",
            difference: "databases options.passkey_options.webauthn.user_verification null → \"required\""
        ),
        Single(
            path: ["tenant", "friendly_name"],
            value: "Other",
            difference: "tenant friendly_name \"Acme\" → \"Other\""
        ),
        Single(path: ["tenant", "friendly_name"], value: nil, difference: "tenant friendly_name \"Acme\" → null"),
        Single(path: ["clients", "0", "description"], value: "x", difference: "clients description \"\" → \"x\""),
        Single(
            path: ["clients", "0", "mobile", "ios", "team_id"],
            value: "ZZZZZ12345",
            difference: "clients mobile.ios.team_id \"ABCDE12345\" → \"ZZZZZ12345\""
        ),
        Single(
            path: ["databases", "0", "enabled_clients", "1"],
            value: "Acme Backend",
            difference: "databases enabled_clients [\"Acme iOS\"] → [\"Acme Backend\",\"Acme iOS\"]"
        ),
        Single(
            path: ["resourceServers", "0", "token_lifetime"],
            value: 60,
            difference: "resourceServers token_lifetime 86400 → 60"
        ),
        Single(
            path: ["clientGrants", "0", "scope"],
            value: [],
            difference: "clientGrants scope [\"read:things\"] → []"
        ),
        Single(
            path: ["customDomains", "0", "related_origins"],
            value: ["https://acme.shop"],
            difference: "customDomains related_origins [] → [\"https://acme.shop\"]"
        ),
        Single(
            path: ["tenant", "default_browser_client"],
            value: "Acme iOS",
            difference: "tenant default_browser_client null → \"Acme iOS\""
        ),
    ]

    @Test("Each single change gives exactly its difference, and is done", arguments: singles)
    func single(_ single: Single) async throws {
        let world = try await FileWorld()
        try await world.apply(Self.written)
        let file = Self.written.with(single.path, single.value)
        func text(_ value: JSONValue?) -> String { String(decoding: (value ?? .null).serialized(), as: UTF8.self) }
        let plan = try await world.plan(file)
        #expect(
            plan.changes.map { "\($0.resource) \($0.path ?? "") \(text($0.before)) → \(text($0.after))" }
                == [single.difference]
        )
        try await world.apply(file)
        #expect(try await world.plan(file).changes == [])
        // And back.
        try await world.apply(Self.written)
        #expect(try await world.plan(Self.written).changes == [])
    }

    @Test("What a file does not name stays, and goes with leave to delete, but for what lets the caller in")
    func deletions() async throws {
        let world = try await FileWorld()
        try await world.apply(Self.written)
        let file: JSONObject = [
            "clients": [Self.written["clients"]?.array?.first ?? .null], "databases": [], "resourceServers": [],
            "clientGrants": [], "customDomains": [], "tenant": [:],
        ]
        var without = file
        without.remove("tenant")
        #expect(try await world.plan(without).changes == [])
        // The default directory goes, so the settings must let it go.
        #expect(
            try await world.faults(without, delete: true).map(\.message).contains { $0.contains("default_directory") }
        )
        let plan = try await world.apply(file, delete: true)
        #expect(
            plan.changes.filter { $0.operation == .delete }.map { "\($0.resource) \($0.name)" } == [
                "clients Acme Backend", "databases Username-Password-Authentication",
                "resourceServers https://api.acme.example/",
            ]
        )
        #expect(
            plan.kept.map(\.name).sorted() == [
                "/api/v2/", "/me/", "Management", "Management → /api/v2/", "login.acme.example",
            ]
        )
        let now = try await world.configuration()
        #expect(now.clients.count == 2 && now.connections.isEmpty && now.grants.count == 1)
        #expect(try await world.plan(file, delete: true).changes == [])
    }

    @Test("A plan is refused once the tenant has moved, and nothing is done")
    func drift() async throws {
        let world = try await FileWorld()
        let version = try TenantExport(try await world.configuration()).version
        _ = try await world.administration.setSettings(
            DocumentPatch(["friendly_name": "Somebody was faster"]),
            in: try await world.configuration(),
            now: world.now
        )
        await #expect(throws: TenantFileError.drift) { try await world.apply(Self.written, version: version) }
        #expect(try await world.configuration().clients.count == 1)
    }

    @Test("What another tenant changes meanwhile is no drift")
    func otherTenants() async throws {
        let world = try await FileWorld()
        let read = try await world.configuration()
        _ = try await world.administration.createTenant(
            TenantRequest(name: "other", domain: "login.other.example"),
            now: world.now
        )
        let plan = try await world.administration.apply(
            try TenantFile(Self.written),
            version: try TenantExport(read).version,
            allowsDeletion: false,
            caller: nil,
            in: read,
            now: world.now
        )
        #expect(!plan.changes.isEmpty)
        #expect(try await world.configuration().clients.count == 3)
    }

    @Test("Of two with one plan, one is refused")
    func race() async throws {
        let world = try await FileWorld()
        let read = try await world.configuration()
        let version = try TenantExport(read).version
        let names = ["One", "Two"]
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for name in names {
                group.addTask {
                    let file: JSONObject = ["clients": [["name": .string(name), "app_type": "spa"]]]
                    let plan = try? await world.administration.apply(
                        try TenantFile(file),
                        version: version,
                        allowsDeletion: false,
                        caller: nil,
                        in: read,
                        now: world.now
                    )
                    return plan != nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 }.count == 1)
        #expect(try await world.configuration().clients.count == 2)
    }

    /// A file that is wrong in one place.
    static let wrong: [(JSONObject, path: String, message: String)] = [
        (
            written.with(["clients", "0", "mobile", "ios", "team_id"], "abc"), "clients[0].mobile.ios.team_id",
            "team_id"
        ),
        (written.with(["clients", "1", "nonsense"], 1), "clients[1].nonsense", "there is no member nonsense."),
        (written.with(["clients", "1", "name"], nil), "clients[1].name", "name is missing."),
        (
            written.with(["clients", "1", "name"], "Acme iOS"), "clients[1].name",
            "\"Acme iOS\" stands twice in clients."
        ),
        (
            written.with(["databases", "0", "enabled_clients", "0"], "Acme Os"), "databases[0].enabled_clients[0]",
            "there is no client \"Acme Os\", here or in the tenant."
        ),
        (
            written.with(["clientGrants", "0", "audience"], "urn:x"), "clientGrants[0].audience",
            "there is no API \"urn:x\""
        ),
        (written.with(["clientGrants", "0", "scope"], ["x"]), "clientGrants[0]", "scope \"x\" is none of Acme API."),
        (written.with(["tenant", "default_directory"], "Nowhere"), "tenant.default_directory", "no such database"),
        (written.with(["tenant", "totp"], true), "tenant", "totp"),
        (written.with(["client"], []), "client", "there is no section client. Did you mean clients?"),
        (written.with(["clients"], ["x"]), "clients[0]", "clients[0] must be a map."),
        (written.with(["databases"], "x"), "databases", "databases must be a list."),
    ]

    @Test("A wrong file is refused with the place and the reason", arguments: wrong.indices)
    func faults(_ index: Int) async throws {
        let wrong = Self.wrong[index]
        let world = try await FileWorld()
        let faults = try await world.faults(wrong.0)
        let fault = try #require(faults.first { $0.path == wrong.path }, "\(faults)")
        #expect(fault.message.contains(wrong.message), "\(fault)")
        #expect(try await world.configuration().clients.count == 1)
    }

    @Test("All faults are told at once; unknown sections are skipped by name")
    func many() async throws {
        let world = try await FileWorld()
        let file = Self.written.with(["clients", "0", "app_type"], "toaster").with(["tenant", "session_lifetime"], "x")
        #expect(try await world.faults(file).count >= 2)
        let skipping = Self.written.with(["actions"], []).with(["connections"], [])
        #expect(try await world.plan(skipping).skipped == ["actions", "connections"])
    }

    @Test("Models of authenticators need the metadata that proves them")
    func metadata() async throws {
        let file = Self.written.with(
            ["databases", "0", "options", "passkey_options", "webauthn"],
            ["require_trusted_attestation": true, "attestation": "direct"]
        )
        #expect(try await FileWorld(metadata: 1).plan(file).changes.isEmpty == false)
        let faults = try await FileWorld(metadata: 0).faults(file)
        #expect(
            faults.map(\.path) == ["databases[0].options.passkey_options.webauthn.require_trusted_attestation"]
        )
    }

    @Test("Names that several clients have are refused, since nothing could refer to one of them")
    func ambiguousNames() async throws {
        let world = try await FileWorld()
        _ = try await world.administration.createClient(
            ["name": "Management", "app_type": "spa"],
            in: try await world.configuration(),
            now: world.now
        )
        let configuration = try await world.configuration()
        #expect(throws: TenancyError.self) { try TenantExport(configuration) }
    }

    @Test("Secrets of a connection are references, and a change of one shows no secret")
    func secrets() async throws {
        let world = try await FileWorld()
        let path = ["databases", "0", "options", "configuration"]
        try await world.apply(Self.written.with(path, ["API_KEY": "hunter2"]))
        let text = String(decoding: JSONValue.object(try await world.export()).serialized(), as: UTF8.self)
        #expect(!text.contains("hunter2"))
        #expect(text.contains("##USERNAME_PASSWORD_AUTHENTICATION_API_KEY##"))
        let plan = try await world.plan(Self.written.with(path, ["API_KEY": "hunter3"]))
        #expect(plan.changes.count == 1 && plan.changes.first?.path == "options.configuration.API_KEY")
        let shown = plan.changes.map { String(decoding: JSONValue.object($0.document).serialized(), as: UTF8.self) }
        #expect(!shown.joined().contains("hunter"))
    }
}
