import Encodings
import Foundation
import Synchronization
import Terminal
import Testing
import Transfer

@testable import TenantCLI

@Suite("latchkey-tenant: users, passkeys, sessions and the log")
struct PeopleCommandTests {
    private static let base = "https://login.acme.test"
    private static let environment = [
        "HOME": "/nowhere", "LATCHKEY_URL": base, "LATCHKEY_CLIENT_ID": "manager", "LATCHKEY_CLIENT_SECRET": "secret",
    ]
    private static let ana: JSONObject = [
        "user_id": "auth0|0123456789abcdef01234567", "email": "ana@acme.test", "name": "Ana", "blocked": false,
        "user_metadata": ["plan": "free", "old": 1], "created_at": "2026-01-31T10:20:30.000Z",
    ]
    private static let anaPath = "/api/v2/users/auth0%7C0123456789abcdef01234567"
    private static let session: JSONObject = [
        "id": "ses_0123456789ABCDEFGHIJKL", "user_id": "auth0|0123456789abcdef01234567",
        "clients": [["client_id": "app"]], "authentication": ["methods": [["name": "passkey"]]],
        "device": ["last_ip": "203.0.113.7"],
    ]
    private static let passkey: JSONObject = [
        "id": "passkey|dev_1", "type": "passkey", "name": "Phone", "relying_party_identifier": "acme.test",
    ]

    /// A server with one user, which remembers what it is asked.
    private final class World: Sendable {
        let requests = Mutex<[String]>([])
        /// What the pages of the log behind the first hold, one after the other; then the token is over.
        let log: Mutex<[[JSONObject]]>
        /// The users whom an import refuses, by their addresses.
        let refused: [String]

        init(log: [[JSONObject]] = [], refused: [String] = []) {
            self.log = Mutex(log)
            self.refused = refused
        }

        func answer(_ request: WebRequest) throws(TransferError) -> WebResponse {
            func json(_ value: JSONValue, status: Int = 200) -> WebResponse {
                WebResponse(status: status, body: value.serialized())
            }
            let address = String(request.address.dropFirst(PeopleCommandTests.base.count))
            let path = String(address.prefix { $0 != "?" })
            let query = address.dropFirst(path.count)
            let body = String(decoding: request.body ?? [], as: UTF8.self)
            if path != "/oauth/token" {
                requests.withLock { $0.append("\(request.method) \(address)" + (body.isEmpty ? "" : " \(body)")) }
            }
            let anaPath = PeopleCommandTests.anaPath
            switch (request.method, path) {
            case (_, "/oauth/token"): return json(["access_token": "t", "scope": "x"])
            case ("GET", "/api/v2/users"):
                let isAna = query.contains("%22ana%40acme.test%22") || query.contains("%22Ana%22")
                let isAny =
                    !query.contains("q=") || query.contains("q=blocked") || query.contains("ana%2A")
                    || query.contains("an%2A")
                return json(.array(isAna || isAny ? [.object(PeopleCommandTests.ana)] : []))
            case ("POST", "/api/v2/users"): return json(.object(PeopleCommandTests.ana), status: 201)
            case ("GET", anaPath), ("PATCH", anaPath): return json(.object(PeopleCommandTests.ana))
            case ("GET", anaPath + "/authentication-methods"):
                return json(.array([.object(PeopleCommandTests.passkey)]))
            case ("GET", anaPath + "/authentication-methods/passkey%7Cdev_1"):
                return json(.object(PeopleCommandTests.passkey))
            case ("POST", anaPath + "/authentication-methods"), ("PATCH", _):
                return json(.object(PeopleCommandTests.passkey))
            case ("GET", anaPath + "/sessions"):
                return json(["sessions": .array([.object(PeopleCommandTests.session)])])
            case ("GET", "/api/v2/sessions/ses_0123456789ABCDEFGHIJKL"):
                return json(.object(PeopleCommandTests.session))
            case ("GET", "/api/v2/connections"): return json(["connections": [["id": "con_1", "name": "People"]]])
            case ("GET", "/api/v2/logs"), ("GET", anaPath + "/logs"):
                guard query.contains("from=") else { return json([.object(PeopleCommandTests.entry(1, "fepkft"))]) }
                let page = log.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                guard let page else { return json(["message": "Expired token received"], status: 401) }
                return json(.array(page.map { .object($0) }))
            case ("POST", "/api/v2/jobs/users-imports"):
                let failed = refused.filter { body.contains($0) }.count
                return json(["id": .string("job_\(failed)"), "status": "pending"], status: 202)
            case ("GET", "/api/v2/jobs/job_0"), ("GET", "/api/v2/jobs/job_1"):
                let failed: Int64 = path.hasSuffix("1") ? 1 : 0
                return json([
                    "status": "completed",
                    "summary": [
                        "total": 2, "inserted": .integer(2 - failed), "updated": 0, "failed": .integer(failed),
                    ],
                ])
            case ("GET", "/api/v2/jobs/job_1/errors"):
                return json([
                    [
                        "user": ["email": "eve@acme.test"],
                        "errors": [["code": "invalid_hash", "message": "bcrypt cost 31", "path": "password_hash"]],
                    ]
                ])
            case ("POST", "/api/v2/jobs/users-exports"): return json(["id": "job_9", "status": "pending"])
            case ("GET", "/api/v2/jobs/job_9"):
                return json([
                    "status": "completed",
                    "location": .string(PeopleCommandTests.base + "/api/v2/jobs/job_9/result?key=k"),
                ])
            case ("GET", "/api/v2/jobs/job_9/result"):
                return WebResponse(status: 200, body: Array("{\"email\":\"ana@acme.test\"}\n".utf8))
            case ("DELETE", _): return WebResponse(status: 204)
            case ("POST", _): return WebResponse(status: 202)
            default: return json(["message": "Not Found"], status: 404)
            }
        }

        /// What it was asked to change.
        var changes: [String] { requests.withLock { $0.filter { !$0.hasPrefix("GET") } } }
    }

    private static func entry(_ number: Int, _ type: String) -> JSONObject {
        [
            "log_id": .string("l\(number)"), "date": "2026-01-31T10:20:30.000Z", "type": .string(type),
            "description": "Something", "user_name": "Ana", "ip": "203.0.113.7",
            "details": ["reason": .string("reason_\(number)")],
        ]
    }

    private func run(
        _ words: String...,
        in world: World = World(),
        and variables: [String: String] = [:]
    ) async -> ToolRun {
        await ToolRun(words, environment: Self.environment.merging(variables) { $1 }) {
            (request, _) throws(TransferError) in try world.answer(request)
        }
    }

    @Test("A user is found by id, address or name, and a miss names the nearest")
    func finding() async {
        for name in ["auth0|0123456789abcdef01234567", "ana@acme.test", "Ana"] {
            let shown = await run("user", "show", name, "--fields", "user_id", "-o", "json")
            #expect(shown.exit == .done && shown.output.contains("auth0|0123456789abcdef01234567"), "\(shown)")
        }
        let missing = await run("user", "show", "ana@acme.tst")
        #expect(missing.exit == .notFound && missing.errors.contains("Did you mean \"ana@acme.test\"?"), "\(missing)")
        let world = World()
        #expect(await run("user", "show", #"a"\b"#, in: world).exit == .notFound)
        #expect(world.requests.withLock { $0.first?.contains("email%3A%22a%5C%22%5C%5Cb%22") } == true)
    }

    @Test("Lists are tables, CSV and JSON; a search, a directory and a limit go to the server")
    func list() async {
        let world = World()
        let csv = await run(
            "user",
            "list",
            "--search",
            "blocked:false",
            "--connection",
            "People",
            "--limit",
            "7",
            "-o",
            "csv",
            "--fields",
            "name,email",
            in: world
        )
        #expect(csv.output == "name,email\r\nAna,ana@acme.test\r\n", "\(csv)")
        #expect(
            world.requests.withLock { $0.last }
                == "GET /api/v2/users?sort=created_at%3A-1&q=blocked%3Afalse&connection=People&page=0&per_page=7"
        )
        #expect(await run("user", "list").output.hasPrefix("USER ID"))
        #expect(await run("user", "list", "--limit", "1001").exit == .wrongUse)
        #expect(await run("session", "list", "Ana").output.contains("app"))
        #expect(await run("session", "list", "Ana", "-o", "json").output.contains("\"client_id\""))
        #expect(await run("passkey", "list", "Ana", "-o", "csv", "--fields", "id,name").output.contains("Phone"))
    }

    @Test("A user is made and changed; metadata change member by member, and null removes")
    func changing() async {
        let world = World()
        let made = await run(
            "user",
            "create",
            "--email",
            "ana@acme.test",
            "--password",
            "user_metadata.plan=free",
            in: world,
            and: ["LATCHKEY_USER_PASSWORD": "correct horse"]
        )
        #expect(made.exit == .done, "\(made)")
        #expect(
            await run(
                "user",
                "set",
                "Ana",
                "blocked=true",
                "user_metadata.plan=gold",
                "user_metadata.old=null",
                in: world
            ).exit == .done
        )
        #expect(
            world.changes == [
                #"POST /api/v2/users {"connection":"People","email":"ana@acme.test","password":"correct horse","#
                    + #""user_metadata":{"plan":"free"}}"#,
                "PATCH \(Self.anaPath) " + #"{"blocked":true,"user_metadata":{"plan":"gold","old":null}}"#,
            ]
        )
        #expect(await run("user", "set", "Ana").exit == .wrongUse)
        let secret = await run("user", "set", "Ana", "password=hunter2")
        #expect(secret.exit == .wrongUse && !secret.errors.contains("hunter2"), "\(secret)")
    }

    @Test("What goes for good is confirmed")
    func removing() async {
        let world = World()
        for words in [
            ["user", "delete", "Ana"], ["passkey", "delete", "Ana", "dev_1"], ["session", "delete", "Ana"],
        ] {
            let asked = await ToolRun(words, environment: Self.environment) { (request, _) throws(TransferError) in
                try world.answer(request)
            }
            #expect(asked.exit == .wrongUse && asked.errors.contains("--yes"), "\(asked)")
        }
        #expect(world.changes == [])
        #expect(await run("user", "delete", "Ana", "--yes", in: world).exit == .done)
        #expect(await run("passkey", "delete", "Ana", "dev_1", "--yes", in: world).exit == .done)
        #expect(await run("session", "delete", "Ana", "--keep-tokens", "--yes", in: world).exit == .done)
        #expect(await run("session", "delete", "ses_0123456789ABCDEFGHIJKL", in: world).exit == .done)
        #expect(await run("session", "delete", "ses_0123456789ABCDEFGHIJKM", in: world).exit == .notFound)
        #expect(
            world.changes == [
                "DELETE \(Self.anaPath)", "DELETE \(Self.anaPath)/authentication-methods/passkey%7Cdev_1",
                "POST \(Self.anaPath)/revoke-access {\"preserve_refresh_tokens\":true}",
                "POST /api/v2/sessions/ses_0123456789ABCDEFGHIJKL/revoke",
            ]
        )
    }

    @Test("A passkey is brought and named")
    func passkeys() async {
        let world = World()
        let brought = await run(
            "passkey",
            "create",
            "Ana",
            "--key-id",
            "4LmQ",
            "--public-key",
            "pQEC",
            "--rp-id",
            "acme.test",
            "sign_count=5",
            in: world
        )
        #expect(brought.exit == .done, "\(brought)")
        #expect(await run("passkey", "set", "Ana", "passkey|dev_1", "name=Old phone", in: world).exit == .done)
        #expect(
            world.changes == [
                "POST \(Self.anaPath)/authentication-methods "
                    + #"{"type":"passkey","key_id":"4LmQ","public_key":"pQEC","relying_party_identifier":"acme.test","#
                    + #""sign_count":5}"#,
                "PATCH \(Self.anaPath)/authentication-methods/passkey%7Cdev_1 {\"name\":\"Old phone\"}",
            ]
        )
        #expect(await run("passkey", "show", "Ana", "dev_1").output.contains("Phone"))
        #expect(await run("passkey", "show", "Ana", "dev_2").exit == .notFound)
    }

    @Test("An import is checked first; where one is refused, nothing is written unless it is asked for")
    func importing() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ text: String) throws -> String {
            let url = folder.appending(path: name)
            try Data(text.utf8).write(to: url)
            return url.path
        }
        let (good, bad) = (#"{"email":"ana@acme.test","name":"a]\"},{"}"#, #"{"email":"eve@acme.test"}"#)
        let array = try file("array.json", "[\(good), \(bad)]\n")
        let lines = try file("lines.jsonl", "\(good)\n\n\(bad)\n")
        func modes(_ world: World) -> [Bool] { world.changes.map { $0.contains("\"dry_run\"\r\n\r\ntrue") } }
        for path in [array, lines] {
            let fine = World()
            let done = await run("user", "import", path, "-o", "json", in: fine)
            #expect(done.exit == .done && done.output.contains("\"inserted\""), "\(done)")
            #expect(modes(fine) == [true, false])
            #expect(fine.changes.allSatisfy { $0.contains("\r\n\r\n[\(good),") && $0.contains("\(bad)]\r\n") })
            let dry = World()
            #expect(await run("user", "import", path, "--dry-run", in: dry).exit == .done)
            #expect(modes(dry) == [true])
            let refusing = World(refused: ["eve@acme.test"])
            let stopped = await run("user", "import", path, in: refusing)
            #expect(
                stopped.exit == .answerIsNo && stopped.errors.contains("eve@acme.test: bcrypt cost 31"),
                "\(stopped)"
            )
            #expect(modes(refusing) == [true])
            let skipping = World(refused: ["eve@acme.test"])
            #expect(await run("user", "import", path, "--skip-refused", in: skipping).exit == .answerIsNo)
            #expect(modes(skipping) == [true, false])
        }
        for (name, text) in [
            ("empty", " \n"), ("open", "[\(good)"), ("more", "[\(good)] x"), ("text", "[1]"), ("comma", "[\(good),]"),
            ("word", "hello"), ("closed", "[}"),
        ] {
            let world = World()
            let refused = await run("user", "import", try file(name, text), in: world)
            #expect(refused.exit == .wrongUse && world.changes == [], "\(name): \(refused)")
        }
        #expect(await run("user", "import", try file("none", "[ ]")).exit == .done)
    }

    @Test("A large file goes in parts")
    func parts() throws {
        let user = Array(#"{"name":"\#(String(repeating: "x", count: 1 << 20))"}"#.utf8)
        let file = try UserFile.read(
            Array("[".utf8) + Array([[UInt8]](repeating: user, count: 14).joined(separator: [0x2C])) + [0x5D]
        )
        let parts = UserFile.parts(file)
        #expect(
            file.count == 14 && parts.map(\.count) == [5, 5, 4] && parts.joined().allSatisfy { $0.elementsEqual(user) }
        )
        #expect(UserFile.parts([]).isEmpty)
    }

    @Test("An export is fetched from its own server, and kept from others in a file")
    func exporting() async {
        let out = await run("user", "export", "--field", "email")
        #expect(out.exit == .done && out.output == "{\"email\":\"ana@acme.test\"}\n", "\(out)")
        let path = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(await run("user", "export", "--out", path).exit == .done)
        let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("The log is listed by user, type and outcome, and followed in its order until the token cannot be renewed")
    func log() async {
        let world = World()
        #expect(await run("log", "list", "--user", "Ana", in: world).output.contains("reason_1"))
        #expect(await run("log", "list", "--type", "s", "--failed", "--user", "Ana", in: world).exit == .done)
        let asked = world.requests.withLock { $0.last { $0.contains("/logs?q=") } } ?? ""
        #expect(asked.contains("q=type%3A%22s%22%20AND%20%28type%3Af%2A"), "\(asked)")
        #expect(asked.contains("user_id%3A%22auth0%7C0123456789abcdef01234567%22"), "\(asked)")
        let pages = [[Self.entry(2, "s"), Self.entry(3, "f")], [], [Self.entry(4, "fp")]]
        let followed = World(log: pages)
        let tail = await run("log", "tail", "--failed", "-o", "csv", in: followed)
        #expect(tail.exit == .notAllowed, "\(tail)")
        let lines = tail.output.split(whereSeparator: \.isNewline)
        #expect(lines.count == 4, "\(tail)")
        for (line, reason) in zip(lines.dropFirst(), ["reason_1", "reason_3", "reason_4"]) {
            #expect(line.hasSuffix(reason))
        }
        let places = followed.requests.withLock { $0.compactMap { $0.split(separator: "from=").dropFirst().first } }
        #expect(places == ["l1", "l3", "l3", "l4", "l4"], "\(places)")
        let objects = await run("log", "tail", "-o", "json", in: World(log: [[Self.entry(2, "s")]]))
        #expect(objects.output.split(separator: "\n").count == 2, "\(objects)")
    }
}
