import Encodings
import Glibc
import Terminal
import Testing

@testable import AdminCLI

@Suite("latchkey-admin: commands on the store")
struct StoreCommandTests {
    @Test("tenant create answers with the shape that scripts rely on")
    func tenantShape() async throws {
        let run = try AdminRun()
        #expect(await run("master-key", "create", "\(run.folder)/mk").exit == .done)
        let outcome = await run(
            "tenant",
            "create",
            "acme",
            "--domain",
            "Login.acme.example",
            "--origin",
            "https://shop.example/",
            "-o",
            "json"
        )
        #expect(outcome.exit == .done && outcome.errors == "")
        let object = try #require(try outcome.json().object)
        #expect(object["tenant"] == "acme" && object["domain"] == "login.acme.example")
        #expect(object["rp_id"] == "login.acme.example" && object["connection"] == "Username-Password-Authentication")
        #expect(object["related_origins"] == ["https://shop.example"])
        let client = try #require(object["management_client"]?.object)
        #expect(client["client_id"]?.string?.utf8.count == 32 && client["client_secret"]?.string?.utf8.count == 64)
        let keys = try #require(try await run("key", "list", "-o", "json").json().array)
        #expect(keys.count == 2 && keys.allSatisfy { $0.object?["kid"]?.string?.isEmpty == false })
    }

    @Test("client create answers with client_id, and client_secret where there is one")
    func clientShape() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        let app = await run(
            "client",
            "create",
            "--tenant",
            "acme",
            "--name",
            "My app",
            "--type",
            "spa",
            "--grant",
            "passkey,refresh",
            "--id-token-alg",
            "ES256",
            "--web-origin",
            "http://localhost:5173",
            "-o",
            "json"
        )
        let object = try #require(try app.json().object)
        #expect(object.members.map(\.name) == ["client_id"])
        let shown = try #require(try await run("client", "show", "My app", "-o", "json").json().object)
        #expect(shown["client_id"] == object["client_id"] && shown["web_origins"] == ["http://localhost:5173"])
        #expect(shown["grant_types"] == ["urn:okta:params:oauth:grant-type:webauthn", "refresh_token"])
        #expect(shown["jwt_configuration"]?.object?["alg"] == "ES256" && shown["client_secret"] == nil)

        let backend = await run("client", "create", "--name", "B", "--type", "non_interactive", "-o", "json")
        #expect(try backend.json().object?.members.map(\.name) == ["client_id", "client_secret"])
        let connection = try await run("connection", "show", "Username-Password-Authentication", "-o", "json").json()
        #expect(connection.object?["enabled_clients"] == .array([object["client_id"] ?? .null]))
    }

    @Test("What is wrong ends with its own code, one line, and a suggestion")
    func failures() async throws {
        let run = try AdminRun()
        let early = await run("tenant", "create", "acme", "--domain", "a.example")
        #expect(early.exit == .wrongUse && early.errors.contains("latchkey-admin master-key create"))
        try await run.makeTenant()
        let cases: [([String], ExitCode, String)] = [
            (["tenant", "create", "acme", "--domain", "b.example"], .conflict, "exists already"),
            (["tenant", "create", "b", "--domain", "login.acme.example"], .conflict, "login.acme.example"),
            (["tenant", "create", "b", "--domain", "127.0.0.1:8080"], .wrongUse, "localhost"),
            (["tenant", "show", "acm"], .notFound, "Did you mean \"acme\"?"),
            (["tenant", "set", "acme", "totp=true"], .wrongUse, "totp"),
            (["tenant", "set", "acme", "friendly_nam=x"], .wrongUse, "friendly_nam"),
            (["tenant", "set", "acme", "x"], .wrongUse, "MEMBER=JSON"),
            (["client", "show", "Managment"], .notFound, "Did you mean \"Management\"?"),
            (
                ["client", "create", "--name", "x", "--type", "native", "--grant", "m2m"], .wrongUse,
                "client_credentials"
            ),
            (["connection", "show", "x"], .notFound, "connection"),
            (["grant", "create", "--client", "Management", "--audience", "management"], .conflict, "Management"),
            (["grant", "create", "--client", "Management", "--audience", "manegement"], .notFound, "management"),
            (["user", "show", "ana@example.com"], .notFound, "ana@example.com"),
            (["user", "list", "--limit", "0"], .wrongUse, "--limit"),
            (["passkey", "revoke", "dev_x"], .wrongUse, "--yes"),
            (["passkey", "revoke", "dev_x", "--yes"], .notFound, "dev_x"),
            (["ceremony", "explain", "x"], .wrongUse, "cer_"),
            (["master-key", "create"], .conflict, "not overwritten"),
            (["client", "list", "--tenant", "acmee"], .notFound, "acme"),
        ]
        for (arguments, exit, words) in cases {
            let outcome = await run.run(arguments)
            #expect(outcome.exit == exit, "\(arguments): \(outcome.errors)")
            #expect(outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
            #expect(outcome.output == "", "\(arguments)")
        }
    }

    @Test("A key file that belongs to another store changes nothing")
    func wrongMasterKey() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        unsafe unlink("\(run.folder)/mk")
        #expect(await run("master-key", "create").exit == .done)
        let outcome = await run("tenant", "create", "b", "--domain", "b.example")
        #expect(outcome.exit == .wrongUse && outcome.errors.contains("master key"))
        #expect(try await run("tenant", "list", "-o", "json").json().array?.count == 1)
    }

    @Test("With several tenants one has to be named")
    func severalTenants() async throws {
        let run = try AdminRun()
        let none = await run("client", "list")
        #expect(none.exit == .wrongUse && none.errors.contains("tenant create"))
        try await run.makeTenant()
        #expect(await run("client", "list").exit == .done)
        #expect(await run("tenant", "create", "beta", "--domain", "b.example", "--passkey-only").exit == .done)
        let outcome = await run("client", "list")
        #expect(outcome.exit == .wrongUse && outcome.errors.contains("acme, beta"))
        #expect(await run("client", "list", "--tenant", "beta").exit == .done)
        let connection = try await run("connection", "list", "--tenant", "beta", "-o", "json").json().array?.first
        let methods = connection?.object?["options"]?.object?["authentication_methods"]?.object
        #expect(methods?["password"] == ["enabled": false] && methods?["passkey"] == ["enabled": true])
    }

    @Test("What is set is shown, by name where a client is meant")
    func sets() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        let settings = await run("tenant", "set", "acme", "friendly_name=Acme", "default_browser_client=Management")
        #expect(settings.exit == .done, "\(settings.errors)")
        let shown = try await run("tenant", "show", "acme", "-o", "json").json().object?["settings"]?.object
        #expect(shown?["friendly_name"] == "Acme" && shown?["default_browser_client"]?.string?.utf8.count == 32)

        let connection = "Username-Password-Authentication"
        let member = "options.passkey_options.webauthn.user_verification"
        #expect(await run("connection", "set", connection, "\(member)=required").exit == .done)
        let enabled = await run("connection", "set", connection, #"enabled_clients=["Management"]"#, "-o", "json")
        let options = try enabled.json().object?["options"]?.object?["passkey_options"]?.object?["webauthn"]?.object
        #expect(options?["user_verification"] == "required")
        #expect(try enabled.json().object?["enabled_clients"]?.array?.count == 1)

        let client = await run("client", "set", "Management", "name=Operations", "-o", "json")
        #expect(try client.json().object?["name"] == "Operations")
        #expect(await run("client", "show", "Operations").exit == .done)
    }

    @Test("Domains are added and listed")
    func domains() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        let added = await run("domain", "add", "id.acme.example", "--legacy-rp-id", "old.example", "-o", "json")
        #expect(try added.json().object?["legacy_relying_party_identifiers"] == ["old.example"])
        let list = try await run("domain", "list", "-o", "json").json().array
        #expect(list?.count == 2 && list?.first?.object?["primary"] == true)
        #expect(await run("domain", "add", "id.acme.example").exit == .conflict)
    }

    @Test("A domain's RP IDs and origins are set by the operator's word, and what clients will not do is said")
    func domainSet() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        #expect(await run("domain", "add", "id.new.example").exit == .done)
        let set = await run("domain", "set", "id.new.example", "--rp-id", "new.example", "-o", "json")
        #expect(try set.json().object?["relying_party_identifier"] == "new.example", "\(set.errors)")
        for (id, word) in [("co.uk", "must be"), ("example", "public suffix"), ("other.example", "parent")] {
            let refused = await run("domain", "set", "id.new.example", "--rp-id", id)
            #expect(refused.exit == .wrongUse && refused.errors.contains(word), "\(refused.errors)")
        }
        #expect(await run("domain", "set", "id.new.example").exit == .wrongUse)
        #expect(await run("domain", "set", "id.nw.example", "--rp-id", "").errors.contains("id.new.example"))
        let legacy = await run("domain", "set", "id.new.example", "--legacy-rp-id", "acme.example", "-o", "json")
        #expect(try legacy.json().object?["legacy_relying_party_identifiers"] == ["acme.example"])
        // Five labels of one's own, and the sixth is the place that the tenant moves to: the last one is too much.
        var arguments = ["domain", "set", "login.acme.example"]
        for number in 1...5 { arguments += ["--origin", "https://a\(number).example"] }
        let full = await run.run(arguments)
        #expect(full.exit == .done, "\(full.errors)")
        let shown = await run("domain", "show", "login.acme.example")
        #expect(shown.errors.contains("https://a5.example comes after 5 other labels"), "\(shown.errors)")
        let none = await run("domain", "set", "login.acme.example", "--origin", "", "-o", "json")
        #expect(try none.json().object?["related_origins"] == [])
        #expect(await run("domain", "remove", "id.new.example").exit == .wrongUse)
        #expect(await run("domain", "remove", "login.acme.example", "--yes").exit == .wrongUse)
        #expect(await run("domain", "remove", "id.new.example", "--yes").exit == .done)
        #expect(try await run("domain", "list", "-o", "json").json().array?.count == 1)
    }
}
