import Encodings
import Foundation
import Synchronization
import Terminal
import Testing
import Transfer

@testable import TenantCLI

@Suite("latchkey-tenant: domains, the way to another RP ID, and devices")
struct DomainCommandTests {
    private static let environment = [
        "HOME": "/nowhere", "LATCHKEY_URL": "https://login.acme.test", "LATCHKEY_CLIENT_ID": "manager",
        "LATCHKEY_CLIENT_SECRET": "secret",
    ]
    private static let fingerprint = (1...32).map { Hex.encode([UInt8($0)]).uppercased() }.joined(separator: ":")

    /// A server with a client and two domains, which remembers what it is asked to change; every other host serves `files`.
    private final class World: Sendable {
        let changes = Mutex<[String]>([])
        let files: [String: WebResponse]
        let covered: Int

        init(files: [String: WebResponse] = [:], covered: Int = 3) {
            self.files = files
            self.covered = covered
        }

        private func domain(_ host: String, _ id: String, legacy: [JSONValue] = []) -> JSONValue {
            [
                "custom_domain_id": .string("cd_\(host)"), "domain": .string(host), "status": "ready",
                "relying_party_identifier": .string(id), "legacy_relying_party_identifiers": .array(legacy),
                "related_origins": [],
                "verification": [
                    "methods": [
                        ["name": "txt", "record": "latchkey-verify=x", "domain": .string("_pk-verify.\(host)")]
                    ],
                    "status": "verified",
                ],
            ]
        }

        private var client: JSONValue {
            [
                "client_id": "app", "name": "App", "tenant": "acme", "global": false,
                "mobile": [
                    "ios": ["team_id": "ABCDE12345", "app_bundle_identifier": "com.acme.app"],
                    "android": [
                        "app_package_name": "com.acme.app",
                        "sha256_cert_fingerprints": [.string(DomainCommandTests.fingerprint)],
                    ],
                ],
            ]
        }

        func answer(_ request: WebRequest) throws(TransferError) -> WebResponse {
            func json(_ value: JSONValue, status: Int = 200) -> WebResponse {
                WebResponse(status: status, body: value.serialized())
            }
            if let file = files[request.address] { return file }
            let base = "https://login.acme.test"
            guard request.address.hasPrefix(base + "/") else { throw .unavailable(reason: "no such host") }
            let path = String(request.address.dropFirst(base.count))
            if request.method != "GET", path != "/oauth/token" {
                let body = String(decoding: request.body ?? [], as: UTF8.self)
                changes.withLock { $0.append("\(request.method) \(path) \(body)") }
            }
            switch (request.method, path.prefix { $0 != "?" }) {
            case (_, "/oauth/token"): return json(["access_token": "t", "scope": "x"])
            case ("GET", "/api/v2/clients"): return json(["clients": [client]])
            case ("PATCH", "/api/v2/clients/app"): return json(client)
            case ("GET", "/api/v2/custom-domains"):
                let canonical = domain("login.acme.test", "acme.test")
                let custom = domain("id.new.test", "new.test", legacy: ["acme.test"])
                return json(["custom_domains": path.contains("include_canonical") ? [canonical, custom] : [custom]])
            case ("GET", "/api/v2/custom-domains/cd_id.new.test/relying-parties"):
                return json([
                    "relying_party_identifier": "new.test",
                    "legacy": [
                        [
                            "relying_party_identifier": "acme.test", "users": 4, "covered": .integer(Int64(covered)),
                            "covered_percent": .number(Double(covered) * 25),
                            "left_behind": [["user_id": "auth0|1", "name": "ana@acme.test"]],
                        ]
                    ],
                ])
            case ("POST", "/api/v2/custom-domains"), ("POST", "/api/v2/custom-domains/cd_id.new.test/verify"):
                var pending = domain("id.new.test", "new.test").object ?? [:]
                pending.set("status", "pending_verification")
                return json(.object(pending))
            case ("PATCH", "/api/v2/custom-domains/cd_id.new.test"): return json(domain("id.new.test", "new.test"))
            case ("DELETE", _): return WebResponse(status: 204)
            default: return json(["message": "Not Found"], status: 404)
            }
        }
    }

    private func run(_ words: String..., in world: World = World(), input: String = "") async -> ToolRun {
        await ToolRun(words, environment: Self.environment, input: input) { (request, _) throws(TransferError) in
            try world.answer(request)
        }
    }

    @Test("A domain is made and verified, and the record that it needs is said")
    func domains() async throws {
        let world = World()
        let made = await run("domain", "create", "id.new.test", in: world)
        #expect(
            made.exit == .done && made.errors.contains("_pk-verify.id.new.test  TXT  \"latchkey-verify=x\""),
            "\(made)"
        )
        let pending = await run("domain", "verify", "id.new.test", in: world)
        #expect(pending.exit == .answerIsNo, "\(pending)")
        let set = await run(
            "domain",
            "set",
            "id.new.test",
            "--rp-id",
            "new.test",
            "--legacy-rp-id",
            "acme.test",
            "--force",
            in: world
        )
        #expect(set.exit == .done, "\(set)")
        #expect(await run("domain", "set", "id.new.test", in: world).exit == .wrongUse)
        let missing = await run("domain", "show", "id.nw.test", in: world)
        #expect(missing.exit == .notFound && missing.errors.contains("id.new.test"), "\(missing)")
        #expect(await run("domain", "delete", "id.new.test", in: world).exit == .wrongUse)
        #expect(await run("domain", "delete", "id.new.test", "--yes", in: world).exit == .done)
        let changes = world.changes.withLock { $0 }
        #expect(
            changes == [
                #"POST /api/v2/custom-domains {"domain":"id.new.test","type":"self_managed_certs"}"#,
                "POST /api/v2/custom-domains/cd_id.new.test/verify ",
                "PATCH /api/v2/custom-domains/cd_id.new.test?force=true "
                    + #"{"relying_party_identifier":"new.test","legacy_relying_party_identifiers":["acme.test"]}"#,
                "DELETE /api/v2/custom-domains/cd_id.new.test ",
            ]
        )
    }

    @Test("A cut-over is refused below its threshold, asked for above it, and needs no word when all have come")
    func cutOver() async throws {
        let status = await run("rp", "status", "-o", "json")
        #expect(status.output.contains("\"covered\":3") || status.output.contains("\"covered\": 3"), "\(status)")
        #expect(await run("rp", "status", "--who", "-o", "csv").output.contains("ana@acme.test"))
        let early = await run("rp", "cut-over", "id.new.test", "acme.test", "--yes")
        #expect(early.exit == .conflict && early.errors.contains("1 would be left behind"), "\(early)")
        let asked = await run("rp", "cut-over", "id.new.test", "acme.test", "--threshold", "75")
        #expect(asked.exit == .wrongUse, "\(asked)")
        let world = World()
        let forced = await run("rp", "cut-over", "id.new.test", "acme.test", "--threshold", "75", "--yes", in: world)
        #expect(forced.exit == .done, "\(forced)")
        let all = World(covered: 4)
        #expect(await run("rp", "cut-over", "id.new.test", "acme.test", in: all).exit == .done)
        let patch = #" {"legacy_relying_party_identifiers":[]}"#
        let path = "PATCH /api/v2/custom-domains/cd_id.new.test"
        #expect(world.changes.withLock { $0 } == [path + "?force=true" + patch])
        #expect(all.changes.withLock { $0 } == [path + patch])
        #expect(await run("rp", "cut-over", "id.new.test", "x.test").exit == .notFound)
        #expect(await run("rp", "cut-over", "id.new.test", "acme.test", "--threshold", "x").exit == .wrongUse)
    }

    @Test("Apps are entered in one word each, and shown with the origins that they sign in with")
    func devices() async throws {
        let world = World()
        let set = await run(
            "device",
            "set",
            "App",
            "--ios",
            "",
            "--android",
            "com.acme.app=\(Self.fingerprint.lowercased()),\(Self.fingerprint)",
            in: world
        )
        #expect(set.exit == .done && set.output.contains("android:apk-key-hash:AQIDBAUGBwgJ"), "\(set)")
        let body = #"{"mobile":{"android":{"app_package_name":"com.acme.app","sha256_cert_fingerprints":["#
        let change = try #require(world.changes.withLock { $0.first })
        #expect(change.hasPrefix("PATCH /api/v2/clients/app " + body), "\(change)")
        #expect(await run("device", "set", "App").exit == .wrongUse)
        #expect(await run("device", "set", "App", "--ios", "ABCDE12345").exit == .wrongUse)
        #expect(await run("device", "set", "App", "--android", "com.acme.app").exit == .wrongUse)
        #expect(await run("device", "show", "App").output.contains("ABCDE12345.com.acme.app"))
    }

    @Test("The files are fetched from the RP ID's hosts, and each that is wrong is said with its remedy")
    func check() async throws {
        let nobody = await run("device", "check", "App", "-o", "json")
        #expect(nobody.exit == .answerIsNo, "\(nobody)")
        #expect(nobody.output.contains("https://new.test/.well-known/apple-app-site-association"), "\(nobody)")
        #expect(nobody.output.contains("https://acme.test/.well-known/webauthn"), "\(nobody)")
        #expect(!nobody.output.contains("https://new.test/.well-known/webauthn"), "\(nobody)")
        let type = [WebHeader("content-type", "application/json")]
        let moved = WebResponse(status: 301, headers: [WebHeader("location", "https://www.acme.test/")])
        let apple = #"{"webcredentials":{"apps":["ABCDE12345.com.acme.app"]}}"#
        let android =
            #"[{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"android_app","#
            + #""package_name":"com.acme.app","sha256_cert_fingerprints":["\#(Self.fingerprint)"]}}]"#
        let origins = #"{"origins":["https://id.new.test"]}"#
        var files = [
            "https://acme.test/.well-known/apple-app-site-association": moved,
            "https://acme.test/.well-known/assetlinks.json":
                WebResponse(status: 200, headers: type, body: Array(android.utf8)),
            "https://acme.test/.well-known/webauthn":
                WebResponse(status: 200, headers: type, body: Array(origins.utf8)),
        ]
        let one = await run("device", "check", "App", "--rp-id", "acme.test", in: World(files: files))
        #expect(one.exit == .answerIsNo && one.output.contains("https://www.acme.test/"), "\(one)")
        #expect(one.errors.contains("https://acme.test/.well-known/assetlinks.json is good."), "\(one)")
        files["https://acme.test/.well-known/apple-app-site-association"] =
            WebResponse(status: 200, headers: type, body: Array(apple.utf8))
        let good = await run("device", "check", "App", "--rp-id", "acme.test", in: World(files: files))
        #expect(good.exit == .done, "\(good)")
    }

    @Test("The folder for another web server is written whole")
    func files() async throws {
        let folder = NSTemporaryDirectory() + "latchkey-device-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let missing = await run("device", "files", folder)
        #expect(missing.exit == .wrongUse && missing.errors.contains("acme.test, new.test"), "\(missing)")
        let written = await run("device", "files", folder, "--rp-id", "acme.test", "--folder", "/srv/acme")
        #expect(written.exit == .done, "\(written)")
        func text(_ name: String) throws -> String { try String(contentsOfFile: folder + "/" + name, encoding: .utf8) }
        #expect(try text(".well-known/apple-app-site-association").contains("ABCDE12345.com.acme.app"))
        #expect(try text(".well-known/assetlinks.json").contains(Self.fingerprint))
        #expect(try text(".well-known/webauthn") == #"{"origins":["https://id.new.test"]}"#)
        #expect(try text("nginx.conf").contains("/srv/acme") && text("Caddyfile").contains("/srv/acme"))
        #expect(await run("device", "files", folder, "--rp-id", "x.test").exit == .notFound)
        #expect(await run("device", "files", "/proc/nowhere", "--rp-id", "acme.test").exit == .failed)
    }
}
