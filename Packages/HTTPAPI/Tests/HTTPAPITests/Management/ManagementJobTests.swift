import Accounts
import Cryptography
import Encodings
import HTTPServer
import Identity
import Testing

@testable import HTTPAPI

@Suite("11.17: jobs")
struct ManagementJobTests {
    private static func form(_ fields: [(String, [UInt8])], boundary: String = "x-boundary") -> [UInt8] {
        var body: [UInt8] = []
        for (name, content) in fields {
            body += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"".utf8)
            if name == "users" { body += Array("; filename=\"users.json\"\r\nContent-Type: application/json".utf8) }
            body += Array("\r\n\r\n".utf8) + content + Array("\r\n".utf8)
        }
        return body + Array("--\(boundary)--\r\n".utf8)
    }

    private func send(
        _ users: JSONValue,
        _ more: [(String, String)] = [],
        _ manager: Administrator
    ) async throws -> Answer {
        let connection = try #require(
            try await manager.get("connections").list.first { $0["name"]?.string == Connection.defaultName }
        )
        let id = try #require(connection["id"]?.string)
        let fields: [(String, [UInt8])] =
            [("users", users.serialized()), ("connection_id", Array(id.utf8))]
            + more.map { ($0.0, Array($0.1.utf8)) }
        return try await manager.send(form: Self.form(fields), to: "jobs/users-imports")
    }

    private func work(_ house: House) async throws {
        let worker = JobWorker(store: house.store, random: { Random.bytes($0) }, clock: { house.now })
        while try await worker.runOne() {}
    }

    /// Sends an import, has it done, and gives what became of it.
    private func run(
        _ users: JSONValue,
        _ more: [(String, String)] = [],
        _ manager: Administrator
    ) async throws -> Answer {
        let sent = try await send(users, more, manager)
        try #require(sent.status == 202, "\(sent)")
        #expect(sent.string("status") == "pending" && sent.string("type") == "users_import")
        try await work(manager.house)
        return try await manager.get("jobs/\(sent.string("id") ?? "")")
    }

    @Test("Users come in with their hashes and passkeys; one bad user does not stop the others")
    func imports() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.signUp("old@example.com")
            let manager = try await Administrator(house)
            let old = try #require(try await manager.get("users").list.first?["user_id"]?.string)
            let key = try #require(try await manager.get("users/\(old)/authentication-methods").list.first)
            #expect(try await manager.delete("users/\(old)").status == 204)
            var passkey: JSONObject = ["type": "passkey"]
            for name in ["key_id", "public_key", "user_handle", "relying_party_identifier"] {
                passkey[name] = key[name]
            }
            var evil = passkey
            evil["relying_party_identifier"] = "evil.example"
            let hash = try #require(BcryptVectors.first)
            let users: JSONValue = [
                [
                    "email": "ana@example.com", "email_verified": true, "password_hash": .string(hash.hash),
                    "user_metadata": ["plan": "gold"], "name": "Ana",
                ],
                ["email": "bob@example.com", "passkeys": [.object(passkey)]],
                ["email": "no address"], ["email": "ana@example.com"], ["email": "eve@example.com", "magic": 1],
                ["email": "cyd@example.com", "passkeys": [.object(evil)]],
                [
                    "email": "dan@example.com",
                    "password_hash": "$2b$31$abcdefghijklmnopqrstuuK6wS1kVv0mW1sJbRr5vG1M1Vb1a7y2W",
                ],
            ]
            let job = try await run(users, [("external_id", "wave 1")], manager)
            #expect(job.string("status") == "completed" && job.string("external_id") == "wave 1", "\(job)")
            #expect(job["summary"] == ["failed": 5, "updated": 0, "inserted": 2, "total": 7], "\(job)")
            #expect(job["percentage_done"] == 100)
            let errors = try await manager.get("jobs/\(job.string("id") ?? "")/errors").list
            #expect(errors.count == 5, "\(errors)")
            let codes = errors.compactMap { $0["errors"]?.array?.first?.object?["code"]?.string }
            #expect(
                codes.sorted() == ["hash_too_expensive", "invalid_user", "invalid_user", "invalid_user", "user_exists"]
            )
            let text = String(decoding: JSONValue.array(errors.map { .object($0) }).serialized(), as: UTF8.self)
            #expect(!text.contains("$2b$"), "an error repeats a hash")
            #expect(try await manager.get("users").names("email").sorted() == ["ana@example.com", "bob@example.com"])

            // With the old password, which is then hashed as new ones are; and with the old passkey.
            let ana = try #require(try await manager.get("users-by-email?email=ana@example.com").list.first)
            let id = try #require(ana["user_id"]?.string.flatMap { UserID($0) })
            let before = try await house.store.password(of: id, tenant: house.app.tenant)
            #expect(before?.hash == hash.hash)
            let signedIn = try await house.send(
                .json(
                    "/oauth/token",
                    [
                        "client_id": .string(house.app.id.text), "username": "ana@example.com",
                        "password": .string(hash.password), "grant_type": "password", "scope": "openid",
                        "realm": .string(Connection.defaultName),
                    ]
                )
            )
            #expect(signedIn.status == 200, "\(signedIn)")
            let after = try await house.store.password(of: id, tenant: house.app.tenant)
            #expect(after?.hash.hasPrefix("$argon2id$") == true)
            #expect(try await person.signIn().status == 200)
        }
    }

    @Test("With upsert those who are there are changed, and never their passwords and passkeys")
    func upsert() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let made = try await manager.post(
                "users",
                [
                    "connection": .string(Connection.defaultName), "email": "ana@example.com",
                    "password": "Correct-horse-1", "user_metadata": ["a": 1, "b": 2],
                ]
            )
            let id = try #require(made.string("user_id").flatMap { UserID($0) })
            let hash = try await house.store.password(of: id, tenant: house.app.tenant)
            let users: JSONValue = [
                [
                    "email": "ana@example.com", "name": "Anna", "user_metadata": ["b": 3, "c": 4], "blocked": true,
                    "password_hash": .string(try #require(BcryptVectors.first).hash),
                ],
                ["email": "ana@example.com", "user_id": .string(String(repeating: "ab", count: 12))],
            ]
            let dry = try await run(users, [("upsert", "true"), ("dry_run", "true")], manager)
            #expect(dry["summary"] == ["failed": 1, "updated": 1, "inserted": 0, "total": 2], "\(dry)")
            #expect(try await manager.get("users/\(id.hex)").json == made.json)
            let job = try await run(users, [("upsert", "true")], manager)
            #expect(job["summary"] == ["failed": 1, "updated": 1, "inserted": 0, "total": 2], "\(job)")
            let changed = try await manager.get("users/\(id.hex)")
            #expect(changed.string("name") == "Anna" && changed["blocked"] == true)
            #expect(changed["user_metadata"] == ["a": 1, "b": 3, "c": 4])
            #expect(try await house.store.password(of: id, tenant: house.app.tenant) == hash)
        }
    }

    @Test(
        "A dry run says of users who share a name, an id or a passkey in one file what the import says",
        arguments: [false, true]
    )
    func sharedInOneFile(_ upserts: Bool) async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let id = String(repeating: "ab", count: 12)
            var users: [JSONValue] = [
                ["email": "ana@example.com", "user_id": .string(id)], ["email": "ANA@example.com", "name": "Anna"],
                ["email": "bo@example.com", "user_id": .string(id)],
            ]
            // As many between them as are brought in at once, and more.
            for index in 0..<300 { users.append(["email": .string("user\(index)@example.com")]) }
            users.append(["email": "user7@example.com"])
            users.append(["email": "cy@example.com", "user_id": .string(id)])
            let fields = upserts ? [("upsert", "true")] : []
            let dry = try await run(.array(users), fields + [("dry_run", "true")], manager)
            let wet = try await run(.array(users), fields, manager)
            #expect(dry["summary"] == wet["summary"], "\(dry)")
            #expect(
                wet["summary"]
                    == (upserts
                        ? ["failed": 2, "updated": 2, "inserted": 301, "total": 305]
                        : ["failed": 4, "updated": 0, "inserted": 301, "total": 305])
            )
        }
    }

    @Test("What is no import is refused before it is a job, and a broken file ends as failed")
    func refusals() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let connection = try #require(try await manager.get("connections").list.first?["id"]?.string)
            func status(_ fields: [(String, String)]) async throws -> Int {
                try await manager.send(
                    form: Self.form(fields.map { ($0.0, Array($0.1.utf8)) }),
                    to: "jobs/users-imports"
                ).status
            }
            let good = [("users", "[]"), ("connection_id", connection)]
            #expect(try await status(good) == 202)
            for fields in [
                [good[0]], [good[1]], good + [("magic", "1")], good + [("upsert", "maybe")],
                good + [("send_completion_email", "true")], [("users", "{}"), good[1]],
                [good[0], ("connection_id", "x")],
                good + [("upsert", "true"), ("upsert", "true")],
            ] {
                #expect(try await status(fields) == 400, "\(fields)")
            }
            #expect(try await manager.post("jobs/users-imports", [:]).status == 415)
            let raw = try await manager.send(form: Array("nothing".utf8), to: "jobs/users-imports")
            #expect(raw.status == 400)
            let narrow = try await Administrator(house, scope: "create:users")
            let form = Self.form([
                ("users", Array("[{\"email\":\"a@example.com\",\"passkeys\":[]}]".utf8)),
                ("connection_id", Array(connection.utf8)),
            ])
            let brings = try await narrow.send(form: form, to: "jobs/users-imports")
            #expect(brings.status == 403 && brings.string("errorCode") == "insufficient_scope", "\(brings)")

            let cut = Self.form([
                ("users", Array("[{\"email\":\"a@example.com\"},{".utf8)), ("connection_id", Array(connection.utf8)),
            ])
            let sent = try await manager.send(form: cut, to: "jobs/users-imports")
            try await work(house)
            let job = try await manager.get("jobs/\(sent.string("id") ?? "")")
            #expect(job.string("status") == "failed" && job.string("status_details")?.contains("ends before") == true)
            #expect(try await manager.get("jobs/job_none").status == 404)
            #expect(try await manager.get("jobs/\(sent.string("id") ?? "")/errors").status == 204)
        }
    }

    @Test("A job whose server died ends as failed, and an old one is forgotten")
    func abandoned() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let sent = try await send([["email": "a@example.com"]], [], manager)
            let id = try #require(sent.string("id"))
            #expect(try await house.store.takeJob(worker: "dead", now: house.now)?.id.text == id)
            #expect(try await manager.get("jobs/\(id)").string("status") == "processing")
            house.pass(seconds: 59)
            try await work(house)
            #expect(try await manager.get("jobs/\(id)").string("status") == "processing")
            house.pass(seconds: 2)
            try await work(house)
            let job = try await manager.get("jobs/\(id)")
            #expect(job.string("status") == "failed" && job.string("status_details")?.contains("stopped") == true)
            house.pass(seconds: JobWorker.life)
            let later = try await Administrator(house)
            try await work(house)
            #expect(try await later.get("jobs/\(id)").status == 404)
        }
    }

    @Test("Users go out as JSON and CSV, by a link that is good once and for a minute")
    func exports() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            for index in 0..<3 {
                let made = try await manager.post(
                    "users",
                    [
                        "connection": .string(Connection.defaultName), "email": .string("u\(index)@example.com"),
                        "password": "Correct-horse-1",
                    ]
                )
                #expect(made.status == 201)
                house.pass(seconds: 1)
            }
            let fields: JSONValue = [["name": "email"], ["name": "logins_count", "export_as": "logins"]]
            for (format, lines) in [
                (
                    "json",
                    ["{\"email\":\"u2@example.com\",\"logins\":0}", "{\"email\":\"u1@example.com\",\"logins\":0}"]
                ),
                ("csv", ["email,logins", "u2@example.com,0", "u1@example.com,0"]),
            ] {
                let sent = try await manager.post(
                    "jobs/users-exports",
                    ["format": .string(format), "limit": 2, "fields": fields]
                )
                #expect(sent.status == 200 && sent.string("type") == "users_export", "\(sent)")
                let path = "jobs/\(sent.string("id") ?? "")"
                #expect(try await manager.get(path)["location"] == nil)
                try await work(house)
                func link() async throws -> String {
                    let location = try #require(try await manager.get(path).string("location"))
                    return String(location.dropFirst("\(House.base)/api/v2/".count))
                }
                let (first, second) = (try await link(), try await link())
                #expect(try await manager.get(first).status == 404, "an earlier link")
                let result = try await manager.get(second)
                #expect(result.status == 200)
                let text = String(decoding: result.response.body, as: UTF8.self)
                #expect(text.split(whereSeparator: \.isNewline).map(String.init) == lines, "\(text)")
                #expect(!text.contains("argon2"))
                #expect(try await manager.get(second).status == 404, "a second time")
                let third = try await link()
                house.pass(seconds: 61)
                #expect(try await manager.get(third).status == 404, "too late")
            }
            var person = Person(house)
            _ = try await person.signUp("eve@example.com")
            let sent = try await manager.post("jobs/users-exports", ["limit": 1])
            try await work(house)
            let path = "jobs/\(sent.string("id") ?? "")"
            let location = try #require(try await manager.get(path).string("location"))
            let whole = try await manager.get(String(location.dropFirst("\(House.base)/api/v2/".count)))
            let user = try #require(try JSON.parse(whole.response.body).object)
            #expect(user["email"] == "eve@example.com")
            let passkey = try #require(user["passkeys"]?.array?.first)
            _ = try BroughtPasskey(document: try #require(passkey.object), relyingPartyIDs: ["example.com"])
            for body in [
                ["format": "xml"], ["limit": 0], ["fields": []], ["magic": 1], ["connection_id": "con_none"],
                ["fields": [["export_as": "x"]]],
            ] as [JSONValue] {
                #expect(try await manager.post("jobs/users-exports", body).status == 400, "\(body)")
            }
        }
    }

    @Test("Tickets are links with a secret, for users who are there")
    func tickets() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let made = try await manager.post(
                "users",
                ["connection": .string(Connection.defaultName), "email": "ana@example.com"]
            )
            let user = try #require(made["user_id"])
            for (kind, page) in [("password-change", "reset-password"), ("email-verification", "email-verification")] {
                let answer = try await manager.post("tickets/\(kind)", ["user_id": user, "ttl_sec": 60])
                #expect(answer.status == 201)
                let link = try #require(answer.string("ticket"))
                #expect(link.hasPrefix("\(House.base)/u/\(page)?ticket=") && link.hasSuffix("#"), "\(link)")
                #expect(try await manager.post("tickets/\(kind)", ["user_id": "auth0|none"]).status == 404)
                #expect(try await manager.post("tickets/\(kind)", ["user_id": user, "ttl_sec": -1]).status == 400)
                #expect(try await manager.post("tickets/\(kind)", ["user_id": user, "magic": 1]).status == 400)
                #expect(try await manager.post("tickets/\(kind)", [:]).status == 400)
            }
            let connection = try #require(try await manager.get("connections").list.first?["id"])
            let byName = try await manager.post(
                "tickets/password-change",
                ["email": "ANA@example.com", "connection_id": connection]
            )
            #expect(byName.status == 201, "\(byName)")
        }
    }

    @Test("Logs are paged by entry, several of which may be one row, and none is lost or told twice")
    func logs() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.signUp("eve@example.com")
            for _ in 0..<3 {
                house.pass(seconds: 1)
                #expect(try await person.signIn().status == 200)
            }
            let manager = try await Administrator(house)
            let all = try await manager.get("logs?per_page=100&sort=date:1")
            let ids = all.names("log_id")
            let types = all.names("type")
            #expect(Set(ids).count == ids.count && ids == ids.sorted(), "\(ids)")
            #expect(types.contains("ss") && types.contains("s"), "\(types)")
            #expect(try await manager.get("logs?per_page=100").names("log_id") == ids.reversed())
            for size in [1, 2, 3, 5] {
                var paged: [String] = []
                for page in 0... {
                    let part = try await manager.get("logs?per_page=\(size)&page=\(page)&include_totals=true")
                    let found = part.names("log_id", in: "logs")
                    #expect(
                        part["total"] == .integer(Int64(ids.count)) && part["length"] == .integer(Int64(found.count))
                    )
                    if found.isEmpty { break }
                    paged += found
                }
                #expect(paged == ids.reversed(), "pages of \(size)")
                var walked: [String] = []
                while true {
                    let from = walked.last.map { "&from=\($0)" } ?? ""
                    let part = try await manager.get("logs?take=\(size)\(from)").names("log_id")
                    if part.isEmpty { break }
                    walked += part
                }
                #expect(walked == ids, "parts of \(size)")
            }
            let entry = try await manager.get("logs/\(ids[1])")
            #expect(entry.string("log_id") == ids[1] && entry.string("user_name") == "eve@example.com", "\(entry)")
            #expect(try await manager.get("logs/none").status == 404)
            let user = try #require(try await manager.get("users").list.first?["user_id"]?.string)
            let own = try await manager.get("users/\(user)/logs?per_page=100")
            #expect(!own.list.isEmpty && own.names("user_id").allSatisfy { $0 == user })
            #expect(Set(own.names("log_id")).isSubset(of: ids))
            let signIns = try await manager.get("logs?q=type:s%20AND%20user_id:%22\(user.escapedForQuery)%22")
            #expect(signIns.names("type") == types.filter { $0 == "s" }, "\(signIns)")
            for query in ["q=magic:1", "q=type", "sort=x", "from=x", "page=1001&per_page=1", "magic=1"] {
                #expect(try await manager.get("logs?" + query).status == 400, "\(query)")
            }
            #expect(try await Administrator(house, scope: "read:users").get("logs").status == 403)
        }
    }
}

/// A hash that another implementation made (PyPI: bcrypt), with a cost of 4.
private enum BcryptVectors {
    static let first: (hash: String, password: String)? = (
        "$2b$04$Q/jiwQydCv0L2grKL7ITUuvkxiXO/l4RMLSjDgHpM8HFfjWnJvyN2", "correct horse"
    )
}

extension Administrator {
    func send(form body: [UInt8], to path: String) async throws -> Answer {
        let ask = Ask(method: "POST", target: "/api/v2/" + path, fields: [], body: body)
            .with("Content-Type", "multipart/form-data; boundary=x-boundary")
        return try await house.send(ask.with("Authorization", "Bearer " + token))
    }
}

@Suite("RFC 7578: forms of several parts")
struct MultipartFormTests {
    private static func read(_ text: String, boundary: String = "b") async -> [String: String]? {
        await MultipartForm(Array(text.utf8), boundary: Array(boundary.utf8)).map { form in
            Dictionary(uniqueKeysWithValues: form.parts.map { ($0.name, String(decoding: $0.content, as: UTF8.self)) })
        }
    }

    @Test("Fields are found with their content, byte for byte")
    func reads() async {
        let text =
            "preamble\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--\r\n2\r\n--b\r\n"
            + "content-type: x\r\nCONTENT-disposition: form-data; filename=\"f\"; name=c\r\n\r\n\r\n--b--\r\nepilogue"
        #expect(await Self.read(text) == ["a": "1\r\n--\r\n2", "c": ""])
        #expect(MultipartForm.boundary("multipart/form-data; charset=utf-8; boundary=\"a b\"") == Array("a b".utf8))
        #expect(MultipartForm.boundary("application/json; boundary=x") == nil)
        #expect(MultipartForm.boundary("multipart/form-data") == nil)
    }

    @Test("What is cut off anywhere, or has a field twice, is no form, and nothing traps")
    func refuses() async {
        let text = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--"
        #expect(await Self.read(text) == ["a": "1"])
        for end in 0..<(text.utf8.count - 2) {
            #expect(await Self.read(String(decoding: text.utf8.prefix(end), as: UTF8.self)) == nil, "\(end)")
        }
        let twice = String(text.dropLast(2)) + "\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n2\r\n--b--"
        #expect(await Self.read(twice) == nil)
    }
}
