import COSE
import Cryptography
import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

@Suite("latchkey-admin, on a store that a server uses", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct AdminTests {
    @Test("-o json has the shapes that scripts rely on, and errors have their exit codes")
    func shapes() async throws {
        let server = try await LatchkeyServer.start()
        let tenant = try await server.adminJSON([
            "tenant", "create", "acme", "--domain", "login.acme.example", "--rp-id", "acme.example", "--origin",
            "https://shop.example",
        ])
        #expect(tenant["tenant"] == "acme")
        #expect(tenant["domain"] == "login.acme.example")
        #expect(tenant["rp_id"] == "acme.example")
        #expect(tenant["connection"] == "Username-Password-Authentication")
        #expect(tenant["management_client"]?.object?["client_id"]?.string?.isEmpty == false)
        #expect(tenant["management_client"]?.object?["client_secret"]?.string?.isEmpty == false)
        let native = try await server.adminJSON([
            "client", "create", "--tenant", "acme", "--name", "My app", "--type", "native", "--grant",
            "passkey,refresh",
        ])
        #expect(native.names == ["client_id"])
        let backend = try await server.adminJSON([
            "client", "create", "--tenant", "acme", "--name", "Backend", "--type", "non_interactive",
        ])
        #expect(backend.names == ["client_id", "client_secret"])
        let shown = try await server.adminJSON(["client", "show", "--tenant", "acme", "My app"])
        #expect(shown["grant_types"] == [.string(App.passkeyGrant), "refresh_token"])
        let connection = try await server.adminJSON([
            "connection", "show", "--tenant", "acme", "Username-Password-Authentication",
        ])
        #expect(connection["options"]?.object?["authentication_methods"]?.object?["passkey"] == ["enabled": true])
        #expect(connection["options"]?.object?["authentication_methods"]?.object?["password"] == ["enabled": true])
        for words in [
            ["tenant", "list"], ["domain", "list"], ["client", "list"], ["connection", "list"], ["grant", "list"],
            ["user", "list"], ["key", "list"], ["ceremony", "list"],
        ] {
            let result = try await server.admin(words + ["-o", "json"])
            #expect(result.exit == 0, "\(words): \(result)")
            #expect(try JSON.parse(Array(result.output.utf8)).array != nil, "\(words): \(result)")
            #expect(try await server.admin(words).exit == 0)
        }
        for (words, exit, text) in [
            (["tenant", "create", "acme", "--domain", "x.example"], 5, "acme"),
            (["tenant", "create", "b", "--domain", "login.acme.example"], 5, "login.acme.example"),
            (["tenant", "create", "b", "--domain", "b.acme.example", "--rp-id", "acme.example"], 5, "acme.example"),
            (["tenant", "create", "b", "--domain", "127.0.0.1"], 2, "127.0.0.1"),
            (["tenant", "create", "b"], 2, "--domain"), (["tenant", "show", "acne"], 3, "acme"),
            (["client", "show", "--tenant", "acme", "My ap"], 3, "My app"), (["client", "nonsense"], 2, "nonsense"),
            (["client", "set", "--tenant", "acme", "My app", "shoe_size=43"], 2, "shoe_size"),
            (["client", "set", "--tenant", "acme", "My app", "grant_types=[\"x\"]"], 2, "grant_types"),
            (["tenant", "set", "acme", "totp=true"], 2, "totp"),
            (["user", "show", "--tenant", "acme", "nobody@example.com"], 3, "nobody@example.com"),
            (["ceremony", "explain", "cer_0356PZnuQ7O6dBg6b9DzVu"], 3, "cer_0356PZnuQ7O6dBg6b9DzVu"),
        ] as [([String], Int32, String)] {
            let result = try await server.admin(words)
            #expect(result.exit == exit, "\(words): \(result)")
            #expect(result.output.isEmpty, "\(words): \(result)")
            #expect(result.errors.contains(text), "\(words): \(result)")
            #expect(result.errorLines.count == 1, "\(words): \(result)")
        }
        try await server.stop()
    }

    @Test("--help at every level, --version, and a bare command says what there is")
    func help() async throws {
        for (program, words) in [
            (Paths.server, ["--help"]), (Paths.server, ["serve", "-h"]), (Paths.server, ["help", "dev"]),
            (Paths.admin, ["--help"]), (Paths.admin, ["tenant", "--help"]), (Paths.admin, ["tenant", "create", "-h"]),
            (Paths.admin, ["vectors", "--help"]), (Paths.admin, ["help", "client", "set"]),
        ] {
            let result = try await run(program, words)
            #expect(result.exit == 0, "\(words): \(result)")
            #expect(result.output.lowercased().contains("usage"), "\(words): \(result)")
            #expect(result.errors.isEmpty)
        }
        for program in [Paths.server, Paths.admin] {
            let version = try await run(program, ["--version"])
            #expect(version.exit == 0 && version.output.contains("0.1.0"), "\(version)")
            let none = try await run(program, ["nonsense"])
            #expect(none.exit == 2 && none.errorLines.count == 1, "\(none)")
        }
    }

    @Test("A refused ceremony is explained by its trace_id, with what was expected, what came, and the step")
    func explains() async throws {
        let server = try await LatchkeyServer.start()
        let site = try await Site.make("acme", on: server, domain: "login.acme.example")
        let app = try await site.client("App")
        var authenticator = Authenticator()
        try await app.signUp(with: &authenticator)
        let begun = try await app.challenge()
        let answer = try authenticator.get(begun.options, origin: "https://evil.example")
        let trace = try #require(try await app.redeem(begun, answer).string("trace_id"))
        var explained = try await server.admin(["ceremony", "explain", trace])
        _ = try await eventually(seconds: 90) {
            explained = try await server.admin(["ceremony", "explain", trace])
            return explained.exit == 0
        }
        #expect(explained.exit == 0, "\(explained)")
        for text in ["origin", "https://evil.example", "https://login.acme.example", "7.2"] {
            #expect(explained.output.contains(text), "\(explained)")
        }
        let failed = try await server.admin(["ceremony", "list", "--failed", "--since", "15m", "-o", "json"])
        #expect(failed.output.contains(trace))
        #expect(failed.output.contains("origin_mismatch"))
        try await server.stop()
    }

    @Test("A passkey that was revoked signs nobody in; the last one of a user is not revoked")
    func revokesPasskey() async throws {
        let server = try await LatchkeyServer.start()
        let site = try await Site.make("acme", on: server, domain: "login.acme.example")
        let app = try await site.client("App")
        let email = uniqueEmail()
        var visitor = Visitor(app, origin: site.origin)
        try #require(try await visitor.register(email).status == 200)
        var first = visitor.authenticator
        let listed = try await server.admin(["passkey", "list", email, "-o", "json"])
        let all = try JSON.parse(Array(listed.output.utf8)).array ?? []
        let id = try #require(all.first?.object?["id"]?.string, "\(listed)")
        let last = try await server.admin(["passkey", "revoke", id, "--yes"])
        #expect(last.exit == 5 && last.errors.contains("last way in"), "\(last)")
        visitor.authenticator = Authenticator(.securityKey)
        try #require(try await visitor.register(nil).status == 200)
        let revoked = try await server.admin(["passkey", "revoke", id, "--yes"])
        #expect(revoked.exit == 0, "\(revoked)")
        let begun = try await app.challenge()
        let answer = try first.get(begun.options, origin: site.origin)
        expect(try await app.redeem(begun, answer), isCeremony: .unknownPasskey)
        try await app.signIn(with: &visitor.authenticator)
        try await server.stop()
    }

    @Test("vectors: a line in, a line out, whatever the line is")
    func vectors() async throws {
        let capabilities = try await run(Paths.admin, ["vectors", "--capabilities"])
        #expect(capabilities.exit == 0)
        for text in ["fmt:none", "fmt:packed", "alg:-7", "alg:-8", "alg:-257"] {
            #expect(capabilities.output.split(separator: "\n").contains(Substring(text)), "\(capabilities)")
        }
        let key = try SigningKey.generate(.p256)
        let message = Array("a message".utf8)
        let cose = Hex.encode(try COSEKey(key.publicKey, algorithm: .es256).encoded())
        let signature = Hex.encode(try key.sign(message, .es256))
        let input: JSONObject = [
            "alg": -7, "form": "der", "cose": .string(cose), "message": .string(Hex.encode(message)),
            "signature": .string(signature),
        ]
        let cases: [JSONObject] = [
            ["id": "hello", "op": "hello"], ["id": "1", "op": "cbor", "input": ["hex": "a0"]],
            ["id": "2", "op": "base64url-decode", "input": ["text": "AQID"]],
            ["id": "3", "op": "signature", "input": .object(input)],
            ["id": "4", "op": "signature", "input": .object(input.merging(["message": "00"]))],
            ["id": "5", "op": "no-such-op", "input": [:]],
        ]
        var lines = cases.map { String(decoding: JSONValue.object($0).serialized(), as: UTF8.self) }
        lines.append("not json")
        let result = try await run(Paths.admin, ["vectors"], input: lines.joined(separator: "\n") + "\n")
        #expect(result.exit == 0, "\(result)")
        let answers = try result.output.split(separator: "\n").map { try JSON.parse(Array($0.utf8)).object ?? [:] }
        try #require(answers.count == lines.count, "\(result)")
        #expect(answers[0]["protocol"] == 1)
        #expect(answers[0]["ops"]?.array?.isEmpty == false)
        #expect(answers[1]["wellFormed"] == true, "\(answers[1])")
        #expect(answers[3]["verdict"] == "accept", "\(answers[3])")
        #expect(answers[4]["verdict"] == "reject", "\(answers[4])")
        #expect(answers[5]["verdict"] != "accept", "\(answers[5])")
        #expect(answers[6]["verdict"] == "reject")
        for (line, answer) in zip(cases, answers) { #expect(answer["id"] == line["id"]) }
    }

    @Test("What the command changes is seen by a running server within 5 seconds")
    func seenByServer() async throws {
        let server = try await LatchkeyServer.start()
        let site = try await Site.make("acme", on: server, domain: "login.acme.example")
        let app = try await site.client("App")
        #expect(try await app.post("/passkey/challenge", [:]).status == 200)
        try await site.set(["passkeys_enabled": false])
        let isSeen = try await eventually(seconds: 90) { try await app.post("/passkey/challenge", [:]).status == 404 }
        #expect(isSeen)
        try await server.stop()
    }
}
