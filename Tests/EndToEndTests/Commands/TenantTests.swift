import Encodings
import Foundation
import Programs
import Testing

@Suite("latchkey-tenant, on a running server", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct TenantTests {
    @Test("Clients, connections, APIs, grants, settings and keys: made, listed, shown, set, deleted")
    func things() async throws {
        let server = try await LatchkeyServer.start()
        let tool = try await TenantTool(on: server)
        let me = try #require(try await tool.json(["whoami"]).object)
        #expect(me["tenant"] == "acme" && me["client"] == "Management", "\(me)")
        let app = try #require(
            try await tool.json([
                "client", "create", "--name", "My app", "--type", "spa", "--grant", "passkey,refresh", "--web-origin",
                "http://localhost:5173",
            ]).object
        )
        #expect(app["client_secret"] == nil && app["client_id"]?.string?.count == 32)
        let robot = try #require(
            try await tool.json(["client", "create", "--name", "Robot", "--type", "non_interactive"]).object
        )
        #expect(robot["client_secret"]?.string?.utf8.count == 64)
        _ = try await tool.json([
            "api", "create", "--identifier", "urn:orders", "--name", "Orders", "--scope", "read:a",
        ])
        _ = try await tool.json(["grant", "create", "--client", "Robot", "--api", "Orders", "--scope", "read:a"])
        _ = try await tool.json(["connection", "create", "--name", "Staff", "--client", "My app"])
        let set = try #require(try await tool.json(["grant", "set", "My app", "passkey", "code"]).object)
        #expect(set["grant_types"] == [.string(App.passkeyGrant), "authorization_code"])
        let nested = try #require(
            try await tool.json(["client", "set", "My app", "jwt_configuration.alg=ES256"]).object
        )
        #expect(nested["jwt_configuration"]?.object?["alg"] == "ES256")
        #expect(nested["jwt_configuration"]?.object?["lifetime_in_seconds"] == 36000)
        _ = try await tool.json(["settings", "set", "friendly_name=Acme"])
        #expect(try await tool.json(["settings", "show", "--fields", "friendly_name"]) == ["friendly_name": "Acme"])
        for words in [
            ["client", "list"], ["connection", "list"], ["api", "list"], ["grant", "list"], ["key", "list"],
        ] {
            #expect(try await tool.json(words).array?.isEmpty == false, "\(words)")
            let csv = try await tool.run(words + ["-o", "csv"])
            #expect(csv.exit == 0 && csv.output.contains("\r\n"))
        }
        #expect(
            try await tool.run(["client", "list", "--fields", "name", "-o", "csv"]).output
                == "name\r\nManagement\r\nMy app\r\nRobot\r\n"
        )
        let raw = try await tool.run(["api", "GET", "/clients?per_page=1&include_totals=true"])
        #expect(try JSON.parse(raw.output).object?["total"] == 3)
        #expect(try await tool.run(["client", "delete", "Robot", "--yes"]).exit == 0)
        #expect(try await tool.json(["client", "list"]).array?.count == 2)
        for (words, exit, text) in [
            (["client", "show", "My ap"], 3, "Did you mean \"My app\"?"),
            (["client", "set", "My app", "shoe_size=43"], 2, "shoe_size"),
            (["client", "delete", "My app"], 2, "--yes"),
            (["api", "create", "--identifier", "urn:orders"], 5, "urn:orders"),
            (["client", "list", "--fields", "nonsense"], 2, "nonsense"),
            (["grant", "set", "My app", "paskey"], 2, "passkey"),
            (["api", "GET", "../../oauth/token"], 2, "no path"),
        ] as [([String], Int32, String)] {
            let result = try await tool.run(words)
            #expect(result.exit == exit && result.output.isEmpty, "\(words): \(result)")
            #expect(result.errors.contains(text) && result.errorLines.count <= 3, "\(words): \(result)")
        }
        let nothing = try await tool.run(["api", "GET", "/nonsense"])
        #expect(nothing.exit == 3 && nothing.output.contains("\"errorCode\":\"not_found\""), "\(nothing)")
        try await server.stop()
    }

    @Test("Signing in: contexts, their file's mode, and every way to be refused")
    func signingIn() async throws {
        let server = try await LatchkeyServer.start()
        let tool = try await TenantTool(on: server)
        let secret = tool.environment["LATCHKEY_CLIENT_SECRET"] ?? ""
        let add = try await tool.run(["context", "add", "acme"])
        #expect(add.exit == 0, "\(add)")
        let file = tool.home.file(".config/latchkey/contexts.yaml")
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let bare = ["LATCHKEY_URL": "", "LATCHKEY_CLIENT_ID": "", "LATCHKEY_CLIENT_SECRET": ""]
        let me = try await tool.run(["whoami", "--fields", "context,tenant", "-o", "json"], bare)
        #expect(try JSON.parse(me.output) == ["context": "acme", "tenant": "acme"], "\(me)")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let open = try await tool.run(["whoami"], bare)
        #expect(open.exit == 2 && open.errors.contains("chmod 600"), "\(open)")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let piped = try await tool.run(
            ["context", "add", "two", "--client-secret-file", "-"],
            ["LATCHKEY_CLIENT_SECRET": ""],
            input: secret + "\n"
        )
        #expect(piped.exit == 0, "\(piped)")
        #expect(try await tool.run(["context", "use", "acme"], bare).exit == 0)
        let list = try await tool.run(["context", "list", "-o", "json"], bare)
        #expect(!list.output.contains(secret))
        #expect(try JSON.parse(list.output).array?.map { $0.object?["current"] } == [true, false])
        for (words, environment, exit, text) in [
            (["whoami"], ["LATCHKEY_CLIENT_SECRET": "wrong-wrong"], 4, "was not let in"),
            (["whoami"], ["LATCHKEY_CLIENT_ID": "nobody"], 4, "was not let in"),
            (["whoami"], ["LATCHKEY_URL": "http://localhost:1"], 6, "cannot be reached"),
            (["whoami"], ["LATCHKEY_URL": "http://login.acme.example"], 2, "https://"),
            (["whoami"], ["LATCHKEY_URL": "localhost"], 2, "no tenant's address"),
            (["whoami"], ["LATCHKEY_CLIENT_SECRET": ""], 2, "LATCHKEY_CLIENT_SECRET"),
            (["whoami", "--context", "ac"], [:], 3, "context \"ac\" not found"),
            (["whoami", "--url", "http://127.0.0.1:\(server.port)"], [:], 3, "no tenant"),
        ] as [([String], [String: String], Int32, String)] {
            let result = try await tool.run(words, environment)
            #expect(result.exit == exit && result.output.isEmpty, "\(words) \(environment): \(result)")
            #expect(result.errors.contains(text) && result.errorLines.count == 1, "\(words): \(result)")
            #expect(!result.errors.contains(secret) && !result.errors.contains("wrong-wrong"), "\(result)")
        }
        #expect(!server.log.contains(secret))
        try await server.stop()
    }

    /// One of everything in contract 16, with both kinds of markers.
    private static func file(_ port: Int) -> String {
        """
        # The tenant of the tests
        tenant:
          friendly_name: "##COMPANY##"
          default_directory: Username-Password-Authentication
        clients:
          - name: Acme iOS
            app_type: native
            token_endpoint_auth_method: none
            grant_types: [authorization_code, refresh_token, "urn:okta:params:oauth:grant-type:webauthn"]
            mobile:
              ios: { team_id: ABCDE12345, app_bundle_identifier: com.acme.app }
            web_origins: "@@ORIGINS@@"
          - name: Acme Backend
            app_type: non_interactive
        databases:
          - name: Username-Password-Authentication
            strategy: auth0
            enabled_clients: [Acme iOS]
            options:
              authentication_methods: { passkey: { enabled: true }, password: { enabled: true } }
              passkey_options: { challenge_ui: both, progressive_enrollment_enabled: true, local_enrollment_enabled: true }
        resourceServers:
          - name: Acme API
            identifier: https://api.acme.example/
            scopes: [ { value: "read:things", description: Read things } ]
        clientGrants:
          - client_id: Acme Backend
            audience: https://api.acme.example/
            scope: ["read:things"]
        customDomains:
          - domain: localhost:\(port)
            type: self_managed_certs
            relying_party_identifier: localhost
        actions: []

        """
    }

    private static let values = ["COMPANY": "Acme AB", "ORIGINS": "[\"https://app.acme.example\"]"]

    @Test("The tenant file: planned, applied, exported, drifted, undone")
    func tenantFile() async throws {
        let server = try await LatchkeyServer.start()
        let tool = try await TenantTool(on: server)
        try tool.home.write(Self.file(server.port), to: "tenant.yaml")
        let values = Self.values
        #expect(try await tool.run(["validate", "tenant.yaml"], values).exit == 0)

        let before = try await tool.run(["export"])
        let plan = try await tool.run(["plan", "tenant.yaml", "--out", "plan", "--exit-code"], values)
        #expect(plan.exit == 10 && plan.output.contains("2 changed, 4 added, 0 removed"), "\(plan)")
        #expect(plan.output.contains("friendly_name   (not set) → Acme AB"), "\(plan)")
        #expect(
            plan.errors.contains("actions is skipped") && plan.errors.contains("Apply with: latchkey-tenant apply plan")
        )
        #expect(try await tool.run(["export"]).output == before.output, "a plan writes nothing")

        let applied = try await tool.run(["apply", "plan"], values)
        #expect(applied.exit == 0, "\(applied)")
        let undo = try #require(applied.errorLines.first { $0.hasPrefix("undo: ") }).dropFirst("undo: ".count)
        let again = try await tool.run(["plan", "tenant.yaml", "--exit-code"], values)
        #expect(again.exit == 0 && again.output.contains("Nothing to change"), "\(again)")

        // Export and import: nothing to change, the same text.
        #expect(try await tool.run(["export", "--out", "export.yaml"]).exit == 0)
        #expect(try await tool.run(["plan", "export.yaml", "--allow-delete", "--exit-code"]).exit == 0)
        #expect(try await tool.run(["export"]).output == contents(tool.home.file("export.yaml")))

        // A saved plan is refused once somebody was faster.
        let other = Self.file(server.port).replacing("Read things", with: "Read them")
        try tool.home.write(other, to: "tenant.yaml")
        #expect(try await tool.run(["plan", "tenant.yaml", "--out", "plan", "-q"], values).exit == 0)
        _ = try await tool.json(["settings", "set", "session_lifetime=24"])
        let late = try await tool.run(["apply", "plan"], values)
        #expect(late.exit == 5 && late.errors.contains("has changed since"), "\(late)")
        let single = try await tool.run(["plan", "tenant.yaml", "--exit-code"], values)
        #expect(single.exit == 10 && single.output.contains("session_lifetime   24 → 168"), "\(single)")

        // Without a terminal nobody can be asked.
        let unasked = try await tool.run(["apply", "tenant.yaml"], values)
        #expect(unasked.exit == 2 && unasked.errors.contains("--yes"), "\(unasked)")

        // And back to where it began, by the line that was printed.
        var words = undo.split(separator: " ").map(String.init)
        #expect(words.removeFirst() == "latchkey-tenant")
        let undone = try await tool.run(words + ["--yes"])
        #expect(undone.exit == 0, "\(undone)")
        #expect(try await tool.run(["export"]).output == before.output)
        try await server.stop()
    }

    @Test("A plan works with a token that may only read; the same token applies nothing")
    func readOnly() async throws {
        let server = try await LatchkeyServer.start()
        let tool = try await TenantTool(on: server)
        let reader = try #require(
            try await tool.json(["client", "create", "--name", "CI", "--type", "non_interactive"]).object
        )
        var words = ["grant", "create", "--client", "CI", "--api", "Management API"]
        for thing in [
            "tenant_settings", "clients", "connections", "resource_servers", "client_grants", "custom_domains",
        ] {
            words += ["--scope", "read:\(thing)"]
        }
        _ = try await tool.json(words)
        let environment = [
            "LATCHKEY_CLIENT_ID": reader["client_id"]?.string ?? "",
            "LATCHKEY_CLIENT_SECRET": reader["client_secret"]?.string ?? "",
        ].merging(Self.values) { $1 }
        try tool.home.write(Self.file(server.port), to: "tenant.yaml")
        let plan = try await tool.run(["plan", "tenant.yaml", "--exit-code"], environment)
        #expect(plan.exit == 10, "\(plan)")
        let apply = try await tool.run(["apply", "tenant.yaml", "--yes"], environment)
        #expect(apply.exit == 4 && apply.errors.contains("update:tenant_settings"), "\(apply)")
        #expect(try await tool.run(["plan", "tenant.yaml", "--exit-code"], environment).exit == 10)
        try await server.stop()
    }

    @Test("What is wrong with a file is told with line and column as it was written")
    func places() async throws {
        let server = try await LatchkeyServer.start()
        let tool = try await TenantTool(on: server)
        try tool.home.write(Self.file(server.port), to: "tenant.yaml")
        let missing = try await tool.run(["plan", "tenant.yaml"])
        #expect(missing.exit == 2, "\(missing)")
        #expect(
            missing.errors.contains("tenant.yaml:3:19: COMPANY")
                && missing.errors.contains("tenant.yaml:12:19: ORIGINS")
        )
        let wrong = Self.file(server.port).replacing("team_id: ABCDE12345", with: "team_id: abc")
            .replacing("[Acme iOS]", with: "[Acme Os]")
        try tool.home.write(wrong, to: "tenant.yaml")
        let plan = try await tool.run(["plan", "tenant.yaml"], Self.values)
        #expect(plan.exit == 2, "\(plan)")
        #expect(plan.errors.contains("tenant.yaml:11:14: "), "\(plan)")
        #expect(plan.errors.contains("tenant.yaml:18:23: there is no client \"Acme Os\""), "\(plan)")
        let validate = try await tool.run(["validate", "tenant.yaml"], Self.values)
        #expect(validate.exit == 10 && validate.errors.contains("tenant.yaml:11:14: "), "\(validate)")
        try tool.home.write("clients:\n  - name: &a [*a\n", to: "broken.yaml")
        let broken = try await tool.run(["validate", "broken.yaml"])
        #expect(broken.exit == 2 && broken.errors.contains("broken.yaml:"), "\(broken)")
        #expect(try await tool.run(["plan", "nowhere.yaml"]).exit == 2)
        try await server.stop()
    }
}
